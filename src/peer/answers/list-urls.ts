import {
  decodeListKey,
  encodeListKey,
  firstListKey,
  keyBehind,
  listedTagOf,
  type ListedUrl,
} from "../../core/answers/list-key.ts";
import type { ListStretch } from "../../core/answers/merge-list.ts";
import { isListed, type UrlFilter, type UrlList } from "../../core/answers/url-list.ts";
import type { UrlStatus } from "../../core/answers/url-status.ts";
import { CrawlError } from "../../core/errors.ts";
import type { Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";

/** A part of a list is handed over when it has so many URLs ... */
const urlsMin = 500;

/** ... or has taken so long. */
const partMs: Millis = 1_000;

/** Parts of lists that are made for users at once: each reads some thousand rows, and who asks for more of them waits. */
export const listsMax = 4;

/**
 * A part of a list of URLs: their names by `scan`, and what is true of them by `status`.
 *
 * A URL that has moved on since its row was read is met again further on, as what it is by then. One of which nobody can
 * tell is not left out without a word.
 *
 * Errors: `CONFIG_INVALID` where `place`, the `next` of the part before, is none; `MEMBER_UNREACHABLE`.
 */
export async function listUrls(
  clock: Clock,
  ask: {
    readonly scan: (from: Uint8Array) => Promise<ListStretch>;
    readonly status: (urls: readonly string[]) => Promise<readonly UrlStatus[]>;
  },
  filter: UrlFilter,
  place: string | undefined,
): Promise<UrlList> {
  const urls: UrlStatus[] = [];
  const endAtMs = clock.nowMs() + partMs;
  let next: Uint8Array | undefined = keyNamed(place);
  do {
    const { urls: listed, reached } = await ask.scan(next);
    const statuses = listed.length > 0 ? await ask.status(listed.map(({ url }) => url)) : [];
    refuseUntold(statuses);
    for (const [at, status] of statuses.entries()) {
      if (isListed(status, filter) && isAsListed(status, listed[at])) urls.push(status);
    }
    const tag = listedTagOf(next);
    next = reached ?? (tag && keyBehind(tag));
  } while (next && urls.length < urlsMin && clock.nowMs() < endAtMs);
  return { urls, ...(next && { next: encodeListKey(next) }) };
}

function refuseUntold(statuses: readonly UrlStatus[]): void {
  const untold = statuses.filter(({ reason }) => reason === "owner-unreachable").length;
  if (untold === 0) return;
  const problem = `nobody who answers can tell of ${untold} URLs, and the list would lack them; ask again when all answer (peer members tells who does not)`;
  throw new CrawlError("MEMBER_UNREACHABLE", problem, { untold });
}

function keyNamed(place: string | undefined): Uint8Array {
  const key = place === undefined ? firstListKey : decodeListKey(place);
  if (key) return key;
  const problem = `${JSON.stringify(place)} is no place in a list; give the "next" of the part before as it is`;
  throw new CrawlError("CONFIG_INVALID", problem, {});
}

/** Whether a URL is still what the row says by which it was found. Each is so of one row alone. */
function isAsListed({ state, reason }: UrlStatus, listed: ListedUrl | undefined): boolean {
  const isQueued = state === "queued" || reason === "cancelled";
  switch (listed && listedTagOf(listed.key)) {
    case "exclusion":
      return state === "excluded" && !isQueued;
    case "queue":
      return isQueued;
    case "url":
      return state !== "unknown" && !isQueued;
    case undefined:
      return false;
  }
}
