import type { Millis } from "../../src/core/units.ts";
import type { Fault, FaultKind } from "../scenarios/plan.ts";

/** How a process can end. */
export type LifeEnd = "kill" | "power" | "wipe" | "fail" | "stop" | "leave";

/** One run of a machine's process; times are counted from the beginning of the run. */
export interface Life {
  readonly machine: number;
  readonly generation: number;
  readonly fromMs: Millis;
  toMs: Millis;
  end: LifeEnd | undefined;
}

/** A time in which a machine's disk hung. */
interface StuckDisk extends Window {
  readonly machine: number;
}

/** A time in which a process did not run. */
interface Standstill extends StuckDisk {
  readonly generation: number;
}

/** Something that was done to the world, or left out because it could not be done. */
export interface ChronicleEvent {
  readonly atMs: Millis;
  readonly kind: FaultKind | "inject" | "pause" | "resume" | "heal-all" | "calm" | "finished";
  readonly machine?: number;
  readonly detail?: string;
  /** Why it was left out. */
  readonly skipped?: SkipReason;
}

/** Why a planned fault was left out: it did not fit what there was, or the swarm was not calm in time for it. */
export type SkipReason = "unfit" | "never-calm";

/** A time during which something else is true than usual. */
export interface Window {
  readonly fromMs: Millis;
  toMs: Millis;
}

/** What a look at all running peers has shown. */
export interface Weather {
  /** All running peers agree on the ring, hold what it says, and have replicated it. */
  readonly calm: boolean;
  /** Some running peer takes another one for dead. */
  readonly falseDeath: boolean;
  /** Machines that are down and will come back. */
  readonly down: readonly number[];
}

/** Time in which a process that has stood still finds out what others have taken over, and passes it back. */
const dazedMs = 15_000;

/** Time in which a machine whose disk has hung passes on what was to be passed on meanwhile. */
const backlogMs = 15_000;

/** A request that was sent before its sender's end arrives so long after it, at most. */
const onTheWayMs = 2_000;

/** How long a stop in order takes, at most. */
const stopMsMax = 10_000;

/** How long before a look a false death may have come about. */
const lookBackMs = 2_000;

/** Faults of the network, by which members may lose sight of one another. */
const networkFaults: ReadonlySet<FaultKind> = new Set<FaultKind>([
  "partition",
  "cut",
  "clog",
  "slow-network",
  "offline",
]);

/**
 * What has happened in a run, as seen from outside: lives of processes, faults, and the times in which the design promises
 * less than usual.
 *
 * Two kinds of such times: in a *split* members may lose sight of one another, so both sides go on by themselves; in a
 * *thin* time as many members are down at once as there are copies, so a record may be out of reach. Each lasts until
 * the swarm is calm again.
 */
export class Chronicle {
  readonly events: ChronicleEvent[] = [];
  readonly lives: Life[] = [];
  readonly splits: Window[] = [];
  readonly thins: Window[] = [];
  /** Times in which some disk was slow, or hung. */
  readonly slows: Window[] = [];
  readonly #standstills: Standstill[] = [];
  readonly #stucks: StuckDisk[] = [];
  readonly #slowDisks = new Set<string>();
  readonly #now: () => Millis;
  readonly #replicas: number;
  readonly #current = new Map<number, Life>();
  readonly #byRun = new Map<string, Life>();
  /** Machines that have gone down since all was calm. */
  readonly #gone = new Set<number>();
  /** Machines whose disks hang, or have hung since all was calm: their copies lack what was written meanwhile. */
  readonly #lagging = new Set<number>();
  #networkFaults = 0;
  falseDeaths = 0;
  /** When a fault that was carried out began last, or was ended. */
  lastFaultAtMs: Millis | undefined;
  #hadFalseDeath = false;

  constructor(now: () => Millis, replicas: number) {
    this.#now = now;
    this.#replicas = replicas;
  }

  /** Time since the beginning of the run. */
  get nowMs(): Millis {
    return this.#now();
  }

  note(event: Omit<ChronicleEvent, "atMs">): void {
    this.events.push({ atMs: this.nowMs, ...event });
  }

  started(machine: number, generation: number): void {
    const life = { machine, generation, fromMs: this.nowMs, toMs: Infinity, end: undefined };
    this.lives.push(life);
    this.#current.set(machine, life);
    this.#byRun.set(`${machine} ${generation}`, life);
  }

  ended(machine: number, end: LifeEnd): void {
    const life = this.#current.get(machine);
    if (life === undefined) return;
    this.#current.delete(machine);
    life.toMs = this.nowMs;
    life.end = end;
    if (end !== "leave") this.lost(machine);
  }

  stoodStill(machine: number): void {
    const life = this.#current.get(machine);
    if (life === undefined) return;
    const { generation } = life;
    this.#standstills.push({ machine, generation, fromMs: this.nowMs, toMs: Infinity });
    this.lost(machine);
  }

  wentOn(machine: number): void {
    const last = this.#standstills.findLast((one) => one.machine === machine);
    if (last?.toMs === Infinity) last.toMs = this.nowMs;
  }

  /** Whether the machine's process stands still, or has gone on so lately that it need not know what others do. */
  isDazed(machine: number): boolean {
    const last = this.#lastStandstill(machine);
    return last !== undefined && this.nowMs <= last.toMs + dazedMs;
  }

  /** Whether the machine's process stands still, or did so once. */
  hasStoodStill(machine: number): boolean {
    return this.#lastStandstill(machine) !== undefined;
  }

  #lastStandstill(machine: number): Standstill | undefined {
    const generation = this.#current.get(machine)?.generation;
    return this.#standstills.findLast(
      (one) => one.machine === machine && one.generation === generation,
    );
  }

  /** What the machine holds, or will hold no more when it has stopped, is to be had of others from now on. */
  lost(machine: number): void {
    this.#gone.add(machine);
    this.#lookForThin();
  }

  /** Who lags has all that it holds itself: that alone puts nothing out of reach. */
  #lookForThin(): void {
    const isThin = new Set([...this.#gone, ...this.#lagging]).size >= this.#replicas;
    if (isThin && this.#gone.size > 0) open(this.thins, this.nowMs);
  }

  /** A fault has begun. */
  began(fault: Fault): void {
    this.lastFaultAtMs = this.nowMs;
    if (fault.kind === "slow-disk") this.#slowDisk(`slow ${fault.machine}`, fault.factor > 1);
    if (fault.kind === "fail-disk" && fault.how === "stuck") this.#diskStuck(fault.machine);
    if (fault.kind === "mend-disk") this.#diskTakes(fault.machine);
    if (!networkFaults.has(fault.kind)) return;
    this.#networkFaults += 1;
    open(this.splits, this.nowMs);
  }

  #diskStuck(machine: number): void {
    this.#lagging.add(machine);
    this.#lookForThin();
    if (this.#isStuck(machine)) return;
    this.#stucks.push({ machine, fromMs: this.nowMs, toMs: Infinity });
    this.#slowDisk(`stuck ${machine}`, true);
  }

  #diskTakes(machine: number): void {
    const last = this.#stucks.findLast((one) => one.machine === machine);
    if (last?.toMs === Infinity) last.toMs = this.nowMs;
    this.#slowDisk(`stuck ${machine}`, false);
  }

  /** Whether the machine's disk hangs, or has hung so lately that it need not have passed on what it is to pass on. */
  isHeldUp(machine: number): boolean {
    const last = this.#stucks.findLast((one) => one.machine === machine);
    return this.nowMs <= (last?.toMs ?? -Infinity) + backlogMs;
  }

  #isStuck(machine: number): boolean {
    return this.#stucks.findLast((one) => one.machine === machine)?.toMs === Infinity;
  }

  /** Time in which what the machine had at `atMs` became durable: `withinMs`, not counted while its disk hung. */
  durableWithin(machine: number, atMs: Millis, withinMs: Millis): Millis {
    let untilMs = atMs + withinMs;
    for (const stuck of this.#stucks) {
      const isMeant = stuck.machine === machine && overlaps([stuck], atMs, untilMs);
      if (isMeant) untilMs = stuck.toMs + withinMs;
    }
    return untilMs - atMs;
  }

  #slowDisk(which: string, isSlow: boolean): void {
    if (isSlow) this.#slowDisks.add(which);
    else this.#slowDisks.delete(which);
    if (isSlow) open(this.slows, this.nowMs);
    else if (this.#slowDisks.size === 0) close(this.slows, this.nowMs);
  }

  /** All faults of the network are over. */
  networkIsWhole(): void {
    this.#networkFaults = 0;
  }

  /** All disks are as quick as usual. */
  disksAreQuick(): void {
    for (const { machine } of this.#stucks) this.#diskTakes(machine);
    this.#slowDisks.clear();
    close(this.slows, this.nowMs);
  }

  /** Takes in what a look at the swarm has shown. */
  look({ calm, falseDeath, down }: Weather): void {
    if (falseDeath && !this.#hadFalseDeath) this.falseDeaths += 1;
    this.#hadFalseDeath = falseDeath;
    if (falseDeath) open(this.splits, this.nowMs - lookBackMs);
    if (!calm) return;
    if (this.#networkFaults === 0 && !falseDeath) close(this.splits, this.nowMs);
    const isBack = ![...this.#gone].some((machine) => down.includes(machine));
    if (!this.isThinNow || isBack) {
      this.#gone.clear();
      for (const machine of this.#lagging) {
        if (!this.#isStuck(machine)) this.#lagging.delete(machine);
      }
      close(this.thins, this.nowMs);
    }
  }

  get isThinNow(): boolean {
    return this.thins.at(-1)?.toMs === Infinity;
  }

  get isSplitNow(): boolean {
    return this.splits.at(-1)?.toMs === Infinity;
  }

  /** Whether it is split or thin now: what is said or done at such a time is not held against anybody. */
  get isExcusedNow(): boolean {
    return this.isSplitNow || this.isThinNow;
  }

  /** Whether it was split or thin at some moment of this time. */
  isExcused(fromMs: Millis, toMs: Millis = fromMs): boolean {
    return this.isSplit(fromMs, toMs) || this.isThin(fromMs, toMs);
  }

  isSplit(fromMs: Millis, toMs: Millis = fromMs): boolean {
    return overlaps(this.splits, fromMs, toMs);
  }

  isThin(fromMs: Millis, toMs: Millis = fromMs): boolean {
    return overlaps(this.thins, fromMs, toMs);
  }

  isSlow(fromMs: Millis, toMs: Millis): boolean {
    return overlaps(this.slows, fromMs, toMs);
  }

  /** Whether some process has ended since then, or stood still: the others may have taken it for lost. */
  hasLost(sinceMs: Millis): boolean {
    const hasEnded = this.lives.some(({ end, toMs }) => end !== undefined && toMs >= sinceMs);
    return hasEnded || overlaps(this.#standstills, sinceMs, this.nowMs);
  }

  /** Whether the machine has ever lost its disk. */
  isWiped(machine: number): boolean {
    return this.lives.some((life) => life.machine === machine && life.end === "wipe");
  }

  life(machine: number, generation: number): Life | undefined {
    return this.#byRun.get(`${machine} ${generation}`);
  }

  /**
   * Whether that process ended other than in order, or before its replicas had everything, or began to stand still, about
   * the time of a request or within `withinMs` after it.
   */
  vanishedAfter(machine: number, generation: number, atMs: Millis, withinMs: Millis): boolean {
    const isAbout = (momentMs: Millis): boolean =>
      momentMs >= atMs - onTheWayMs && momentMs <= atMs + withinMs;
    const life = this.life(machine, generation);
    if (life?.end !== undefined && isAbout(life.toMs) && this.#mayHaveLost(life)) return true;
    return this.#standstills.some(
      (one) => one.machine === machine && one.generation === generation && isAbout(one.fromMs),
    );
  }

  /** A stop in order waits for the replicas for so long and no longer; where one was out of reach, it may lack the last rows. */
  #mayHaveLost({ end, toMs }: Life): boolean {
    if (end === "leave") return false;
    const fromMs = toMs - stopMsMax;
    return end !== "stop" || this.isSlow(fromMs, toMs) || this.isSplit(fromMs, toMs);
  }
}

function open(windows: Window[], fromMs: Millis): void {
  if (windows.at(-1)?.toMs !== Infinity) windows.push({ fromMs, toMs: Infinity });
}

function close(windows: Window[], toMs: Millis): void {
  const last = windows.at(-1);
  if (last?.toMs === Infinity) last.toMs = toMs;
}

function overlaps(windows: readonly Window[], fromMs: Millis, toMs: Millis): boolean {
  return windows.some((window) => window.fromMs <= toMs && window.toMs >= fromMs);
}
