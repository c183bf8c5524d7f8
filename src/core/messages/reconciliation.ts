import { compareKeys } from "../record/compare-keys.ts";
import { isTerritorialTag, tagOf, territorialTagOf } from "../record/key-tags.ts";
import { lastKeyOf } from "../record/key-ranges.ts";
import type { TerritorialTag } from "../record/key-tags.ts";
import { fingerprintBytes } from "../replication/known-rows.ts";
import type { RangeBucket, RangeDifference } from "../replication/range-digest.ts";
import type { ArcSet } from "../ring/arc-set.ts";
import type { Millis } from "../units.ts";
import * as wire from "./messages.pb.ts";
import { packRows, unpackRows } from "./packed-rows.ts";
import { decodeArcs, decodePayload, encodeArcs, isMoment } from "./read-payload.ts";
import { rowsMax } from "./rows.ts";
import type { Row } from "./rows.ts";

/** Buckets of one message, at most. */
export const bucketsMax = 65_536;

/**
 * Rows that they tell of together, at most, and so rows that are read to compare them: some four times what a member sends,
 * a second of one core.
 */
export const rowsComparedMax = 262_144;

/** A key of one tag and what may follow it in a range's end. */
const keyBytesMax = 64;

/** What one side has of a tag in these arcs, in buckets. */
export interface RangeDigests {
  readonly arcs: ArcSet;
  readonly tag: TerritorialTag;
  /** Keys up to this one, itself included, are left out; empty: none are. */
  readonly after: Uint8Array;
  readonly buckets: readonly RangeBucket[];
}

/** Asks for the rows of these arcs behind `after`, up to `last`, itself included. */
export interface PullRows {
  readonly arcs: ArcSet;
  readonly tag: TerritorialTag;
  /** Empty: from the tag's first key on. */
  readonly after: Uint8Array;
  readonly last: Uint8Array;
  readonly limit: number;
  /** Fingerprints of rows that the sender has, as {@link fingerprintsOf} makes them: those need not come. */
  readonly known: Uint8Array;
}

export interface PullRowsReply {
  /** The sender's clock, in which the rows' times are. */
  readonly nowMs: Millis;
  /** In the order of their keys. */
  readonly rows: readonly Required<Row>[];
  /** There are more behind the last one. */
  readonly more: boolean;
  /** Which of the known rows are here too, of those that are not behind the last one: see {@link isFound}. */
  readonly found: Uint8Array;
}

export function encodeRangeDigests(digests: RangeDigests): Uint8Array<ArrayBuffer> {
  const { arcs, tag, after, buckets } = digests;
  return wire.RangeDigests.encode({
    arcs: encodeArcs(arcs),
    tag: byteOf(tag),
    after,
    buckets: [...buckets],
  });
}

/** Buckets whose ends are of the tag and rise strictly from `after`, of no more rows than may be compared. */
export function decodeRangeDigests(payload: Uint8Array): RangeDigests | undefined {
  const limits = { buckets: bucketsMax };
  const message = decodePayload(payload, (bytes) => wire.RangeDigests.decode(bytes, { limits }));
  const arcs = message && decodeArcs(message.arcs);
  const tag = message && tagOfByte(message.tag);
  if (!arcs || !tag) return undefined;
  const { after, buckets } = message;
  if (after.length > 0 && !isPlaceIn(tag, after)) return undefined;
  let last = after;
  let rows = 0;
  const rise = buckets.every(({ lastKey, count }) => {
    const rises = isPlaceIn(tag, lastKey) && compareKeys(lastKey, last) > 0;
    last = lastKey;
    rows += count;
    return rises && rows <= rowsComparedMax;
  });
  return rise ? { arcs, tag, after, buckets } : undefined;
}

export function encodeRangeDigestsReply(
  differences: readonly RangeDifference[],
): Uint8Array<ArrayBuffer> {
  return wire.RangeDigestsReply.encode({ differences: [...differences] });
}

/** The reply to a message of `bucketCount` buckets: those that differ, in their order. */
export function decodeRangeDigestsReply(
  payload: Uint8Array,
  bucketCount: number,
): readonly RangeDifference[] | undefined {
  const limits = { differences: bucketCount };
  const reply = decodePayload(payload, (bytes) => wire.RangeDigestsReply.decode(bytes, { limits }));
  let last = -1;
  const rise = reply?.differences.every(({ index }) => {
    const rises = index > last && index < bucketCount;
    last = index;
    return rises;
  });
  return rise ? reply?.differences : undefined;
}

export function encodePullRows(asked: PullRows): Uint8Array<ArrayBuffer> {
  const { arcs, tag, ...rest } = asked;
  return wire.PullRows.encode({ arcs: encodeArcs(arcs), tag: byteOf(tag), ...rest });
}

/** A range within the tag, and a limit that one reply may hold. */
export function decodePullRows(payload: Uint8Array): PullRows | undefined {
  const message = decodePayload(payload, wire.PullRows.decode);
  const arcs = message && decodeArcs(message.arcs);
  const tag = message && tagOfByte(message.tag);
  if (!arcs || !tag) return undefined;
  const { after, last, limit, known } = message;
  const begins = after.length === 0 || isPlaceIn(tag, after);
  if (!begins || !isPlaceIn(tag, last) || compareKeys(after, last) > 0) return undefined;
  if (known.length % fingerprintBytes !== 0 || known.length > rowsMax * fingerprintBytes) {
    return undefined;
  }
  return limit >= 1 && limit <= rowsMax ? { arcs, tag, after, last, limit, known } : undefined;
}

export function encodePullRowsReply(reply: PullRowsReply): Uint8Array<ArrayBuffer> {
  return wire.PullRowsReply.encode({ ...reply, rows: packRows(reply.rows) });
}

/** The reply to `asked`: rows of its range alone, rising, no more than asked for. Whether they are of its arcs is not seen here. */
export function decodePullRowsReply(
  payload: Uint8Array,
  asked: PullRows,
): PullRowsReply | undefined {
  const reply = decodePayload(payload, wire.PullRowsReply.decode);
  if (!reply || !isMoment(reply.nowMs)) return undefined;
  const { nowMs, more, found } = reply;
  const rows = unpackRows(reply.rows, asked.limit);
  if (!rows || !areRowsOf(rows, asked)) return undefined;
  return more && rows.length === 0 ? undefined : { nowMs, rows, more, found };
}

/** Whether the rows have values, are of the tag, and rise within the range. */
function areRowsOf(
  rows: readonly Row[],
  { tag, after, last }: PullRows,
): rows is readonly Required<Row>[] {
  return rows.every(({ key, value }, index) => {
    const before = rows[index - 1]?.key ?? after;
    const isWithin = compareKeys(key, before) > 0 && compareKeys(key, last) <= 0;
    return value !== undefined && isWithin && territorialTagOf(key) === tag;
  });
}

/** The tag as it begins its keys. */
function byteOf(tag: TerritorialTag): number {
  return lastKeyOf(tag)[0] ?? 0;
}

function tagOfByte(byte: number): TerritorialTag | undefined {
  const tag = byte <= 0xff ? tagOf(Uint8Array.of(byte)) : undefined;
  return tag !== undefined && isTerritorialTag(tag) ? tag : undefined;
}

/** A key of the tag, or a place between two. */
function isPlaceIn(tag: TerritorialTag, key: Uint8Array): boolean {
  return key.length <= keyBytesMax && tagOf(key) === tag;
}
