import type { QueuedUrl } from "../../core/frontier/queued-row.ts";
import type { Millis } from "../../core/units.ts";
import type { Cancel, Clock } from "../../ports/clock.ts";
import type { Host } from "./host.ts";

/** They are in memory beside the heads of the queues, so they are few; a long one counts for several, as there. */
const urlsMax = 8_192;
const urlsPerHostMax = 256;

interface PutOff {
  readonly untilMs: Millis;
  readonly cancel: Cancel;
}

/**
 * Queued URLs that wait although their host is open, because their origin is out of reach. Other URLs of the host go before
 * them, even those that were found later.
 *
 * Invariant: the host's queue takes such a URL for a leased one, so that it is not handed out.
 */
export class PutOffUrls {
  readonly #clock: Clock;
  readonly #onBack: (host: Host) => void;
  readonly #timers = new Map<Host, Map<QueuedUrl, PutOff>>();
  #weight = 0;

  constructor(
    clock: Clock,
    events: { readonly signal: AbortSignal; readonly onBack: (host: Host) => void },
  ) {
    this.#clock = clock;
    this.#onBack = events.onBack;
    events.signal.addEventListener("abort", () => {
      for (const timers of this.#timers.values())
        for (const { cancel } of timers.values()) cancel();
      this.#timers.clear();
    });
  }

  /** Whether one more of the host's may be put off; else the host itself is to rest. */
  mayAdd(host: Host): boolean {
    return this.countOf(host) < urlsPerHostMax && this.#weight < urlsMax;
  }

  /** The host's that are put off now. */
  countOf(host: Host): number {
    return this.#timers.get(host)?.size ?? 0;
  }

  /** Whether nothing else of the host is queued. */
  areAllOf(host: Host): boolean {
    const count = this.countOf(host);
    return count > 0 && !host.isUnread && host.visit.queue.liveCount === count;
  }

  /** When the first of the host's comes back; never where none is put off. */
  backAtMs(host: Host): Millis {
    let backAtMs = Infinity;
    for (const { untilMs } of this.#timers.get(host)?.values() ?? []) {
      backAtMs = Math.min(backAtMs, untilMs);
    }
    return backAtMs;
  }

  /** Puts a leased URL off until then. */
  add(host: Host, url: QueuedUrl, untilMs: Millis): void {
    const timers = this.#timers.get(host) ?? new Map<QueuedUrl, PutOff>();
    this.#timers.set(host, timers);
    const cancel = this.#clock.call(untilMs - this.#clock.nowMs(), () => {
      timers.delete(url);
      if (timers.size === 0) this.#timers.delete(host);
      this.#weight -= url.weight;
      host.visit.queue.putBack(url);
      this.#onBack(host);
    });
    timers.set(url, { untilMs, cancel });
    this.#weight += url.weight;
  }

  /** Puts the host's back at once. */
  recall(host: Host): void {
    const timers = this.#timers.get(host) ?? [];
    this.#timers.delete(host);
    for (const [url, { cancel }] of timers) {
      cancel();
      this.#weight -= url.weight;
      host.visit.queue.putBack(url);
    }
  }
}
