import { compareKeys } from "../record/compare-keys.ts";
import { territorialTags } from "../record/key-tags.ts";
import type { Millis } from "../units.ts";
import { outboxLattice, robotsLattice, waitingLattice } from "./entry-lattices.ts";
import { HostRecord } from "../record/record.pb.ts";
import { followHost, heedHost, hostLattice, readHost } from "./host-lattice.ts";
import type { RowLattice } from "./row-lattice.ts";
import { shiftHost } from "./shift-row.ts";
import { areTwoFetches, exclusionLattice, urlLattice } from "./url-lattice.ts";

/** Tags whose rows are merged: all but the queue's (see {@link readBundle}). */
export const mergedTags = Object.freeze(territorialTags.filter((tag) => tag !== "queue"));

export type MergedTag = (typeof mergedTags)[number];

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
 * `behindMs` is by how much the clock of `incoming` is behind this peer's: clocks differ, so a gate travels as what remains
 * of it. It is the receiver's time of arrival minus the sender's time of sending; the time on the way makes gates later,
 * never earlier. When something happened (a fetch, a discovery) is a fact and stays.
 *
 * That a URL's row and its exclusion exclude one another is the caller's business, as they have two keys.
 */
export function mergeRow(
  tag: MergedTag,
  current: Uint8Array | undefined,
  incoming: Uint8Array,
  behindMs: Millis = 0,
): MergedRow | undefined {
  switch (tag) {
    case "url":
      return mergeBy(urlLattice, current, incoming, behindMs, areTwoFetches);
    case "exclusion":
      return mergeBy(exclusionLattice, current, incoming, behindMs);
    case "host":
      return mergeBy(hostLattice, current, incoming, behindMs);
    case "waiting":
      return mergeBy(waitingLattice, current, incoming, behindMs);
    case "robots":
      return mergeBy(robotsLattice, current, incoming, behindMs);
    case "outbox":
      return mergeBy(outboxLattice, current, incoming, behindMs);
  }
}

/**
 * What a copy is of a row when a member that holds it, or held it a moment ago, sends `incoming`: as {@link mergeRow}
 * tells, but that the holder's word on a host stands (see {@link followHost}).
 */
export function followRow(
  tag: MergedTag,
  current: Uint8Array | undefined,
  incoming: Uint8Array,
  behindMs: Millis = 0,
): MergedRow | undefined {
  if (tag !== "host") return mergeRow(tag, current, incoming, behindMs);
  return mergeBy(followedHostLattice, current, incoming, behindMs);
}

/** The row of a host that is held here, and at `incoming`'s sender too, where that is news (see {@link heedHost}). */
export function heedHostRow(
  current: Uint8Array | undefined,
  incoming: Uint8Array,
  behindMs: Millis,
): { readonly value: Uint8Array; readonly record: HostRecord } | undefined {
  const known = current && readHost(current);
  const heard = readHost(incoming);
  if (heard === undefined) return undefined;
  const shifted = shiftHost(heard, behindMs);
  const record = known ? heedHost(known, shifted) : shifted;
  return record && { value: HostRecord.encode(record), record };
}

const followedHostLattice = { ...hostLattice, join: followHost };

function mergeBy<T>(
  lattice: RowLattice<T>,
  current: Uint8Array | undefined,
  incoming: Uint8Array,
  behindMs: Millis,
  overlaps: (one: T, other: T) => boolean = () => false,
): MergedRow | undefined {
  const heard = lattice.read(incoming);
  if (heard === undefined) return undefined;
  const shift = behindMs === 0 ? undefined : lattice.shift;
  // Most of what is heard twice is the same.
  if (current && !shift && compareKeys(current, incoming) === 0) {
    return { value: current, changed: false, overlap: false };
  }
  const row = shift ? shift(heard, behindMs) : heard;
  const known = current && lattice.read(current);
  if (current === undefined || known === undefined) {
    return { value: lattice.write(row), changed: true, overlap: false };
  }
  const value = lattice.write(lattice.join(known, row));
  const changed = compareKeys(value, current) !== 0;
  return { value: changed ? value : current, changed, overlap: overlaps(known, row) };
}
