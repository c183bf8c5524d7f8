import { after } from "../../core/record/key-ranges.ts";
import { rangeOfUrl } from "../../core/record/url-keys.ts";
import type { Store, StoreEntry } from "../../ports/store.ts";

/** Rows of one URL that are in memory together, at most, and when they have so many bytes no more: one may have half a mebibyte. */
const rowsPerLook = 500;
const bytesPerLook = 1_024 * 1_024;

/** Rows of a URL, or its exclusions, in all jobs that know it by the same fingerprint: see {@link rangeOfUrl}. */
export async function* rowsOfUrl(
  store: Pick<Store, "range">,
  urlRowKey: Uint8Array,
): AsyncGenerator<StoreEntry, void, undefined> {
  const { gte, lt } = rangeOfUrl(urlRowKey);
  for (let from = gte; ;) {
    const rows = await store.range({ gte: from, lt }, rowsPerLook, bytesPerLook);
    yield* rows;
    const last = rows.at(-1);
    if (!last || !isCut(rows)) return;
    from = after(last.key);
  }
}

/** Whether there may be more rows than were read. */
function isCut(rows: readonly StoreEntry[]): boolean {
  const bytes = rows.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
  return rows.length >= rowsPerLook || bytes >= bytesPerLook;
}
