import { after, lastKeyOf, tagRange } from "../../core/record/keys.ts";
import type { TerritorialTag } from "../../core/record/keys.ts";
import type { Row } from "../../core/messages/rows.ts";
import { RangeDigest } from "../../core/replication/range-digest.ts";
import type { RangeBucket } from "../../core/replication/range-digest.ts";
import { ArcSet } from "../../core/ring/arc-set.ts";
import { circle, positionOfKey, type RingPosition } from "../../core/ring/ring-position.ts";
import type { Store } from "../../ports/store.ts";
import { scanArcs } from "./scan-arcs.ts";

/** Rows of one bucket: what a single difference costs. */
const rowsPerBucket = 256;

/** Buckets of one message, some 50 bytes each, unless one site alone has more. */
const bucketsPerMessage = 1_000;

/** A chunk of rows is at its end when it has so many bytes: with one row more, of at most 2 MiB, a message holds it. */
const chunkBytes = 1_024 * 1_024;

const noKey = new Uint8Array(0);

/** One message's worth of digests. */
export interface Section {
  readonly tag: TerritorialTag;
  readonly arcs: ArcSet;
  readonly buckets: readonly RangeBucket[];
}

/** Keys behind `after` up to `last`, within some arcs; an empty `after` is the tag's beginning. */
export interface Span {
  readonly tag: TerritorialTag;
  readonly arcs: ArcSet;
  readonly after: Uint8Array;
  readonly last: Uint8Array;
}

/** Digests of the rows that are here, a message's worth at a time; the rows of one site stay together. */
export async function* rangeSections(
  store: Pick<Store, "range">,
  tag: TerritorialTag,
  arcs: ArcSet,
): AsyncGenerator<Section, void, undefined> {
  let digest = new RangeDigest(tag, rowsPerBucket);
  let from = 0 as RingPosition;
  let last = from;
  for await (const { key, value } of scanArcs(store, tag, arcs)) {
    const position = positionOfKey(key);
    if (digest.size >= bucketsPerMessage && position > last) {
      const part = arcs.intersect(ArcSet.of([{ from, to: position }]));
      yield { tag, arcs: part, buckets: digest.finish() };
      digest = new RangeDigest(tag, rowsPerBucket);
      from = position;
    }
    last = position;
    digest.add(key, value);
  }
  const rest = arcs.intersect(ArcSet.of([{ from, to: circle }]));
  if (!rest.isEmpty) yield { tag, arcs: rest, buckets: digest.finish() };
}

/** The keys of one bucket; nothing where there is no such bucket. */
export function spanOf({ tag, arcs, buckets }: Section, index: number): Span | undefined {
  const last = buckets[index]?.lastKey;
  return last && { tag, arcs, after: buckets[index - 1]?.lastKey ?? noKey, last };
}

/** All keys of a tag within some arcs. */
export function wholeSpan(tag: TerritorialTag, arcs: ArcSet): Span {
  return { tag, arcs, after: noKey, last: lastKeyOf(tag) };
}

/** The rows of a span in the order of their keys, in chunks of at most `limit` rows that a message has room for. */
export async function* readSpan(
  store: Pick<Store, "range">,
  { tag, arcs, after: behind, last }: Span,
  limit: number,
): AsyncGenerator<Required<Row>[], void, undefined> {
  let rows: Required<Row>[] = [];
  let bytes = 0;
  const gte = behind.length === 0 ? tagRange(tag).gte : after(behind);
  for await (const { key, value } of scanArcs(store, tag, arcs, { gte, lt: after(last) })) {
    rows.push({ key: new Uint8Array(key), value: new Uint8Array(value) });
    bytes += key.length + value.length;
    if (rows.length < limit && bytes < chunkBytes) continue;
    yield rows;
    rows = [];
    bytes = 0;
  }
  if (rows.length > 0) yield rows;
}

/** Whether more rows may come behind a chunk of {@link readSpan}. */
export function isFullChunk(rows: readonly Required<Row>[], limit: number): boolean {
  if (rows.length >= limit) return true;
  return rows.reduce((sum, { key, value }) => sum + key.length + value.length, 0) >= chunkBytes;
}
