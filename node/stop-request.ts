import type { Millis } from "../src/core/units.ts";
import type { StopSignal, Terminal } from "./terminal.ts";

/** What a shell expects of a program that a signal ended: 128 and the signal's number. */
const exitCodeOf: Readonly<Record<StopSignal, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * One key press may reach the process more than once: from the terminal, and forwarded by the program that started it.
 * What comes within this time is the same request.
 */
const sameRequestMs: Millis = 500;

/** Longest graceful stop; what is then not written is fetched again by the next run. */
export const stopMsMax: Millis = 10_000;

/**
 * The wish that a command stop: a first signal asks, a second one insists and ends the process at once. So does the time that a
 * user waits, when it is over before the command has come to stop, as where a peer takes long to start.
 */
export class StopRequest {
  readonly #terminal: Terminal;
  readonly #asked = new AbortController();
  readonly #forget: () => void;
  /** Aborts when the command stops. */
  readonly #heeded = new AbortController();
  #askedAtMs: Millis | undefined;
  /** When the user who sent a signal has waited long enough. */
  #overAtMs: Millis | undefined;
  #exitCode = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#forget = terminal.onStopSignal((signal) => this.#onSignal(signal));
  }

  /** Aborts when a stop is asked for. */
  get signal(): AbortSignal {
    return this.#asked.signal;
  }

  /** Exit code that the request asks for; 0 where no signal came. */
  get exitCode(): number {
    return this.#exitCode;
  }

  /** Asks for a stop as the first signal would, with exit code 0. */
  ask(): void {
    this.#askedAtMs ??= this.#terminal.clock.nowMs();
    this.#asked.abort();
  }

  /** Resolves when a stop is asked for. */
  async asked(): Promise<void> {
    if (this.signal.aborted) return;
    await new Promise<void>((resolve) =>
      this.signal.addEventListener("abort", () => resolve(), { once: true }),
    );
  }

  /** Runs `stop`, and ends the process where that takes longer than a user waits. */
  async within(stop: () => Promise<void>): Promise<void> {
    this.#heeded.abort();
    const stopped = new AbortController();
    const guard = this.#guard(stopped.signal);
    try {
      await stop();
    } finally {
      stopped.abort();
      await guard;
    }
  }

  /** Gives the signals back to the process. */
  dispose(): void {
    this.#heeded.abort();
    this.#forget();
  }

  /** Ends the process when a user has waited long enough, unless `over` aborts before. */
  async #guard(over: AbortSignal): Promise<void> {
    const { clock } = this.#terminal;
    const leftMs = this.#overAtMs === undefined ? stopMsMax : this.#overAtMs - clock.nowMs();
    await clock.sleep(Math.max(0, leftMs), over);
    if (!over.aborted) this.#terminal.exitNow(this.#exitCode === 0 ? 1 : this.#exitCode);
  }

  #onSignal(signal: StopSignal): void {
    const nowMs = this.#terminal.clock.nowMs();
    if (this.#askedAtMs === undefined) {
      this.#askedAtMs = nowMs;
      this.#overAtMs = nowMs + stopMsMax;
      this.#exitCode = exitCodeOf[signal];
      this.#terminal.endWith(this.#exitCode);
      this.#asked.abort();
      void this.#guard(this.#heeded.signal);
    } else if (nowMs - this.#askedAtMs >= sameRequestMs) {
      this.#terminal.exitNow(exitCodeOf[signal]);
    }
  }
}
