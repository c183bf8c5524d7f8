import type { Millis } from "../../src/core/units.ts";
import type { Cancel, Clock } from "../../src/ports/clock.ts";
import { Sleeper, type VirtualClock } from "../virtual-clock.ts";
import { SkewedClock } from "./skewed-clock.ts";

const soon = Promise.resolve();

/** What a process is to do at some moment, between its neighbours in the list of those that wait. */
class Timer extends Sleeper {
  before: Timer | undefined;
  after: Timer | undefined;
  isWaiting = false;
  readonly action: () => void;
  readonly #due: (timer: Timer) => void;

  constructor(action: () => void, due: (timer: Timer) => void) {
    super();
    this.action = action;
    this.#due = due;
  }

  wake(): void {
    this.#due(this);
  }
}

/** A list that its members know their places in: a set of so many that come and go was measured to cost more. */
class Timers {
  #last: Timer | undefined;

  add(timer: Timer): void {
    timer.isWaiting = true;
    timer.before = this.#last;
    if (this.#last) this.#last.after = timer;
    this.#last = timer;
  }

  /** False where it is not in the list any more. */
  delete(timer: Timer): boolean {
    if (!timer.isWaiting) return false;
    timer.isWaiting = false;
    const { before, after } = timer;
    if (before) before.after = after;
    if (after) after.before = before;
    else this.#last = before;
    timer.before = undefined;
    timer.after = undefined;
    return true;
  }

  takeLast(): Timer | undefined {
    const last = this.#last;
    if (last) this.delete(last);
    return last;
  }
}

/**
 * One run of a peer's program on a machine: what a kill ends.
 *
 * JavaScript cannot be stopped from outside, so a killed program is starved instead: none of its promises that hang on
 * the world settles any more, and none of its calls reaches anything. What it still computes without waiting is seen by
 * nobody, and it is forgotten.
 *
 * A process that stands still (SIGSTOP, a machine asleep) is starved too, but all that it would have noticed is kept, and
 * comes at once when it goes on: timers first and then what came from outside, as an event loop has it.
 */
export class VirtualProcess {
  /** Id of the machine's member. */
  readonly peer: string;
  /** Which run of the machine it is, counted from 1. */
  readonly generation: number;
  /** Time as this process sees it. */
  readonly clock: Clock;
  readonly trueClock: VirtualClock;
  /** True time at which it was first told that something cannot be written. */
  refusedAtMs: Millis | undefined;
  readonly #end = new AbortController();
  #isAlive = true;
  readonly #timers = new Timers();
  #missed: { readonly timers: (() => void)[]; readonly events: (() => void)[] } | undefined;

  constructor(peer: string, generation: number, trueClock: VirtualClock, clock?: SkewedClock) {
    this.peer = peer;
    this.generation = generation;
    this.trueClock = trueClock;
    const shown = clock ?? new SkewedClock(trueClock);
    this.clock = {
      nowMs: () => shown.nowMs(),
      wallMs: () => shown.wallMs(),
      sleep: (ms, signal) => this.#sleep(shown.trueDuration(ms), signal),
      call: (ms, action) => this.call(shown.trueDuration(ms), action),
    };
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Aborts when the process ends, however it ends. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  get standsStill(): boolean {
    return this.#missed !== undefined;
  }

  /** Lets it stand still, until it goes on or ends. Idempotent. */
  standStill(): void {
    this.#missed ??= { timers: [], events: [] };
  }

  /** Lets it go on: what it has missed comes now, one after the other. Idempotent. */
  goOn(): void {
    const missed = this.#missed;
    this.#missed = undefined;
    if (missed === undefined) return;
    for (const act of [...missed.timers, ...missed.events]) {
      this.trueClock.call(0, () => this.notice(act));
    }
  }

  /** Something from outside comes to the process: `act` is called now, or when it goes on, or never after its end. */
  notice(act: () => void): void {
    if (!this.isAlive) return;
    if (this.#missed) this.#missed.events.push(act);
    else act();
  }

  /** A disk takes nothing of it. */
  refuse(): void {
    this.refusedAtMs ??= this.trueClock.nowMs();
  }

  /** Ends it at once. Idempotent. */
  end(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#missed = undefined;
    for (let last = this.#timers.takeLast(); last; last = this.#timers.takeLast()) {
      this.trueClock.remove(last);
    }
    this.#end.abort();
  }

  /** Calls `action` after `ms` of true time or when `signal` aborts, unless the process has ended by then. */
  call(ms: Millis, action: () => void, signal?: AbortSignal): Cancel {
    if (!this.isAlive) return () => undefined;
    const timer = this.#start(ms, action, signal);
    return () => {
      if (this.#timers.delete(timer)) this.trueClock.remove(timer);
    };
  }

  /** Resolves after `ms` of true time or when `signal` aborts; never once the process has ended. */
  #sleep(ms: Millis, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return soon;
    return new Promise((resolve) => {
      if (this.isAlive) this.#start(ms, resolve, signal);
    });
  }

  /** What `made` gives, in a later microtask: for answers of the world that take no time. Never settles after the end. */
  answer<T>(made: () => T): Promise<T> {
    return soon.then(() => {
      if (this.#isAlive && this.#missed === undefined) return made();
      return new Promise<T>((resolve, reject) => {
        this.notice(() => {
          try {
            resolve(made());
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        });
      });
    });
  }

  #start(ms: Millis, action: () => void, signal?: AbortSignal): Timer {
    const timer = new Timer(action, this.#due);
    this.#timers.add(timer);
    this.trueClock.enter(timer, ms, signal);
    return timer;
  }

  readonly #due = (timer: Timer): void => {
    if (this.#missed) this.#missed.timers.push(() => this.#due(timer));
    // It may have been cancelled by another one that came at the same moment.
    else if (this.#timers.delete(timer)) timer.action();
  };
}
