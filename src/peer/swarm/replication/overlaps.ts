import { UrlRecord } from "../../../core/record/record.pb.ts";
import type { MemberId } from "../../../core/units.ts";

/**
 * Which URLs that were fetched on both sides count when rows come in for an arc that is held here: all, or those whose
 * later fetch was the other one's. Two holders merge each other's rows, and each overlap shall count once.
 */
export type CountedOverlaps = "all" | "superseded";

/** Says at which of the members that know of both fetches of a URL the second one counts. */
export class Overlaps {
  readonly #self: MemberId;

  constructor(self: MemberId) {
    this.#self = self;
  }

  /**
   * Whether it counts here, where `known` and what came in are two fetches. Who does not hold the arc counts where its own
   * fetch gives way: it was taken for dead meanwhile, and those who hold the arc never see that fetch.
   *
   * @param held which ones count of an arc that is held here; false where it is not
   */
  counts(known: Uint8Array | undefined, changed: boolean, held: CountedOverlaps | false): boolean {
    if (held) return changed || held === "all";
    return changed && known !== undefined && UrlRecord.decode(known).capturedBy === this.#self;
  }
}
