import { compareKeys } from "../../../core/frontier/queued-url.ts";
import { after, rangeOfArc, tagRange } from "../../../core/record/keys.ts";
import type { TerritorialTag } from "../../../core/record/keys.ts";
import type { ArcSet } from "../../../core/ring/arc-set.ts";
import { positionOfKey } from "../../../core/ring/ring-position.ts";
import type { KeyRange, Store, StoreEntry } from "../../../ports/store.ts";

/** Rows of the first page behind a gap: to read over a narrow one costs less than to begin anew. */
const pageRowsMin = 32;

/** Where fewer of a page's rows are within the arcs, the next one is short: a turn of the database is worth some rows. */
const shareInsideMin = 0.25;

/** Rows of a page at most, and bytes of one after which the next is shorter. */
const pageRowsMax = 512;
const pageBytes = 256 * 1_024;

/**
 * The rows of a tag whose sites are within some arcs, in the order of their keys; what is written meanwhile may be among
 * them or not.
 *
 * The work follows the rows and not the arcs: a member has thousands of arcs with most other members, and most of them
 * are empty until a crawl is large. A page is read wherever the next row may be, rows between arcs are left out, and the
 * next page begins at the next arc that ends behind the last row.
 *
 * @param firstPageRows who knows that many rows will be there saves turns of the database; later pages grow by themselves
 */
export async function* scanArcs(
  store: Pick<Store, "range">,
  tag: TerritorialTag,
  arcs: ArcSet,
  within: KeyRange = tagRange(tag),
  firstPageRows = pageRowsMin,
): AsyncGenerator<StoreEntry, void, undefined> {
  const list = [...arcs.arcs()];
  let at = 0;
  let { gte } = within;
  let limit = Math.min(firstPageRows, pageRowsMax);
  for (let arc = list[0]; arc; arc = list[at]) {
    const start = rangeOfArc(tag, arc).gte;
    if (compareKeys(start, gte) > 0) gte = start;
    if (compareKeys(gte, within.lt) >= 0) return;
    const rows = await store.range({ gte, lt: within.lt }, limit);
    let bytes = 0;
    let inside = 0;
    for (const row of rows) {
      const position = positionOfKey(row.key);
      while ((list[at]?.to ?? Infinity) <= position) at += 1;
      const here = list[at];
      if (!here) return;
      bytes += row.value.length;
      if (position < here.from) continue;
      inside += 1;
      yield row;
    }
    const last = rows.at(-1);
    if (!last || rows.length < limit) return;
    gte = after(last.key);
    limit = nextLimit(limit, inside / rows.length, bytes);
  }
}

function nextLimit(limit: number, shareInside: number, bytes: number): number {
  if (bytes > pageBytes) return Math.max(1, limit >> 2);
  return shareInside >= shareInsideMin
    ? Math.min(limit * 2, pageRowsMax)
    : Math.min(limit, pageRowsMin);
}
