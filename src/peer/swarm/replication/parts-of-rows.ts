import type { Row } from "../../../core/messages/rows.ts";
import { territorialTagOf } from "../../../core/record/key-tags.ts";
import { readBundle } from "../../../core/replication/entry-lattices.ts";
import { positionOfKey } from "../../../core/ring/ring-position.ts";
import type { Territory } from "../ownership/territory.ts";

/** Rows of queues that are merged at once: each may have 32 URLs, and the records of all are looked up. */
export const queueRowsMax = 128;

/** Rows that are merged at once: as many as a member sends at once that are to arrive together. */
export const togetherMax = 4_000;

/**
 * The rows of a message, in parts to be merged one after the other: a message of three megabytes may have queues with 640,000
 * URLs, and all at once they would hold up everything else for a quarter of a minute, and take two gigabytes.
 *
 * Where it has many rows for queues that are held here, these come first: a page that is done has its links queued. Those out of
 * which something was taken come last: behind the record of what left the queue, as a member sends them that go in parts. Either
 * process may end in between.
 */
export function partsOfRows(
  rows: readonly Row[],
  territory: Pick<Territory, "holds">,
): readonly (readonly Row[])[] {
  const isHeavy = ({ key, value }: Row): boolean =>
    value !== undefined && territorialTagOf(key) === "queue" && territory.holds(positionOfKey(key));
  const heavy = rows.filter(isHeavy);
  if (heavy.length <= queueRowsMax) return slicesOf(rows, togetherMax);
  const light = rows.filter((row) => !isHeavy(row));
  const whole = heavy.filter((row) => !isBegun(row));
  const begun = heavy.filter(isBegun);
  return [
    ...slicesOf(whole, queueRowsMax),
    ...slicesOf(light, togetherMax),
    ...slicesOf(begun, queueRowsMax),
  ];
}

/** Whether some URLs of a queue's row have left the queue. */
function isBegun({ value }: Row): boolean {
  const bundle = value && readBundle(value);
  return bundle !== undefined && bundle.taken !== 0;
}

function slicesOf(rows: readonly Row[], max: number): (readonly Row[])[] {
  const count = Math.ceil(rows.length / max);
  return Array.from({ length: count }, (_, at) => rows.slice(at * max, (at + 1) * max));
}
