import type { Millis } from "../../../core/units.ts";

export interface OwnershipOptions {
  /** Copies made at once. More bring a crowd of joining members in sooner and leave less for crawling. @default 8 */
  readonly syncsMax: number;
  /**
   * An arc without any trace of a holder is claimed after so long: time for its holder to be heard of. @default 1_000
   */
  readonly orphanGraceMs: Millis;
  /**
   * Time after which a complete copy is compared with what is here again, whatever may have gone wrong with it; what it
   * costs is reading all rows on both sides. @default 600_000
   */
  readonly antiEntropyIntervalMs: Millis;
  /** What should have come to this peer, and has not after so long, is inquired into. @default 3_000 */
  readonly inquiryAfterMs: Millis;
  /** Longest time between two looks at what there is to do; changes are looked at when they come. @default 1_000 */
  readonly lookIntervalMs: Millis;
}

export const defaultOwnershipOptions: OwnershipOptions = Object.freeze({
  syncsMax: 8,
  orphanGraceMs: 1_000,
  antiEntropyIntervalMs: 600_000,
  inquiryAfterMs: 3_000,
  lookIntervalMs: 1_000,
});
