import { invariant } from "../../src/core/errors.ts";
import type { MemberId, Millis } from "../../src/core/units.ts";
import type { PeerPorts } from "../../src/peer/peer-ports.ts";
import type { LogFields, Logger } from "../../src/ports/logger.ts";
import { noMetrics, type Metrics } from "../../src/ports/metrics.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { Dice } from "./dice.ts";
import type { Absence } from "./endpoint.ts";
import { SeededEntropy } from "./seeded-entropy.ts";
import { noSkew, SkewedClock, type ClockSkew } from "./skewed-clock.ts";
import { VirtualArchive, VirtualArchiveDisk } from "./virtual-archive.ts";
import { VirtualDisk } from "./virtual-disk.ts";
import { VirtualFetcher } from "./virtual-fetcher.ts";
import { VirtualLeaseSlots, VirtualSlots } from "./virtual-lease-slots.ts";
import type { VirtualNetwork } from "./virtual-network.ts";
import { virtualAddress, VirtualOverlay } from "./virtual-overlay.ts";
import { VirtualParser } from "./virtual-parser.ts";
import { VirtualProbe } from "./virtual-probe.ts";
import { VirtualProcess } from "./virtual-process.ts";
import { VirtualResolver } from "./virtual-resolver.ts";
import { VirtualStore, type DiskTimes } from "./virtual-store.ts";
import type { VirtualWeb } from "./virtual-web.ts";

/** What a machine runs. */
export interface MachinePeer {
  start(): Promise<unknown>;
  stop(): Promise<void>;
  /** Resolves with the reason when it cannot go on. */
  readonly failed?: Promise<unknown>;
}

/** Makes the program that a machine runs, once for each start. */
export type PeerFactory<P extends MachinePeer> = (
  ports: PeerPorts,
  machine: VirtualMachine<P>,
) => P;

/** What a machine keeps, on disks of their own perhaps. */
export type DiskPart = "store" | "archive" | "leases";
/** How a disk takes nothing: stuck, it hangs. What is noted of leases overwrites what is there, and needs no room. */
export type DiskFault = "full" | "broken" | "stuck";

/** A line of a peer's log, at true time. */
export interface VirtualLogLine {
  readonly atMs: Millis;
  readonly peer: string;
  readonly generation: number;
  readonly level: keyof Logger;
  readonly event: string;
  readonly fields: LogFields | undefined;
}

export interface MachineOptions {
  /** @default right at the beginning and ever after */
  readonly skew: ClockSkew;
  readonly diskTimes: Partial<DiskTimes>;
  /** Time of a flush of the archive. @default 1 */
  readonly archiveFlushMs: Millis;
  /** Time that a page takes to be parsed. @default 0 */
  readonly parseMs: Millis;
  /** Swarm, cluster options and version of the protocol in one name. @default "sim" */
  readonly swarm: string;
  /** @default nothing is logged */
  readonly onLog?: (line: VirtualLogLine) => void;
  /** @default nothing is measured */
  readonly metricsOf?: (process: VirtualProcess) => Metrics;
}

export const defaultMachineOptions: MachineOptions = Object.freeze({
  skew: noSkew,
  diskTimes: {},
  archiveFlushMs: 1,
  parseMs: 0,
  swarm: "sim",
});

/** What all machines of a world share. */
export interface MachineWorld {
  readonly clock: VirtualClock;
  readonly network: VirtualNetwork;
  readonly web: VirtualWeb;
  /** Told when a peer says of itself that it cannot go on. */
  peerFailed(peer: string, generation: number, reason: unknown): void;
}

/**
 * One machine: disks, lease slots, a clock, a place in the network, and one process after the other.
 *
 * Invariant: at most one process runs; what a process did not make durable in time is lost as its end says.
 */
export class VirtualMachine<P extends MachinePeer> {
  readonly index: number;
  readonly id: MemberId;
  readonly address: string;
  readonly disk = new VirtualDisk();
  readonly archiveDisk = new VirtualArchiveDisk();
  readonly options: MachineOptions;
  readonly #world: MachineWorld;
  readonly #dice: Dice;
  readonly #factory: PeerFactory<P>;
  readonly #slots = new VirtualSlots();
  #clock: SkewedClock;
  #generation = 0;
  #running: { readonly process: VirtualProcess; readonly overlay: VirtualOverlay } | undefined;
  #peer: P | undefined;
  #hadBadDisk = false;

  constructor(
    world: MachineWorld,
    index: number,
    dice: Dice,
    factory: PeerFactory<P>,
    options: Partial<MachineOptions> = {},
  ) {
    this.index = index;
    this.id = `peer-${index}` as MemberId;
    this.address = virtualAddress(index);
    this.options = { ...defaultMachineOptions, ...options };
    this.#clock = new SkewedClock(world.clock, this.options.skew);
    this.#world = world;
    this.#dice = dice;
    this.#factory = factory;
  }

  get clock(): SkewedClock {
    return this.#clock;
  }

  get isUp(): boolean {
    return this.#running !== undefined;
  }

  /** Since when its process knows that something could not be written. */
  get refusedAtMs(): Millis | undefined {
    return this.#running?.process.refusedAtMs;
  }

  /** Whether its process runs and stands still. */
  get standsStill(): boolean {
    return this.#running?.process.standsStill === true;
  }

  /** Starts so far. */
  get generation(): number {
    return this.#generation;
  }

  /** The running program; there must be one. */
  get peer(): P {
    invariant(this.#peer !== undefined, `${this.id} is not running`);
    return this.#peer;
  }

  /** The running program's way to the others, for looking at it from outside. */
  get overlay(): VirtualOverlay | undefined {
    return this.#running?.overlay;
  }

  /** Starts the next process. Rejects as the peer does, or when the process ends meanwhile. */
  async start(): Promise<P> {
    invariant(!this.isUp, `${this.id} is running already`);
    this.#generation += 1;
    this.#hadBadDisk = this.hasBadDisk;
    if (this.#clock.isSet) this.#clock = this.#clock.begunAnew();
    const process = new VirtualProcess(this.id, this.#generation, this.#world.clock, this.clock);
    const { swarm } = this.options;
    const identity = { index: this.index, self: this.id, swarm };
    const overlay = new VirtualOverlay(this.#world.network, process, identity);
    this.#running = { process, overlay };
    const peer = this.#factory(this.#portsOf(process, overlay), this);
    this.#peer = peer;
    void peer.failed?.then((reason) => {
      if (process.isAlive) this.#world.peerFailed(this.id, process.generation, reason);
    });
    await unlessEnded(process, peer.start());
    return peer;
  }

  /** Lets the process end in order. Rejects as the peer does, or when it is killed meanwhile. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    try {
      await unlessEnded(running.process, this.peer.stop());
      await unlessEnded(running.process, running.overlay.stop());
    } finally {
      if (this.#running === running) this.#end("refusing");
    }
  }

  /** `kill -9`: what was written stays, and the system resets the connections. */
  kill(): void {
    this.#end("refusing");
  }

  /** `kill -STOP`: the process stands still, until `goOn` or its end. */
  standStill(): void {
    this.#running?.process.standStill();
  }

  /** `kill -CONT`. */
  goOn(): void {
    this.#running?.process.goOn();
  }

  /**
   * The machine goes dark, and its partners hear nothing: what was synced stays, and of the batches that were not that share,
   * oldest first.
   */
  powerFailure(keptShare = 0): void {
    this.#end("silent");
    this.disk.dropUnsynced(keptShare);
    this.#slots.clear();
  }

  /** Loses everything on its disks; nothing may run. */
  wipe(): void {
    invariant(!this.isUp, "a disk is not wiped under a running process");
    this.disk.wipe();
    this.archiveDisk.wipe();
    this.#slots.clear();
  }

  /** From now on parts of its disk take nothing: they have no room, fail, or hang. */
  failDisk(how: DiskFault, parts: readonly DiskPart[]): void {
    for (const part of parts) {
      const disk = this.#parts[part];
      if (how === "stuck") disk.sluice.shut();
      else if (how === "broken") disk.broken = true;
      else if ("full" in disk) disk.full = true;
    }
    this.#hadBadDisk = true;
  }

  /** There is room again, or the disk takes what it is given. */
  mendDisk(): void {
    for (const disk of Object.values(this.#parts)) {
      if ("full" in disk) disk.full = false;
      disk.broken = false;
      disk.sluice.open();
    }
  }

  get hasBadDisk(): boolean {
    return Object.values(this.#parts).some(
      (disk) => disk.broken || disk.sluice.isShut || ("full" in disk && disk.full),
    );
  }

  /** Whether a part of its disk took nothing at some time since its process began. */
  get hadBadDisk(): boolean {
    return this.#hadBadDisk;
  }

  get #parts(): Readonly<Record<DiskPart, VirtualDisk | VirtualArchiveDisk | VirtualSlots>> {
    return { store: this.disk, archive: this.archiveDisk, leases: this.#slots };
  }

  /** Sets its clock, also back; nothing may run. */
  setClock(skew: ClockSkew): void {
    invariant(!this.isUp, "a clock is not set under a running process");
    this.#clock = new SkewedClock(this.#world.clock, skew);
  }

  #end(absence: Absence): void {
    const running = this.#running;
    this.#running = undefined;
    this.#peer = undefined;
    running?.process.end();
    running?.overlay.cut(absence);
  }

  #portsOf(process: VirtualProcess, overlay: VirtualOverlay): PeerPorts {
    const { archiveFlushMs, diskTimes, metricsOf, parseMs } = this.options;
    const { web } = this.#world;
    const dice = this.#dice.fork(`process-${process.generation}`);
    return {
      archive: new VirtualArchive(this.archiveDisk, web.pages, process, archiveFlushMs),
      clock: process.clock,
      entropy: new SeededEntropy(dice.fork("entropy")),
      fetcher: new VirtualFetcher(web, process),
      leases: new VirtualLeaseSlots(this.#slots, process),
      logger: this.#loggerOf(process),
      metrics: metricsOf?.(process) ?? noMetrics,
      overlay,
      parser: new VirtualParser(web.pages, process, parseMs),
      probe: new VirtualProbe(web, process),
      resolver: new VirtualResolver(web, process, dice.fork("resolver")),
      store: new VirtualStore(this.disk, process, dice.fork("disk"), diskTimes),
    };
  }

  #loggerOf(process: VirtualProcess): Logger {
    const { onLog } = this.options;
    const level =
      (name: keyof Logger) =>
      (event: string, fields?: LogFields): void => {
        if (!process.isAlive) return;
        const { peer, generation } = process;
        onLog?.({ atMs: this.#world.clock.nowMs(), peer, generation, level: name, event, fields });
      };
    return {
      debug: level("debug"),
      info: level("info"),
      warn: level("warn"),
      error: level("error"),
    };
  }
}

/** Rejects when the process ends first, since its own promises never settle then. */
function unlessEnded<T>(process: VirtualProcess, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new Error(`${process.peer} ended meanwhile`));
    process.ended.addEventListener("abort", end, { once: true });
    work.then(resolve, reject).finally(() => process.ended.removeEventListener("abort", end));
  });
}
