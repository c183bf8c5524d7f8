import type { Millis } from "../src/core/units.ts";
import type { Cancel, Clock } from "../src/ports/clock.ts";

/** Why a run ended before its work: nothing could ever wake it, or its time was over. */
export class VirtualRunError extends Error {
  override readonly name = "VirtualRunError";
  readonly reason: "deadline" | "nothing-left";
  readonly atMs: Millis;

  constructor(reason: "deadline" | "nothing-left", atMs: Millis) {
    const what = reason === "deadline" ? "its time is over" : "nothing is left to do";
    super(`the work has not ended at ${new Date(atMs).toISOString()}, and ${what}`);
    this.reason = reason;
    this.atMs = atMs;
  }
}

/** Who waits for a moment of a clock, one at a time. What it has is for the clock alone. */
export abstract class Sleeper {
  wakeAtMs: Millis = 0;
  /** Decides among those that wake at one moment. */
  order = 0;
  /** Those that the same signal wakes early. */
  companions: Set<Sleeper> | undefined;
  /** Place in the heap; -1 outside it. */
  at = -1;

  abstract wake(): void;
}

class Call extends Sleeper {
  readonly #action: () => void;

  constructor(action: () => void) {
    super();
    this.#action = action;
  }

  wake(): void {
    this.#action();
  }
}

/**
 * Moments between two turns of the real event loop. Timers of the test runner and signals must get through, and a turn
 * costs some ten times as much as a moment.
 */
const momentsPerTurn = 2_048;

const atOnce = Promise.resolve();

/** Turns of the event loop granted to what is no virtual work, before a run without sleepers is given up. */
const idleTurnsMax = 64;

/**
 * A clock that stands still while anything can go on, and then jumps to the next moment at which somebody wants to wake
 * up. So an hour of politeness takes the time of its computations, and takes the same course each time.
 *
 * All virtual work is promises, so "nothing can go on" means that the queue of microtasks is empty. Node.js runs a tick
 * that a microtask asked for exactly then, which is far cheaper than a turn of the event loop.
 *
 * Invariant: sleepers wake in the order of their moments, and among equal ones in the order of the calls; what one of
 * them causes at once is over before the next one wakes.
 */
export class VirtualClock implements Clock {
  #nowMs: Millis;
  #order = 0;
  readonly #heap = new SleeperHeap();
  /**
   * Sleepers by the signal that may wake them early. A signal keeps its one listener, since most are slept on again and
   * again.
   */
  readonly #bySignal = new WeakMap<AbortSignal, Set<Sleeper>>();

  /** @param startMs the moment at which it starts, as milliseconds since the Unix epoch */
  constructor(startMs: Millis = Date.UTC(2030, 0, 1)) {
    this.#nowMs = startMs;
  }

  nowMs(): Millis {
    return this.#nowMs;
  }

  wallMs(): Millis {
    return this.#nowMs;
  }

  /** How many wait to wake up. */
  get sleepers(): number {
    return this.#heap.size;
  }

  sleep(ms: Millis, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => this.enter(new Call(resolve), ms, signal));
  }

  /** Calls `action` once: after `ms`, or when `signal` aborts, which must not have happened yet. */
  call(ms: Millis, action: () => void, signal?: AbortSignal): Cancel {
    const sleeper = new Call(action);
    this.enter(sleeper, ms, signal);
    return () => this.remove(sleeper);
  }

  /** Wakes the sleeper once: after `ms`, or when `signal` aborts, which must not have happened yet. */
  enter(sleeper: Sleeper, ms: Millis, signal?: AbortSignal): void {
    sleeper.wakeAtMs = this.#nowMs + (ms > 0 ? ms : 0);
    sleeper.order = this.#order++;
    this.#heap.add(sleeper);
    if (signal === undefined) return;
    sleeper.companions = this.#companionsOf(signal);
    sleeper.companions.add(sleeper);
  }

  /** Lets the sleeper, which may have been woken, not be woken any more. */
  remove(sleeper: Sleeper): void {
    this.#heap.remove(sleeper);
    sleeper.companions?.delete(sleeper);
  }

  /**
   * Runs until `work` settles, moving time on whenever nothing else is left to do.
   *
   * Errors: what `work` rejects with, or {@link VirtualRunError} when nothing could ever wake it, or when the next
   * moment is beyond `untilMs`.
   */
  async run<T>(work: Promise<T>, untilMs: Millis = Infinity): Promise<T> {
    const state = { settled: false };
    const settle = (): void => {
      state.settled = true;
    };
    work.then(settle, settle);
    await new Promise<void>((resolve, reject) => {
      let moments = 0;
      let idleTurns = 0;
      // Not `queueMicrotask`, which keeps an account of each call.
      const onceQuiet = (): void => process.nextTick(step);
      const goOn = (): void => void atOnce.then(onceQuiet);
      const step = (): void => {
        if (state.settled) {
          resolve();
          return;
        }
        const next = this.#heap.first;
        if (next === undefined && idleTurns < idleTurnsMax) {
          idleTurns += 1;
          setImmediate(step);
          return;
        }
        if (next === undefined || next.wakeAtMs > untilMs) {
          reject(new VirtualRunError(next ? "deadline" : "nothing-left", this.#nowMs));
          return;
        }
        idleTurns = 0;
        moments += 1;
        try {
          this.#wake(next);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
          return;
        }
        if (moments % momentsPerTurn === 0) setImmediate(step);
        else goOn();
      };
      goOn();
    });
    return work;
  }

  #wake(sleeper: Sleeper): void {
    this.remove(sleeper);
    this.#nowMs = Math.max(this.#nowMs, sleeper.wakeAtMs);
    sleeper.wake();
  }

  #companionsOf(signal: AbortSignal): Set<Sleeper> {
    const known = this.#bySignal.get(signal);
    if (known !== undefined) return known;
    const sleepers = new Set<Sleeper>();
    this.#bySignal.set(signal, sleepers);
    signal.addEventListener("abort", () => {
      for (const one of [...sleepers]) {
        const isCancelled = one.at < 0;
        this.remove(one);
        if (!isCancelled) one.wake();
      }
    });
    return sleepers;
  }
}

/** Children of a sleeper: half the levels of a binary heap, and the moments that are compared stand side by side. */
const arity = 4;

/**
 * Heap (Williams 1964, with more children: Johnson 1975) whose members know their places, so that one that is woken early
 * leaves nothing behind. The moments stand apart from the sleepers, which may be anywhere in memory: to fetch two of them
 * for each comparison took a twentieth of a swarm's time. As an array of doubles they cost no object each.
 *
 * Invariants: no sleeper is before its parent; each moment is that of the sleeper at its place.
 */
class SleeperHeap {
  readonly #sleepers: Sleeper[] = [];
  #moments = new Float64Array(1_024);

  get size(): number {
    return this.#sleepers.length;
  }

  get first(): Sleeper | undefined {
    return this.#sleepers[0];
  }

  add(sleeper: Sleeper): void {
    const at = this.#sleepers.push(sleeper) - 1;
    if (at === this.#moments.length) {
      const moments = new Float64Array(2 * at);
      moments.set(this.#moments);
      this.#moments = moments;
    }
    this.#rise(sleeper, at);
  }

  remove(sleeper: Sleeper): void {
    const { at } = sleeper;
    if (at < 0) return;
    sleeper.at = -1;
    const last = this.#sleepers.pop();
    if (last === undefined || last === sleeper) return;
    this.#rise(last, at);
    if (last.at === at) this.#sink(last, at);
  }

  /** Puts the sleeper into a free place, or above it: whoever it is before moves down. */
  #rise(sleeper: Sleeper, free: number): void {
    let at = free;
    while (at > 0) {
      const parent = Math.floor((at - 1) / arity);
      if (!this.#isBefore(sleeper, parent)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(sleeper, at);
  }

  /** Puts the sleeper into a free place, or below it: whoever is before it moves up. */
  #sink(sleeper: Sleeper, free: number): void {
    let at = free;
    for (;;) {
      const child = this.#firstChild(at);
      if (child >= this.size || this.#isBefore(sleeper, child)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(sleeper, at);
  }

  /** Place of the child that wakes first; behind the last sleeper where there is none. */
  #firstChild(at: number): number {
    let first = arity * at + 1;
    const end = Math.min(first + arity, this.size);
    for (let child = first + 1; child < end; child += 1) {
      const [momentMs, firstMs] = [this.#moments[child] ?? 0, this.#moments[first] ?? 0];
      if (momentMs > firstMs) continue;
      const sleeper = this.#sleepers[child];
      if (momentMs < firstMs || (sleeper && this.#isBefore(sleeper, first))) first = child;
    }
    return first;
  }

  #isBefore(sleeper: Sleeper, other: number): boolean {
    const { wakeAtMs } = sleeper;
    const otherMs = this.#moments[other] ?? 0;
    if (wakeAtMs !== otherMs) return wakeAtMs < otherMs;
    return sleeper.order < (this.#sleepers[other]?.order ?? 0);
  }

  #move(from: number, to: number): void {
    const sleeper = this.#sleepers[from];
    if (sleeper) this.#put(sleeper, to);
  }

  #put(sleeper: Sleeper, at: number): void {
    this.#sleepers[at] = sleeper;
    this.#moments[at] = sleeper.wakeAtMs;
    sleeper.at = at;
  }
}
