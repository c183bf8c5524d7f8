import type { Millis } from "../core/units.ts";
import type { Clock } from "../ports/clock.ts";
import type { Frontier, Lease } from "./frontier.ts";
import type { Journal } from "./journal.ts";

export interface DispatcherOptions {
  /** Requests open at once, over all hosts. More hide the latency of slow servers and cost memory and sockets. @default 256 */
  readonly openRequestsMax: number;
  /** Visits under way, those included whose page is being parsed or committed. @default 512 */
  readonly visitsMax: number;
}

export const defaultDispatcherOptions: DispatcherOptions = Object.freeze({
  openRequestsMax: 256,
  visitsMax: 512,
});

/**
 * Sends out visits: as soon as a host is due and there is room for its answer.
 *
 * Back-pressure is here: while the journal or the parser cannot take more, nothing new is fetched.
 */
export class Dispatcher {
  readonly #clock: Clock;
  readonly #frontier: Frontier;
  readonly #journal: Journal;
  readonly #options: DispatcherOptions;
  readonly #visit: (lease: Lease) => Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  readonly #visits = new Set<Promise<void>>();
  #timer: { readonly dueAtMs: Millis; readonly cancel: AbortController } | undefined;
  #pumping = false;
  #waitingForJournal = false;
  #stopped = true;

  constructor(
    clock: Clock,
    parts: {
      readonly frontier: Frontier;
      readonly journal: Journal;
      readonly visit: (lease: Lease) => Promise<void>;
    },
    options: DispatcherOptions,
    onFailure: (error: unknown) => void,
  ) {
    this.#clock = clock;
    this.#frontier = parts.frontier;
    this.#journal = parts.journal;
    this.#visit = parts.visit;
    this.#options = options;
    this.#onFailure = onFailure;
  }

  start(): void {
    this.#stopped = false;
    this.wake();
  }

  /** No new visits from here on; those under way go on. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel.abort();
    this.#timer = undefined;
  }

  /** Resolves when no visit is under way. */
  async drained(): Promise<void> {
    while (this.#visits.size > 0) await Promise.allSettled(this.#visits);
  }

  /** A host may have become due, or a place free. */
  wake(): void {
    if (this.#pumping || this.#stopped) return;
    this.#pumping = true;
    try {
      while (this.#hasRoom()) {
        const lease = this.#frontier.take();
        if (!lease) {
          this.#arm();
          break;
        }
        this.#send(lease);
      }
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#pumping = false;
    }
  }

  #send(lease: Lease): void {
    const visit = this.#visit(lease)
      .catch(this.#onFailure)
      .finally(() => {
        this.#visits.delete(visit);
        this.wake();
      });
    this.#visits.add(visit);
  }

  #hasRoom(): boolean {
    if (this.#visits.size >= this.#options.visitsMax) return false;
    if (this.#frontier.openRequests >= this.#options.openRequestsMax) return false;
    if (!this.#journal.full) return true;
    this.#wakeAfterCommit();
    return false;
  }

  #wakeAfterCommit(): void {
    if (this.#waitingForJournal) return;
    this.#waitingForJournal = true;
    this.#journal.flushed().then(
      () => {
        this.#waitingForJournal = false;
        this.wake();
      },
      // The journal has reported the failure itself.
      () => undefined,
    );
  }

  #arm(): void {
    const dueAtMs = this.#frontier.nextDueAtMs();
    if (dueAtMs === undefined || (this.#timer && this.#timer.dueAtMs <= dueAtMs)) return;
    this.#timer?.cancel.abort();
    const timer = { dueAtMs, cancel: new AbortController() };
    this.#timer = timer;
    void this.#clock.sleep(dueAtMs - this.#clock.nowMs(), timer.cancel.signal).then(() => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      this.wake();
    });
  }
}
