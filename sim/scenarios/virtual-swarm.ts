import { defaultPeerOptions, type PeerOptions } from "../../src/peer/peer-options.ts";
import { Peer } from "../../src/peer/peer.ts";
import type { PeerPorts } from "../../src/peer/peer-ports.ts";
import { RingBook } from "../../src/peer/swarm/members/ring-book.ts";
import { defaultSwarmOptions } from "../../src/peer/swarm/swarm-options.ts";
import { CrawlError, type CrawlErrorCode } from "../../src/core/errors.ts";
import { isGone } from "../../src/core/membership/member.ts";
import {
  decodeForward,
  decodeForwardReply,
  type ForwardedUrl,
} from "../../src/core/messages/forward.ts";
import { messageKinds } from "../../src/core/messages/message-kinds.ts";
import type { CanonicalUrl, MemberId, Millis } from "../../src/core/units.ts";
import type { Overlay } from "../../src/ports/overlay.ts";
import type { UrlStatus } from "../../src/ports/peer-control.ts";
import type { Metrics } from "../../src/ports/metrics.ts";
import type { Chronicle, LifeEnd, Weather } from "../checkers/chronicle.ts";
import type { VirtualLogLine, VirtualMachine } from "../world/virtual-machine.ts";
import { World, type PeerFailure } from "../world/world.ts";
import { overlayWith } from "./overlay-with.ts";
import type { Plan, RunSettings } from "./plan.ts";

/** What tests break on purpose in a run, to see that it is noticed. */
export interface Tampering {
  /** Replaces ports of a machine's process. */
  readonly ports?: (ports: PeerPorts, machine: VirtualMachine<Peer>) => PeerPorts;
  /** Replaces options of the peers; checkers go by those of the plan. */
  readonly options?: (options: PeerOptions) => PeerOptions;
  /** Replaces what peers answer about URLs. */
  readonly answers?: (answers: readonly UrlStatus[]) => readonly UrlStatus[];
}

export interface SwarmHooks {
  readonly onLog?: (line: VirtualLogLine) => void;
  readonly metricsOf?: (id: string) => Metrics;
  /** A member has said of URLs that were forwarded to it that it has them. */
  readonly onAcknowledged?: (by: MemberId, urls: readonly CanonicalUrl[]) => void;
}

/** Sizes of what each peer keeps in memory: so small that hundreds fit in one process. */
const sieve = { capacity: 10_000, cacheCapacity: 8_192, unsettledOffersMax: 8_192 };
const sentCacheCapacity = 4_096;

/** How long a process may take to end in order after a failure, before it is ended, and the rest until the next one is tried. */
const endWithinMs: Millis = 10_000;
const startAgainMs: Millis = 2_000;

/** A start or a stop that takes longer hangs: a leave may take a minute. */
const idleWithinMs: Millis = 120_000;

/** What a peer of a run is told, apart from who it is. */
function peerOptionsOf(
  settings: RunSettings,
  join: readonly string[],
  machine: number,
): Omit<PeerOptions, "peerId"> {
  const { minority, queues, replicas, retentionMs, virtualNodes, weights } = settings;
  const { exchange } = defaultSwarmOptions;
  return {
    ...defaultPeerOptions,
    version: "0.0.0-sim",
    productToken: "orbweaver",
    sieve,
    journal: { ...defaultPeerOptions.journal, pendingOpsMax: queues.pendingOpsMax },
    swarm: {
      ...defaultSwarmOptions,
      cluster: { ring: { virtualNodes, hashSeed: 0 }, replicas },
      join,
      exchange: { ...exchange, pendingMax: queues.pendingMax, sentCacheCapacity },
      queuedRowsMax: queues.queuedRowsMax,
      membership: { ...defaultSwarmOptions.membership, retentionMs },
      minority,
      weight: weights[machine % weights.length] ?? 1,
    },
  };
}

/** What a peer may say of a disk that takes nothing. */
const diskCodes: readonly unknown[] = [
  "DISK_FULL",
  "STORE_IO",
  "ARCHIVE_IO",
] satisfies CrawlErrorCode[];

function isOfDisk(reason: unknown): boolean {
  return reason instanceof CrawlError && diskCodes.includes(reason.code);
}

/** The forwarded URLs that the reply says are there. */
function takenOf(urls: readonly ForwardedUrl[], reply: Uint8Array): CanonicalUrl[] {
  const results = decodeForwardReply(reply, urls.length) ?? [];
  const taken: CanonicalUrl[] = [];
  urls.forEach((each, at) => {
    const isTaken = results[at] === "new" || results[at] === "known";
    if (isTaken && each !== "rejected") taken.push(each.url as CanonicalUrl);
  });
  return taken;
}

/** Looks at more members than this are spot checks, or they would take longer than the run. */
const lookedAtMax = 24;

/**
 * The machines of a run with the daemon's own peers on them: starts and ends their processes, and knows which of them
 * are to be there.
 */
export class VirtualSwarm {
  readonly world: World<Peer>;
  readonly #chronicle: () => Chronicle;
  /** Messages with forwarded URLs, and how many URLs were in them. */
  readonly forwarded = { messages: 0, urls: 0 };
  /** Machines that have been started at least once: where the others find the swarm. */
  readonly #known = new Set<number>();
  /** Machines that have left for good. */
  readonly #left = new Set<number>();
  /** Machines that are being started or stopped in order. */
  readonly #busy = new Map<number, Promise<void>>();
  readonly #ends = new Map<number, () => void>();
  /** The latest process of each machine that could not go on. */
  readonly #failing = new Map<number, number>();

  constructor(plan: Plan, chronicle: () => Chronicle, hooks: SwarmHooks, tampering: Tampering) {
    this.#chronicle = chronicle;
    const { settings, size } = plan;
    const { onLog, metricsOf } = hooks;
    const tamper = tampering.ports ?? ((ports: PeerPorts): PeerPorts => ports);
    const change = tampering.options ?? ((options: PeerOptions): PeerOptions => options);
    const ring = { virtualNodes: settings.virtualNodes, hashSeed: 0 };
    const rings = new RingBook(ring);
    this.world = new World<Peer>(
      (ports, machine) =>
        new Peer(
          tamper(this.#counted(ports, hooks.onAcknowledged), machine),
          change({
            ...peerOptionsOf(settings, this.#addressesFor(machine.index), machine.index),
            peerId: machine.id,
            rings,
          }),
        ),
      {
        seed: size.seed,
        sampleWeb: settings.sampleWeb,
        web: settings.web,
        network: settings.network,
        clockOffsetMaxMs: settings.clockOffsetMaxMs,
        clockDriftMaxPpm: settings.clockDriftMaxPpm,
        machine: {
          diskTimes: settings.diskTimes,
          parseMs: settings.parseMs,
          ...(onLog && { onLog }),
          ...(metricsOf && { metricsOf: ({ peer }: { readonly peer: string }) => metricsOf(peer) }),
        },
      },
    );
    this.world.onFailure((failure) => this.#failed(failure));
  }

  #counted(ports: PeerPorts, onAcknowledged: SwarmHooks["onAcknowledged"]): PeerPorts {
    const { overlay } = ports;
    if (overlay === undefined) return ports;
    const request: Overlay["request"] = (asked, signal) => {
      if (asked.kind !== messageKinds.forward) return overlay.request(asked, signal);
      const urls = decodeForward(asked.payload) ?? [];
      this.forwarded.messages += 1;
      this.forwarded.urls += urls.length;
      const answered = overlay.request(asked, signal);
      void answered.then((outcome) => {
        if (outcome.kind === "reply") onAcknowledged?.(asked.to, takenOf(urls, outcome.payload));
      });
      return answered;
    };
    return { ...ports, overlay: overlayWith(overlay, { request }) };
  }

  get #machines(): readonly VirtualMachine<Peer>[] {
    return this.world.machines;
  }

  machine(index: number): VirtualMachine<Peer> | undefined {
    return this.#machines[index];
  }

  /** Machines that are neither running nor gone for good. */
  get down(): number[] {
    return this.#machines.flatMap(({ index, isUp }) =>
      isUp || this.#left.has(index) ? [] : [index],
    );
  }

  /** Machines that run, and are neither about to stop nor standing still. */
  get steady(): VirtualMachine<Peer>[] {
    return this.world.running.filter(
      ({ index, standsStill }) => !standsStill && !this.#busy.has(index),
    );
  }

  /** Machines whose processes stand still. */
  get still(): number[] {
    return this.world.running.flatMap(({ index, standsStill }) => (standsStill ? [index] : []));
  }

  hasLeft(index: number): boolean {
    return this.#left.has(index);
  }

  isBusy(index: number): boolean {
    return this.#busy.has(index);
  }

  /** A new machine, started. */
  add(): VirtualMachine<Peer> {
    const machine = this.world.addMachine();
    this.start(machine.index);
    return machine;
  }

  /** Begins to start a process. */
  start(index: number): void {
    const machine = this.#machines[index];
    if (machine === undefined || machine.isUp || this.#left.has(index)) return;
    const started = machine.start();
    this.#known.add(index);
    this.#chronicle().started(index, machine.generation);
    const { generation, id } = machine;
    this.#track(index, async () => {
      await started.catch((reason: unknown) => {
        if (machine.isUp && machine.generation === generation) {
          this.world.peerFailed(id, generation, reason);
        }
      });
    });
  }

  /** Ends a process at once. */
  end(index: number, how: Exclude<LifeEnd, "fail" | "stop" | "leave">): void {
    const machine = this.#machines[index];
    if (machine?.isUp !== true) return;
    if (how === "kill") machine.kill();
    else machine.powerFailure(this.world.dice.fork(`power ${index} ${machine.generation}`).next());
    if (how === "wipe") machine.wipe();
    this.#chronicle().ended(index, how);
    this.#ends.get(index)?.();
    this.#ends.delete(index);
    this.#busy.delete(index);
  }

  /**
   * What the daemon and its supervisor do about a peer that cannot go on: it ends, in order as far as that goes, and is started
   * again, until it runs. True where its disk is the reason.
   */
  #failed({ generation, peer, reason }: PeerFailure): boolean {
    const machine = this.#machines.find(({ id }) => id === peer);
    if (machine?.generation !== generation || !machine.hadBadDisk || !isOfDisk(reason))
      return false;
    const { index } = machine;
    if (this.#failing.get(index) === generation) return true;
    this.#failing.set(index, generation);
    const { clock } = this.world;
    this.#chronicle().ended(index, "fail");
    const isHere = (): boolean => machine.isUp && machine.generation === generation;
    this.#track(index, async () => {
      const late = clock.sleep(endWithinMs).then(() => true);
      const stopped = machine.stop().then(
        () => false,
        (error: unknown) => {
          // A peer that has not come as far as to run says at its end what has failed.
          if (!isOfDisk(error)) throw error;
          return false;
        },
      );
      if (await Promise.race([stopped, late])) {
        this.world.peerFailed(peer, generation, new Error("it does not end"));
      }
      if (isHere()) machine.kill();
      clock.call(startAgainMs, () => {
        if (machine.generation === generation) this.start(index);
      });
    });
    return true;
  }

  /** Lets a process stand still. */
  standStill(index: number): void {
    this.#machines[index]?.standStill();
    this.#chronicle().stoodStill(index);
  }

  /** Lets a process that stands still go on. */
  goOn(index: number): void {
    this.#machines[index]?.goOn();
    this.#chronicle().wentOn(index);
  }

  /** Begins to stop a process in order; with `leave` it passes on first what it holds, and never comes back. */
  stop(index: number, leave: boolean): void {
    const machine = this.#machines[index];
    if (machine?.isUp !== true || this.#busy.has(index)) return;
    const { generation } = machine;
    if (!leave) this.#chronicle().lost(index);
    this.#track(index, async () => {
      const left = leave && (await Promise.race([machine.peer.leave(), this.#endOf(index)]));
      if (machine.generation !== generation || !machine.isUp) return;
      await machine.stop();
      if (left === true) this.#left.add(index);
      this.#chronicle().ended(index, left === true ? "leave" : "stop");
    });
  }

  /** Resolves when nothing is being started or stopped; what hangs is not waited for, and keeps the swarm from being calm. */
  async idle(): Promise<void> {
    const late = this.world.clock.sleep(idleWithinMs).then(() => true);
    while (this.#busy.size > 0) {
      const all = Promise.all(this.#busy.values()).then(() => false);
      if (await Promise.race([all, late])) return;
    }
  }

  /** What a look at the swarm from outside shows now. */
  look(): Weather {
    const down = [...this.down, ...this.still];
    return { calm: this.#isCalm(), falseDeath: this.#hasFalseDeath(), down };
  }

  /** All running members agree on who is there, hold what is theirs, and their replicas have everything. */
  #isCalm(): boolean {
    const { running } = this.world;
    if (running.length === 0 || this.#busy.size > 0 || this.still.length > 0) return false;
    return running.every(({ peer }) => {
      const { swarm } = peer;
      if (swarm === undefined || swarm.view.role !== "active") return false;
      const { ring } = swarm.view;
      if (ring.members.length !== running.length) return false;
      return running.every(({ id }) => ring.has(id)) && swarm.isSettled;
    });
  }

  #hasFalseDeath(): boolean {
    const { running } = this.world;
    const step = Math.max(1, Math.floor(running.length / lookedAtMax));
    const chronicle = this.#chronicle();
    // One that stands still is as good as dead, and may be taken for it.
    const awake = running.filter(({ index }) => !chronicle.isDazed(index));
    const runs = new Map(awake.map(({ id, peer }) => [id, peer.swarm?.view.generation]));
    return awake.some(({ peer }, place) => {
      if (place % step !== 0) return false;
      const members = peer.swarm?.view.members() ?? [];
      return members.some(
        (row) => row.role !== "left" && isGone(row) && runs.get(row.id) === row.generation,
      );
    });
  }

  #track(index: number, work: () => Promise<void>): void {
    const tracked = work()
      // The process was ended meanwhile; or it failed, which the world notes.
      .catch(() => undefined)
      .finally(() => {
        if (this.#busy.get(index) === tracked) this.#busy.delete(index);
      });
    this.#busy.set(index, tracked);
  }

  #endOf(index: number): Promise<undefined> {
    return new Promise((resolve) => {
      this.#ends.set(index, () => resolve(undefined));
    });
  }

  /** The first machine begins the swarm; all others, and that one too when it comes back, look for those that were there. */
  #addressesFor(index: number): string[] {
    return this.#machines
      .filter((other) => other.index !== index && this.#known.has(other.index))
      .toSorted((one, other) => Number(other.isUp) - Number(one.isUp))
      .map(({ address }) => address);
  }
}
