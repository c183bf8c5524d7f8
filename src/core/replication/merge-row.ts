import { compareKeys } from "../frontier/queued-url.ts";
import type { TerritorialTag } from "../record/keys.ts";
import { outboxLattice, queueLattice, robotsLattice, waitingLattice } from "./entry-lattices.ts";
import { followHost, hostLattice } from "./host-lattice.ts";
import type { RowLattice } from "./row-lattice.ts";
import { areTwoFetches, exclusionLattice, urlLattice } from "./url-lattice.ts";

export interface MergedRow {
  readonly value: Uint8Array;
  /** The value is not the one that was there. */
  readonly changed: boolean;
  /** Both sides had fetched the URL, each for itself: to be counted. */
  readonly overlap: boolean;
}

/**
 * What is known of a key when `incoming` has been heard of as well; nothing when `incoming` is no row of this tag, and
 * so changes nothing. A `current` that is none counts as absent.
 *
 * Invariant: commutative, associative and idempotent in the merged values, for each tag. So replication, backfill,
 * re-delivery and healing may come in any order and as often as they like (Shapiro et al. 2011, "Conflict-Free Replicated
 * Data Types", section 2.3: state-based objects).
 *
 * The times in `incoming` are those of this peer's clock: see `shiftRow`. That a URL's row and its exclusion exclude one
 * another is the caller's business, as they have two keys.
 */
export function mergeRow(
  tag: TerritorialTag,
  current: Uint8Array | undefined,
  incoming: Uint8Array,
): MergedRow | undefined {
  switch (tag) {
    case "url":
      return mergeBy(urlLattice, current, incoming, areTwoFetches);
    case "exclusion":
      return mergeBy(exclusionLattice, current, incoming);
    case "queue":
      return mergeBy(queueLattice, current, incoming);
    case "host":
      return mergeBy(hostLattice, current, incoming);
    case "waiting":
      return mergeBy(waitingLattice, current, incoming);
    case "robots":
      return mergeBy(robotsLattice, current, incoming);
    case "outbox":
      return mergeBy(outboxLattice, current, incoming);
  }
}

/**
 * What a copy is of a row when a member that holds it, or held it a moment ago, sends `incoming`: as {@link mergeRow}
 * tells, but that the holder's word on a host stands (see {@link followHost}).
 */
export function followRow(
  tag: TerritorialTag,
  current: Uint8Array | undefined,
  incoming: Uint8Array,
): MergedRow | undefined {
  if (tag !== "host") return mergeRow(tag, current, incoming);
  return mergeBy({ ...hostLattice, join: followHost }, current, incoming);
}

function mergeBy<T>(
  lattice: RowLattice<T>,
  current: Uint8Array | undefined,
  incoming: Uint8Array,
  overlaps: (one: T, other: T) => boolean = () => false,
): MergedRow | undefined {
  const row = lattice.read(incoming);
  if (row === undefined) return undefined;
  // Most of what is heard twice is the same.
  if (current && compareKeys(current, incoming) === 0) {
    return { value: current, changed: false, overlap: false };
  }
  const known = current && lattice.read(current);
  if (current === undefined || known === undefined) {
    return { value: lattice.write(row), changed: true, overlap: false };
  }
  const value = lattice.write(lattice.join(known, row));
  const changed = compareKeys(value, current) !== 0;
  return { value: changed ? value : current, changed, overlap: overlaps(known, row) };
}
