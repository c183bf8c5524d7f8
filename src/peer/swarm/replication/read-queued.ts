import { compareKeys } from "../../../core/record/compare-keys.ts";
import { hostAddress, hostKey, waitingKeyOf } from "../../../core/record/keys.ts";
import { QueueEntry } from "../../../core/record/queue-entry.ts";
import { canonicalizeUrl } from "../../../core/url/canonicalize-url.ts";
import type { CanonicalUrl } from "../../../core/units.ts";
import { hostOf, siteOfHost } from "../../../core/url/site-of.ts";

/** A queue entry that another member has written; nothing where it is none, or stands in a queue where nobody would find it. */
export function readQueued(key: Uint8Array, value: Uint8Array): QueueEntry | undefined {
  const entry = readQueueEntry(value);
  return entry && isOfItsHost(key, entry) ? entry : undefined;
}

/** Whether the entry stands in the queue of its URL's host. */
function isOfItsHost(key: Uint8Array, { url }: QueueEntry): boolean {
  const host = hostOf(url as CanonicalUrl);
  const waiting = hostKey("waiting", hostAddress(siteOfHost(host), host));
  return compareKeys(waitingKeyOf(key), waiting) === 0;
}

function readQueueEntry(value: Uint8Array): QueueEntry | undefined {
  try {
    const entry = QueueEntry.decode(value);
    return canonicalizeUrl(entry.url) === entry.url ? entry : undefined;
  } catch {
    // Not a queue entry: whatever sent it, it changes nothing here.
    return undefined;
  }
}
