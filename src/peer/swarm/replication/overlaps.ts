import { forgetOldest } from "../../../core/forget-oldest.ts";
import { hash64 } from "../../../core/hash/hash64.ts";
import { UrlRecord } from "../../../core/record/record.pb.ts";
import type { MemberId } from "../../../core/units.ts";

/**
 * Which URLs that were fetched on both sides count when rows come in for an arc that is held here: all, or those whose
 * later fetch was the other one's. Two holders merge each other's rows, and each overlap shall count once.
 */
export type CountedOverlaps = "all" | "superseded";

/** Fetches that are remembered as counted; some 50 bytes each. */
const countedMax = 65_536;

/**
 * Says at which of the members that know of both fetches of a URL the second one counts.
 *
 * A fetch that gives way leaves no trace in the row, and whoever has it on its disk brings it again: when no answer came, and
 * each time it is started.
 *
 * Invariant: of the latest `countedMax` of those each counts once in a run.
 */
export class Overlaps {
  readonly #self: MemberId;
  readonly #counted = new Set<bigint>();

  constructor(self: MemberId) {
    this.#self = self;
  }

  /**
   * Whether it counts here, where `known` and what came in are two fetches. Who does not hold the arc counts where its own
   * fetch gives way: it was taken for dead meanwhile, and those who hold the arc never see that fetch.
   *
   * @param incoming the fetch that came in, and the id of its row
   * @param held which ones count of an arc that is held here; false where it is not
   */
  counts(
    known: Uint8Array | undefined,
    incoming: { readonly id: string; readonly value: Uint8Array; readonly changed: boolean },
    held: CountedOverlaps | false,
  ): boolean {
    const { changed, id, value } = incoming;
    if (held) return (changed || held === "all") && this.#isFirst(id, changed ? known : value);
    if (!changed || known === undefined) return false;
    return UrlRecord.decode(known).capturedBy === this.#self;
  }

  #isFirst(id: string, gaveWay: Uint8Array | undefined): boolean {
    if (gaveWay === undefined) return true;
    const { fetchedAtMs, capturedBy } = UrlRecord.decode(gaveWay);
    const fetch = hash64(`${id} ${fetchedAtMs} ${capturedBy}`);
    if (this.#counted.has(fetch)) return false;
    this.#counted.add(fetch);
    forgetOldest(this.#counted, countedMax);
    return true;
  }
}
