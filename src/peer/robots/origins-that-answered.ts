import { tagRange } from "../../core/record/key-ranges.ts";
import { readRobots } from "../../core/replication/entry-lattices.ts";
import type { OriginName } from "../../core/units.ts";
import { canonicalizeUrl } from "../../core/url/canonicalize-url.ts";
import { hostOf, originOf, siteOfHost } from "../../core/url/site-of.ts";
import type { Store } from "../../ports/store.ts";

/** Rows that are read: each may have half a mebibyte. They come in the order of the ring, so that they are a sample of all. */
const rowsMax = 200;
const bytesMax = 2 * 1_024 * 1_024;

/** {@link originsOf} the sites that come first in the store. */
export async function originsThatAnswered(store: Pick<Store, "range">): Promise<OriginName[]> {
  return originsOf(await store.range(tagRange("robots"), rowsMax, bytesMax));
}

/**
 * Origins whose robots.txt was within reach when it was asked for last: one of each site, since those of one site may be one
 * server. What a member has sent as an origin, and is none, is left out.
 */
export function originsOf(rows: readonly { readonly value: Uint8Array }[]): OriginName[] {
  const answered = rows
    .flatMap(({ value }) => readRobots(value) ?? [])
    .filter(({ failuresInRow }) => failuresInRow === 0)
    .flatMap(({ origin }) => canonicalizeUrl(origin) ?? []);
  const bySite = new Map(answered.map((url) => [siteOfHost(hostOf(url)), originOf(url)]));
  return [...bySite.values()];
}
