import { RecentMap } from "../../../core/recent-map.ts";
import type { Millis } from "../../../core/units.ts";
import type { ArchivedResponse } from "../../../ports/archive.ts";
import type { Cancel, Clock } from "../../../ports/clock.ts";

/** Bodies kept together; a longer one is kept alone. */
const keptBytesMax = 64 * 1_024 * 1_024;

/** Whoever reads on asks for the next part sooner: it gives up on one that takes longer. */
const keptMs: Millis = 10_000;

/**
 * Responses that members read part after part: to unpack a record for each part anew takes time that grows with the square of
 * its length, and a long one holds up all else that the peer does.
 */
export class UnpackedResponses {
  readonly #clock: Pick<Clock, "call" | "nowMs">;
  readonly #signal: AbortSignal;
  #kept = newMap();
  #cancel: Cancel | undefined;

  /** @param signal aborts when the peer ends */
  constructor(clock: Pick<Clock, "call" | "nowMs">, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#clear(), { once: true });
  }

  get(key: string): ArchivedResponse | undefined {
    return this.#kept.get(key, this.#clock.nowMs());
  }

  /** Keeps a response until it is dropped, others need its room, or nobody has asked for any part for a while. */
  keep(key: string, response: ArchivedResponse): void {
    if (this.#signal.aborted) return;
    this.#kept.set(key, response, this.#clock.nowMs());
    this.#cancel?.();
    this.#cancel = this.#clock.call(keptMs, () => this.#clear());
  }

  drop(key: string): void {
    this.#kept.delete(key);
    if (this.#kept.size === 0) this.#clear();
  }

  #clear(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#kept = newMap();
  }
}

function newMap(): RecentMap<string, ArchivedResponse> {
  return new RecentMap({
    costMax: keptBytesMax,
    costOf: ({ body }) => body.length,
    idleMsMax: keptMs,
  });
}
