import { compareKeys } from "../../../core/record/compare-keys.ts";
import { after, rangeOfArc, tagRange } from "../../../core/record/key-ranges.ts";
import type { TerritorialTag } from "../../../core/record/key-tags.ts";
import type { ArcSet } from "../../../core/ring/arc-set.ts";
import { positionOfKey, type RingPosition } from "../../../core/ring/ring-position.ts";
import type { KeyRange, Store, StoreEntry } from "../../../ports/store.ts";

/** Rows of a page that may meet a site outside the arcs, only to find out where to go on. */
const pageRowsMin = 8;

/** To read over a site outside the arcs with more rows costs more than to begin anew behind it. */
const strangerRowsMax = 100;

/** Rows of a page at most, and bytes with which it is at its end: a row may have half a mebibyte. */
const pageRowsMax = 512;
const pageBytesMax = 512 * 1_024;

/**
 * The rows of a tag whose sites are within some arcs, in the order of their keys; what is written meanwhile may be among
 * them or not.
 *
 * The work follows the rows and not the arcs: a member has thousands of arcs with most other members, and most of them
 * are empty until a crawl is large. A page is read wherever the next row may be, rows between arcs are left out, and the
 * next page begins at the next arc that ends behind the last row. A site outside the arcs costs a turn of the database where
 * it is passed over, and its rows where it is read over: pages grow until they meet a large one.
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
    const rows = await store.range({ gte, lt: within.lt }, limit, pageBytesMax);
    const page = { limit, rows: rows.length, outside: 0, sitesOutside: 0 };
    let bytes = 0;
    let stranger: RingPosition | undefined;
    for (const row of rows) {
      const position = positionOfKey(row.key);
      while ((list[at]?.to ?? Infinity) <= position) at += 1;
      const here = list[at];
      if (!here) return;
      bytes += row.key.length + row.value.length;
      if (position >= here.from) {
        yield row;
        continue;
      }
      page.outside += 1;
      if (position !== stranger) page.sitesOutside += 1;
      stranger = position;
    }
    const last = rows.at(-1);
    if (!last || (rows.length < limit && bytes < pageBytesMax)) return;
    gte = after(last.key);
    limit = nextLimit(page);
  }
}

interface Page {
  readonly limit: number;
  readonly rows: number;
  /** Rows outside the arcs, and of how many sites they are. */
  readonly outside: number;
  readonly sitesOutside: number;
}

function nextLimit({ limit, rows, outside, sitesOutside }: Page): number {
  const isInStranger = outside === rows && sitesOutside === 1;
  const hasLarge = isInStranger || outside > strangerRowsMax * sitesOutside;
  return hasLarge ? Math.min(limit, pageRowsMin) : Math.min(limit * 2, pageRowsMax);
}
