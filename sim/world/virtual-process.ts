import type { Millis } from "../../src/core/units.ts";
import type { Cancel, Clock } from "../../src/ports/clock.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { SkewedClock } from "./skewed-clock.ts";

const soon = Promise.resolve();

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
  readonly #waiting = new Set<Cancel>();
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
    for (const cancel of [...this.#waiting]) cancel();
    this.#waiting.clear();
    this.#end.abort();
  }

  /** Calls `action` after `ms` of true time or when `signal` aborts, unless the process has ended by then. */
  call(ms: Millis, action: () => void, signal?: AbortSignal): Cancel {
    if (!this.isAlive) return () => undefined;
    const run = (): void => {
      if (this.#missed) this.#missed.timers.push(run);
      // It may have been cancelled by another one that came at the same moment.
      else if (this.#waiting.delete(cancel)) action();
    };
    const cancelCall = this.trueClock.call(ms, run, signal);
    const cancel = (): void => {
      this.#waiting.delete(cancel);
      cancelCall();
    };
    this.#waiting.add(cancel);
    return cancel;
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

  #sleep(ms: Millis, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.call(ms, resolve, signal);
    });
  }
}
