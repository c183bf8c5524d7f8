import { compareKeys } from "../../../core/record/compare-keys.ts";
import { after, lastKeyOf, tagRange } from "../../../core/record/key-ranges.ts";
import type { TerritorialTag } from "../../../core/record/key-tags.ts";
import type { Row } from "../../../core/messages/rows.ts";
import type {
  PullRows,
  PullRowsReply,
  RangeDigests,
} from "../../../core/messages/reconciliation.ts";
import { KnownRows } from "../../../core/replication/known-rows.ts";
import { RangeComparison, RangeDigest } from "../../../core/replication/range-digest.ts";
import type { RangeDifference } from "../../../core/replication/range-digest.ts";
import type { ArcMap } from "../../../core/ring/arc-map.ts";
import { ArcSet } from "../../../core/ring/arc-set.ts";
import { circle, positionOfKey, type RingPosition } from "../../../core/ring/ring-position.ts";
import type { KeyRange, Store } from "../../../ports/store.ts";
import { scanArcs } from "./scan-arcs.ts";

/** Rows of one bucket: of so many a single difference costs the fingerprints. */
const rowsPerBucket = 256;

/**
 * Buckets of one message, some 50 bytes each. The answer takes the reading of their 16,000 rows: some 0.1 s of one core, and
 * 30 turns of the database, each of which waits for its turn of the event loop. So it comes in time also from a member that has
 * so much else to do that each takes a tenth of a second, as after a standstill, when everybody compares everything.
 */
const bucketsPerMessage = 62;

/** Rows that may be here and not on the other side, where a page is measured by what it tells of. */
const unexpectedRows = 8;

/** A chunk of rows is at its end when it has so many bytes: with one row more, of at most 2 MiB, a message holds it. */
const chunkBytes = 1_024 * 1_024;

const noKey: Uint8Array = new Uint8Array(0);

/** One message's worth of digests: of the rows behind `after`, up to the end of the last bucket, within some arcs. */
export type Section = RangeDigests;

/** Keys behind `after` up to `last`, within some arcs; an empty `after` is the tag's beginning. */
export interface Span {
  readonly tag: TerritorialTag;
  readonly arcs: ArcSet;
  readonly after: Uint8Array;
  readonly last: Uint8Array;
}

/**
 * Digests of the rows that are here, a message's worth at a time, whatever the sites are that they belong to: one site may
 * have more rows than one answer has time for.
 */
export async function* rangeSections(
  store: Pick<Store, "range">,
  tag: TerritorialTag,
  arcs: ArcSet,
  bucketsMax = bucketsPerMessage,
): AsyncGenerator<Section, void, undefined> {
  const cutter = new SectionCutter(tag, arcs, bucketsMax);
  for await (const row of scanArcs(store, tag, arcs)) {
    const section = cutter.add(row);
    if (section) yield section;
  }
  const rest = cutter.finish();
  if (rest) yield rest;
}

/**
 * The sections of several parts of the ring, from one reading of their rows: the arcs of many members lie between each
 * other's. A part without rows has none. An abort of the signal ends it where it is.
 */
export async function* sectionsOfParts<T extends { readonly arcs: ArcSet }>(
  store: Pick<Store, "range">,
  tag: TerritorialTag,
  parts: ArcMap<T>,
  signal: AbortSignal,
  bucketsMax = bucketsPerMessage,
): AsyncGenerator<{ readonly part: T; readonly section: Section }, void, undefined> {
  const cutters = new Map<T, SectionCutter>();
  for await (const row of scanArcs(
    store,
    tag,
    parts.arcsWhere(() => true),
  )) {
    if (signal.aborted) return;
    const part = parts.get(positionOfKey(row.key));
    if (!part) continue;
    const cutter = cutters.get(part) ?? new SectionCutter(tag, part.arcs, bucketsMax);
    cutters.set(part, cutter);
    const section = cutter.add(row);
    if (section) yield { part, section };
  }
  for (const [part, cutter] of cutters) {
    const section = cutter.finish();
    if (section) yield { part, section };
  }
}

/** Cuts the rows of some arcs, as they come in key order, into sections. */
class SectionCutter {
  readonly #tag: TerritorialTag;
  readonly #arcs: ArcSet;
  readonly #bucketsMax: number;
  #digest: RangeDigest;
  #from = 0 as RingPosition;
  #behind = noKey;

  constructor(tag: TerritorialTag, arcs: ArcSet, bucketsMax: number) {
    this.#tag = tag;
    this.#arcs = arcs;
    this.#bucketsMax = bucketsMax;
    this.#digest = new RangeDigest(tag, rowsPerBucket);
  }

  /** Takes the next row in; returns the section that is full with it. */
  add({ key, value }: Required<Row>): Section | undefined {
    this.#digest.add(key, value);
    if (this.#digest.size < this.#bucketsMax) return undefined;
    const position = positionOfKey(key);
    // What is left of the site of the last row is in the next section's arcs, too.
    const arcs = this.#arcsFrom(this.#from, (position + 1) as RingPosition);
    const section = { tag: this.#tag, arcs, after: this.#behind, buckets: this.#digest.full() };
    this.#digest = new RangeDigest(this.#tag, rowsPerBucket);
    this.#from = position;
    this.#behind = new Uint8Array(key);
    return section;
  }

  /** After the last row: the section that reaches the end of the arcs. */
  finish(): Section | undefined {
    const arcs = this.#arcsFrom(this.#from, circle);
    if (arcs.isEmpty) return undefined;
    return { tag: this.#tag, arcs, after: this.#behind, buckets: this.#digest.finish() };
  }

  #arcsFrom(from: RingPosition, to: RingPosition): ArcSet {
    return this.#arcs.intersect(ArcSet.of([{ from, to }]));
  }
}

/**
 * The buckets of another member's section in which the rows that are here differ. It reads at most about twice as many rows as
 * the other member has, however many more there are.
 */
export async function differencesFrom(
  store: Pick<Store, "range">,
  { tag, arcs, after: start, buckets }: Section,
): Promise<readonly RangeDifference[]> {
  const comparison = new RangeComparison(tag, buckets);
  const last = buckets.at(-1)?.lastKey ?? start;
  // A page for more rows than the other side tells of would hold little but what lies between the arcs.
  const pageRows = buckets.reduce((rows, { count }) => rows + count, unexpectedRows);
  let behind: Uint8Array | undefined = start;
  while (behind) {
    behind = await compare(store, { tag, arcs, after: behind, last }, comparison, pageRows);
  }
  return comparison.finish();
}

/**
 * Compares rows until many need not be read; returns the key behind which the others are. A bucket's worth is read over: where
 * every bucket has some, to begin anew behind each would take many times the turns of the database, and the answer of a
 * busy member would come too late.
 */
async function compare(
  store: Pick<Store, "range">,
  span: Span,
  comparison: RangeComparison,
  firstPageRows: number,
): Promise<Uint8Array | undefined> {
  let needless = 0;
  const rows = scanArcs(store, span.tag, span.arcs, keysOf(span), firstPageRows);
  for await (const { key, value } of rows) {
    needless = comparison.add(key, value) ? 0 : needless + 1;
    if (needless >= rowsPerBucket) return comparison.resumesBehind;
  }
  return undefined;
}

/** Neighbouring buckets that differ, as one. */
export interface DifferingSpan {
  readonly span: Span;
  /** Rows that the other side has in it, as the differences tell. */
  readonly count: number;
}

/**
 * What has to be exchanged for the differences of a section. Buckets that lie side by side become one span: each exchange
 * takes a few turns of messages and commits, and of a copy that is only beginning all buckets differ. Indexes of
 * buckets that the section does not have are passed over.
 */
export function differingSpans(
  { tag, arcs, after: start, buckets }: Section,
  differences: readonly RangeDifference[],
): DifferingSpan[] {
  const spans: DifferingSpan[] = [];
  for (const { index, count } of differences) {
    const last = buckets[index]?.lastKey;
    if (!last) continue;
    const behind = buckets[index - 1]?.lastKey ?? start;
    const open = spans.at(-1);
    if (open && compareKeys(open.span.last, behind) === 0) {
      spans.splice(-1, 1, { span: { ...open.span, last }, count: open.count + count });
    } else {
      spans.push({ span: { tag, arcs, after: behind, last }, count });
    }
  }
  return spans;
}

/** All keys of a tag within some arcs. */
export function wholeSpan(tag: TerritorialTag, arcs: ArcSet): Span {
  return { tag, arcs, after: noKey, last: lastKeyOf(tag) };
}

/** Rows of a span in the order of their keys. */
export interface Chunk {
  readonly rows: readonly Required<Row>[];
  /** It is full: more rows may come behind the last one. */
  readonly more: boolean;
}

/** The first rows of a span that are wanted, at most `limit` and as many as a message has room for. */
export async function readChunk(
  store: Pick<Store, "range">,
  span: Span,
  limit: number,
  isWanted: (row: Required<Row>) => boolean = () => true,
): Promise<Chunk> {
  const rows: Required<Row>[] = [];
  let bytes = 0;
  for await (const row of scanArcs(store, span.tag, span.arcs, keysOf(span), limit)) {
    if (!isWanted(row)) continue;
    const { key, value } = row;
    rows.push({ key: new Uint8Array(key), value: new Uint8Array(value) });
    bytes += key.length + value.length;
    if (rows.length >= limit || bytes >= chunkBytes) return { rows, more: true };
  }
  return { rows, more: false };
}

/** The rows of a span that another member has not got, and which of those that it knows are here too. */
export async function unknownRows(
  store: Pick<Store, "range">,
  { known, limit, ...span }: PullRows,
): Promise<Omit<PullRowsReply, "nowMs">> {
  const rows = new KnownRows(span.tag, known);
  const chunk = await readChunk(store, span, limit, (row) => !rows.find(row));
  return { ...chunk, found: rows.found };
}

/** All rows of a span, in chunks. */
export async function* readSpan(
  store: Pick<Store, "range">,
  span: Span,
  limit: number,
): AsyncGenerator<readonly Required<Row>[], void, undefined> {
  let { after: from } = span;
  for (;;) {
    const { rows, more } = await readChunk(store, { ...span, after: from }, limit);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (!more) return;
    from = last.key;
  }
}

function keysOf({ tag, after: behind, last }: Span): KeyRange {
  const gte = behind.length === 0 ? tagRange(tag).gte : after(behind);
  return { gte, lt: after(last) };
}
