import { invariant } from "../errors.ts";
import { hostHashAt, type HostAddress } from "./host-keys.ts";
import { copy, getCount, getUint32, putCount, putUint32, putUint64 } from "./key-bytes.ts";
import { successor } from "./key-ranges.ts";
import { newKey, newTerritorialKey, territorial, type Key } from "./key-tags.ts";
import { fingerprintAt } from "./url-keys.ts";

/** Where the parts of the key of a queue's row begin: behind the host's, all rows of one queue share the job's number. */
const spaceAt = 17;
const rankAt = 21;
const sequenceAt = 22;
/** 32 bits of the first URL's fingerprint, then 32 in which all have a part. */
const firstAt = 30;
const mixAt = 34;

/** Where the second 32 bits begin in a URL's key. */
const secondWordAt = fingerprintAt + mixAt - firstAt;

/**
 * Key of a row of a queue: lower `rank` (0 to 9) first, then lower `sequence`. Length 38.
 *
 * Each peer counts a sequence of its own, so the key ends with 32 bits of the first URL's fingerprint, and with 32 more in
 * which all of the row's URLs have a part, and how often they were asked for: rows that two peers have written of different
 * URLs never meet in one key, nor does one of a URL that was tried with one of a peer that has not heard of that.
 *
 * @param urlRowKeys of the row's URLs, one at least
 */
export function queueKey(
  host: HostAddress,
  space: number,
  rank: number,
  sequence: number,
  urlRowKeys: readonly Uint8Array[],
  attempts = 0,
): Key {
  const bytes = newTerritorialKey("queue", host.position);
  putUint64(bytes, hostHashAt, host.hostHash);
  putUint32(bytes, spaceAt, space);
  bytes[rankAt] = rank;
  putCount(bytes, sequenceAt, sequence);
  const [first] = urlRowKeys;
  invariant(first !== undefined, "a row of a queue has a URL");
  copy(first, fingerprintAt, secondWordAt, bytes, firstAt);
  let mix = attempts;
  for (const key of urlRowKeys) mix ^= getUint32(key, secondWordAt);
  putUint32(bytes, mixAt, mix >>> 0);
  return bytes;
}

/** All rows of a host's queue, or those of one job. */
export function queueRange(host: HostAddress, space?: number): { gte: Key; lt: Key } {
  const gte = newKey("queue", space === undefined ? spaceAt : rankAt);
  putUint64(gte, 1, host.position);
  putUint64(gte, hostHashAt, host.hostHash);
  if (space !== undefined) putUint32(gte, spaceAt, space);
  return { gte, lt: successor(gte) };
}

/** Number of the job inside the key of a queue's row. */
export function jobSpaceOfQueueKey(row: Uint8Array): number {
  return getUint32(row, spaceAt);
}

/** What all keys of the rows of one queue, of one host for one job, begin with. */
export function queueOfRow(row: Uint8Array): Uint8Array {
  return row.slice(0, rankAt);
}

/** The sequence inside the key of a queue's row: exact up to 2^53. */
export function sequenceOfQueueKey(row: Uint8Array): number {
  return getCount(row, sequenceAt);
}

/** Key of the `waiting` row of the host to whose queue the key of a row belongs. */
export function waitingKeyOf(queueRow: Uint8Array): Key {
  const bytes = newKey("waiting", territorial.waiting);
  bytes.set(queueRow.subarray(1, spaceAt), 1);
  return bytes;
}
