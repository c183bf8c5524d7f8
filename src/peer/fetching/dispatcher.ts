import type { Millis } from "../../core/units.ts";
import type { Cancel, Clock } from "../../ports/clock.ts";
import type { ProcessLoad } from "../../ports/process-load.ts";
import type { Frontier } from "../frontier/frontier.ts";
import type { Journal } from "../durability/journal.ts";
import type { Lease } from "../frontier/lease.ts";
import { lookMs, RequestWindow } from "./request-window.ts";

export interface DispatcherOptions {
  /**
   * Requests open at once, over all hosts, at most. More hide the latency of slow servers and cost memory and sockets.
   * @default 256
   */
  readonly openRequestsMax: number;
  /**
   * Answers that wait for each place of the parser, at which no more requests are opened. More keep the parser busy
   * through a pause of the network, and are more to be fetched again after a crash. @default 4
   */
  readonly answersPerParserPlace: number;
}

export const defaultDispatcherOptions: DispatcherOptions = Object.freeze({
  openRequestsMax: 256,
  answersPerParserPlace: 4,
});

/** What gives out the next visit. */
type QueueOfHosts = Pick<Frontier, "nextDueAtMs" | "openRequests" | "take">;

/** What a visit's end waits in. */
type CommitQueue = Pick<Journal, "flushed" | "full">;

/**
 * Sends out visits: as soon as a host is due and there is room for its answer.
 *
 * Back-pressure is here: the more answers wait to be parsed and admitted, the fewer requests may be open, down to none;
 * so servers that answer faster than pages are parsed do not fill the memory, and a crash finds little in flight.
 */
export class Dispatcher {
  readonly #clock: Clock;
  readonly #frontier: QueueOfHosts;
  readonly #journal: CommitQueue;
  readonly #window: RequestWindow;
  readonly #answersMax: number;
  readonly #visit: (lease: Lease) => Promise<void>;
  readonly #isHeldBack: () => boolean;
  readonly #onRest: () => void;
  readonly #onFailure: (error: unknown) => void;
  readonly #visits = new Set<Promise<void>>();
  #timer: { readonly dueAtMs: Millis; readonly cancel: Cancel } | undefined;
  #cancelLook: Cancel | undefined;
  #pumping = false;
  #waitingForJournal = false;
  #stopped = true;

  constructor(
    clock: Clock,
    parts: {
      readonly frontier: QueueOfHosts;
      readonly journal: CommitQueue;
      readonly visit: (lease: Lease) => Promise<void>;
      /** True while as much waits for other members as may wait. */
      readonly isHeldBack: () => boolean;
      /** Called when no visit is under way any more. */
      readonly onRest: () => void;
      /** Pages that the parser takes at once. */
      readonly parserPlaces: number;
      readonly load?: ProcessLoad;
    },
    options: DispatcherOptions,
    onFailure: (error: unknown) => void,
  ) {
    this.#clock = clock;
    this.#frontier = parts.frontier;
    this.#journal = parts.journal;
    this.#visit = parts.visit;
    this.#isHeldBack = parts.isHeldBack;
    this.#onRest = parts.onRest;
    this.#window = new RequestWindow(options.openRequestsMax, parts.load);
    this.#answersMax = options.answersPerParserPlace * parts.parserPlaces;
    this.#onFailure = onFailure;
  }

  /** Requests that may be open now. */
  get openRequestsMax(): number {
    return Math.floor(this.#window.size);
  }

  start(): void {
    this.#stopped = false;
    this.wake();
  }

  /** No new visits from here on; those under way go on. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#cancelLook?.();
    this.#cancelLook = undefined;
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
        this.#window.ended(this.#clock.nowMs());
        this.wake();
        if (this.#visits.size === 0) this.#onRest();
      });
    this.#visits.add(visit);
  }

  #hasRoom(): boolean {
    const open = this.#frontier.openRequests;
    const freeShare = 1 - (this.#visits.size - open) / this.#answersMax;
    if (open >= this.#window.size * freeShare) {
      if (this.#window.isCut) this.#lookLater();
      return false;
    }
    if (this.#isHeldBack()) return false;
    if (!this.#journal.full) return true;
    this.#wakeAfterCommit();
    return false;
  }

  /** Where slow servers hold all places, no visit ends by which it would be seen that the process keeps up again. */
  #lookLater(): void {
    this.#cancelLook ??= this.#clock.call(lookMs, () => {
      this.#cancelLook = undefined;
      this.#window.look(this.#clock.nowMs());
      this.wake();
    });
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
    this.#timer?.cancel();
    const cancel = this.#clock.call(dueAtMs - this.#clock.nowMs(), () => {
      this.#timer = undefined;
      this.wake();
    });
    this.#timer = { dueAtMs, cancel };
  }
}
