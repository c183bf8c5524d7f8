import { getCount, putCount } from "./key-bytes.ts";
import { newKey, tags, type Key } from "./key-tags.ts";
import { urlKeyBytes } from "./url-keys.ts";

/** Where the URL's row stands in a lease's key, behind tag and run, and where the attempt does. */
const rowAt = 9;
const attemptAt = rowAt + urlKeyBytes;
const leaseKeyBytes = attemptAt + 1;

/** Key of a lease on a URL in the given run of the peer; `attempt` counts from 0. Length 39. */
export function leaseKey(run: number, urlRowKey: Uint8Array, attempt: number): Key {
  const bytes = newKey("lease", leaseKeyBytes);
  putCount(bytes, 1, run);
  bytes.set(urlRowKey, rowAt);
  bytes[attemptAt] = Math.min(attempt, 0xff);
  return bytes;
}

/** What a lease is on; nothing when the bytes are not a lease's. */
export function readLeaseKey(
  lease: Uint8Array,
): { run: number; urlRowKey: Uint8Array; attempt: number } | undefined {
  if (lease.length !== leaseKeyBytes || lease[0] !== tags.lease) return undefined;
  const run = getCount(lease, 1);
  return { run, urlRowKey: lease.slice(rowAt, attemptAt), attempt: lease[attemptAt] ?? 0 };
}
