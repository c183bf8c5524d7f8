import type { Millis } from "../../src/core/units.ts";
import {
  defaultSampleWebOptions,
  type SampleWebOptions,
} from "../sample-web/sample-web-options.ts";
import { SampleWeb } from "../sample-web/sample-web.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { Dice } from "./dice.ts";
import type { NetworkOptions } from "./network-options.ts";
import { TraceHash } from "./trace-hash.ts";
import {
  VirtualMachine,
  type MachineOptions,
  type MachinePeer,
  type PeerFactory,
} from "./virtual-machine.ts";
import { VirtualNetwork } from "./virtual-network.ts";
import { VirtualWeb, type VirtualWebOptions } from "./virtual-web.ts";

export interface WorldOptions {
  /** Everything random follows from it; the sample web's structure has a seed of its own. @default 1 */
  readonly seed: number;
  readonly sampleWeb: Partial<SampleWebOptions>;
  readonly network: Partial<NetworkOptions>;
  readonly web: Partial<VirtualWebOptions>;
  /** For every machine that is not told otherwise. */
  readonly machine: Partial<MachineOptions>;
  /** Clocks of machines are off by up to that much, either way. @default 0 */
  readonly clockOffsetMaxMs: Millis;
  /** And drift by up to that many millionths. @default 0 */
  readonly clockDriftMaxPpm: number;
}

export const defaultWorldOptions: WorldOptions = Object.freeze({
  seed: 1,
  sampleWeb: {},
  network: {},
  web: {},
  machine: {},
  clockOffsetMaxMs: 0,
  clockDriftMaxPpm: 0,
});

/** A peer that said it cannot go on. */
export interface PeerFailure {
  readonly atMs: Millis;
  readonly peer: string;
  readonly generation: number;
  readonly reason: unknown;
}

const httpPort = 80;

/** Machines, their network and a web in one process, in virtual time, from one seed. */
export class World<P extends MachinePeer> {
  readonly options: WorldOptions;
  readonly clock = new VirtualClock();
  readonly dice: Dice;
  /** Of all deliveries and hits, in their order. */
  readonly trace = new TraceHash();
  readonly sampleWeb: SampleWeb;
  readonly web: VirtualWeb;
  readonly network: VirtualNetwork;
  readonly machines: VirtualMachine<P>[] = [];
  /** Of peers that were running. */
  readonly failures: PeerFailure[] = [];
  readonly #factory: PeerFactory<P>;
  readonly #onFailure = new Set<(failure: PeerFailure) => boolean>();

  constructor(factory: PeerFactory<P>, options: Partial<WorldOptions> = {}) {
    this.options = { ...defaultWorldOptions, ...options };
    const { network, sampleWeb, seed, web } = this.options;
    this.#factory = factory;
    this.dice = new Dice(seed);
    this.sampleWeb = new SampleWeb({ ...defaultSampleWebOptions, ...sampleWeb }, httpPort);
    this.web = new VirtualWeb(this.sampleWeb, this.clock, this.dice.fork("web"), web);
    this.network = new VirtualNetwork(this.clock, this.dice.fork("network"), network, this.trace);
    this.web.onHit(({ atMs, peer, generation, page, status }) => {
      this.trace.add(
        atMs,
        Number(peer.slice(peer.lastIndexOf("-") + 1)),
        page,
        -1 - status,
        generation,
      );
    });
  }

  /** One more machine, not started. */
  addMachine(options: Partial<MachineOptions> = {}): VirtualMachine<P> {
    const index = this.machines.length;
    const dice = this.dice.fork(`machine-${index}`);
    const { clockDriftMaxPpm, clockOffsetMaxMs } = this.options;
    const skew = {
      offsetMs: dice.between(-clockOffsetMaxMs, clockOffsetMaxMs),
      driftPpm: dice.between(-clockDriftMaxPpm, clockDriftMaxPpm),
    };
    const given = { skew, ...this.options.machine, ...options };
    const machine = new VirtualMachine(this, index, dice, this.#factory, given);
    this.machines.push(machine);
    return machine;
  }

  /** Machines with a running process. */
  get running(): VirtualMachine<P>[] {
    return this.machines.filter(({ isUp }) => isUp);
  }

  /**
   * Runs virtual time until `work` settles. Errors: what it rejects with, and `VirtualRunError` where it can never end
   * or has not ended after `withinMs`.
   */
  run<T>(work: Promise<T>, withinMs: Millis = Infinity): Promise<T> {
    return this.clock.run(work, this.clock.nowMs() + withinMs);
  }

  /** Calls `listener` when a peer says that it cannot go on; one of which it says that this was to be is none of the failures. */
  onFailure(listener: (failure: PeerFailure) => boolean): void {
    this.#onFailure.add(listener);
  }

  peerFailed(peer: string, generation: number, reason: unknown): void {
    const failure = { atMs: this.clock.nowMs(), peer, generation, reason };
    const wasToBe = [...this.#onFailure].map((listener) => listener(failure)).includes(true);
    if (!wasToBe) this.failures.push(failure);
  }
}
