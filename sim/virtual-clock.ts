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

/**
 * Binary heap (Williams 1964) whose members know their places, so that one that is woken early leaves nothing behind.
 *
 * Invariant: no sleeper is before its parent.
 */
class SleeperHeap {
  readonly #sleepers: Sleeper[] = [];

  get size(): number {
    return this.#sleepers.length;
  }

  get first(): Sleeper | undefined {
    return this.#sleepers[0];
  }

  add(sleeper: Sleeper): void {
    this.#sleepers.push(sleeper);
    this.#rise(sleeper, this.#sleepers.length - 1);
  }

  remove(sleeper: Sleeper): void {
    const { at } = sleeper;
    if (at < 0) return;
    sleeper.at = -1;
    const last = this.#sleepers.pop();
    if (last === undefined || last === sleeper) return;
    const parent = this.#sleepers[(at - 1) >> 1];
    if (at > 0 && parent !== undefined && isBefore(last, parent)) this.#rise(last, at);
    else this.#sink(last, at);
  }

  #rise(sleeper: Sleeper, from: number): void {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#sleepers[above];
      if (parent === undefined || !isBefore(sleeper, parent)) break;
      this.#put(parent, at);
      at = above;
    }
    this.#put(sleeper, at);
  }

  #sink(sleeper: Sleeper, from: number): void {
    let at = from;
    for (;;) {
      let below = 2 * at + 1;
      let child = this.#sleepers[below];
      if (child === undefined) break;
      const right = this.#sleepers[below + 1];
      if (right !== undefined && isBefore(right, child)) {
        below += 1;
        child = right;
      }
      if (!isBefore(child, sleeper)) break;
      this.#put(child, at);
      at = below;
    }
    this.#put(sleeper, at);
  }

  #put(sleeper: Sleeper, at: number): void {
    this.#sleepers[at] = sleeper;
    sleeper.at = at;
  }
}

function isBefore(a: Sleeper, b: Sleeper): boolean {
  return a.wakeAtMs < b.wakeAtMs || (a.wakeAtMs === b.wakeAtMs && a.order < b.order);
}
