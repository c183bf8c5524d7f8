import { hash64 } from "../hash/hash64.ts";
import { invariant } from "../errors.ts";
import { circle, keyPrefixOf } from "../ring/ring-position.ts";
import type { Arc } from "../ring/ring-position.ts";
import { copy, getCount, getUint32, putCount, putUint32, putUint64 } from "./key-bytes.ts";
import type { HostName, JobId, OriginName, SiteName } from "../units.ts";

/**
 * First byte of every database key. The table only grows: a tag is never given a second meaning.
 *
 * A key that belongs to a site goes on with the site's 8-byte ring position, so that an arc of the ring is a key range
 * within each tag.
 */
const tags = {
  /** `m` name: schema version, archive mark. */
  meta: 0x6d,
  /** `j` job id: JobDefinition as JSON. */
  job: 0x6a,
  /** `c` job id: JobCounts as JSON. */
  counts: 0x63,
  /** `p` job id, space, member: pages of the job that the member has told of, in decimal digits. */
  pagesHeard: 0x70,
  /** `t` member: totals of a member that is gone, as JSON. */
  pastTotals: 0x74,
  /** `u` site fingerprint job: UrlRecord. */
  url: 0x75,
  /** `x` site fingerprint job: ExclusionRecord. */
  exclusion: 0x78,
  /** `q` site host job rank sequence, of the fingerprints: QueueBundle. */
  queue: 0x71,
  /** `o` site of the page, fingerprint and job of the URL found on it: OutboxEntry. */
  outbox: 0x6f,
  /** `h` site host: HostRecord. */
  host: 0x68,
  /** `w` site host: host name, present while the host has queue entries of jobs that are not cancelled. */
  waiting: 0x77,
  /** `r` site origin: RobotsRecord. */
  robots: 0x72,
  /** `l` run URL-row attempt: not in the database, but noted while a request is in flight. */
  lease: 0x6c,
  /** `d` payload digest: DigestRecord. */
  digest: 0x64,
  /** `s` sequence: sieve keys admitted by one commit. */
  sieveLog: 0x73,
  /** `b` number: one chunk of the sieve's snapshot; those of the other place begin at 2^32. */
  sieveSnapshot: 0x62,
} as const;

export type KeyTag = keyof typeof tags;

/** Tags whose keys go on with a site's position, and the length of those keys: what moves with an arc of the ring. */
const territorial = {
  url: 29,
  exclusion: 29,
  queue: 38,
  host: 17,
  waiting: 17,
  robots: 17,
  outbox: 29,
} as const satisfies Partial<Record<KeyTag, number>>;

export type TerritorialTag = keyof typeof territorial;

/** All of them, in the order of the keys. */
export const territorialTags: readonly TerritorialTag[] = Object.freeze(
  (Object.keys(territorial) as TerritorialTag[]).toSorted((a, b) => tags[a] - tags[b]),
);

const tagsByByte: ReadonlyMap<number, KeyTag> = new Map(
  (Object.keys(tags) as KeyTag[]).map((tag) => [tags[tag], tag]),
);

/** The same by their bytes, and how long their keys are: asked for every row that is written or comes in. */
const territorialByByte: (TerritorialTag | undefined)[] = [];
const territorialLengths = new Uint8Array(256);
for (const tag of territorialTags) {
  territorialByByte[tags[tag]] = tag;
  territorialLengths[tags[tag]] = territorial[tag];
}

type Key = Uint8Array<ArrayBuffer>;

/** Where the URL's row stands in a lease's key: behind tag and run. */
const leaseRowAt = 9;

/** Length of a URL's key. */
const urlRowBytes = territorial.url;

/** Where the fingerprint begins in a URL's key. */
const fingerprintAt = 9;

/** Where the job's number begins in a URL's row key. */
const spaceAt = 25;

/** Where the part that is made of fingerprints begins in the key of a queue's row, and where its second half does. */
const queueFingerprintAt = 30;
const queueMixAt = 34;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Position of a site on the ring: 8 bytes, big-endian, so that byte order is ring order. */
export function ringPosition(site: SiteName): bigint {
  return hash64(site);
}

const exclusionBit = 1 << 30;

/**
 * A job's number inside keys: 30 bits, so that the sieve has room for a second kind of record of each job. Two ids with
 * one number are refused when the second is created.
 */
export function jobSpace(job: JobId): number {
  return Number(hash64(job) & 0x3fff_ffffn);
}

/** Where a job's excluded URLs stand apart from those that it lets in: in the sieve and in the outbox. */
export function exclusionSpace(jobSpace: number): number {
  return jobSpace | exclusionBit;
}

/** The part of a key that all rows of a host share: site position, then host hash. */
export interface HostAddress {
  readonly position: bigint;
  readonly hostHash: bigint;
}

export function hostAddress(site: SiteName, host: HostName): HostAddress {
  return { position: ringPosition(site), hostHash: hash64(host) };
}

/** A new key with its tag. */
function newKey(tag: KeyTag, length: number): Key {
  const bytes = new Uint8Array(length);
  bytes[0] = tags[tag];
  return bytes;
}

/** Key of a URL's row: its record or its exclusion. Length 29. */
export function urlKey(
  tag: "url" | "exclusion",
  position: bigint,
  fingerprints: Uint32Array,
  at: number,
  space: number,
): Key {
  const bytes = newKey(tag, 29);
  putUint64(bytes, 1, position);
  for (let word = 0; word < 4; word += 1) {
    putUint32(bytes, 9 + word * 4, fingerprints[at + word] ?? 0);
  }
  putUint32(bytes, spaceAt, space);
  return bytes;
}

/** The same URL's key under another tag. */
export function retag(urlRowKey: Uint8Array, tag: "url" | "exclusion"): Key {
  const bytes = new Uint8Array(urlRowKey);
  bytes[0] = tags[tag];
  return bytes;
}

/** Key of a lease on a URL in the given run of the peer; `attempt` counts from 0. Length 39. */
export function leaseKey(run: number, urlRowKey: Uint8Array, attempt: number): Key {
  const bytes = newKey("lease", leaseRowAt + urlRowKey.length + 1);
  putCount(bytes, 1, run);
  bytes.set(urlRowKey, leaseRowAt);
  bytes[leaseRowAt + urlRowKey.length] = Math.min(attempt, 0xff);
  return bytes;
}

/** What a lease is on; nothing when the bytes are not a lease's. */
export function readLeaseKey(
  lease: Uint8Array,
): { run: number; urlRowKey: Uint8Array; attempt: number } | undefined {
  if (lease.length !== leaseRowAt + urlRowBytes + 1 || lease[0] !== tags.lease) return undefined;
  const end = lease.length - 1;
  const run = getCount(lease, 1);
  return { run, urlRowKey: lease.slice(leaseRowAt, end), attempt: lease[end] ?? 0 };
}

/** Fingerprint words and job number of a URL's key. */
export function readUrlKey(row: Uint8Array): { words: Uint32Array<ArrayBuffer>; space: number } {
  invariant(row.length === 29, "a URL's key has 29 bytes");
  const words = new Uint32Array(4);
  for (let word = 0; word < 4; word += 1) words[word] = getUint32(row, 9 + word * 4);
  return { words, space: getUint32(row, spaceAt) };
}

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
  const bytes = newKey("queue", territorial.queue);
  putUint64(bytes, 1, host.position);
  putUint64(bytes, 9, host.hostHash);
  putUint32(bytes, 17, space);
  bytes[21] = rank;
  putCount(bytes, 22, sequence);
  const [first] = urlRowKeys;
  invariant(first !== undefined, "a row of a queue has a URL");
  const mixedFrom = fingerprintAt + queueMixAt - queueFingerprintAt;
  copy(first, fingerprintAt, mixedFrom, bytes, queueFingerprintAt);
  let mix = attempts;
  for (const key of urlRowKeys) mix ^= getUint32(key, mixedFrom);
  putUint32(bytes, queueMixAt, mix >>> 0);
  return bytes;
}

/**
 * Key of a URL, or of an exclusion, on its way to its owner. Length 29.
 *
 * It lies with the site of the page on which the URL was found, so that it moves with that page's record. A URL that one
 * page lets in and another keeps out has two rows: the exclusion's being on its way says nothing of the URL's.
 */
export function outboxKey(sourcePosition: bigint, urlRowKey: Uint8Array): Key {
  const bytes = newKey("outbox", territorial.outbox);
  putUint64(bytes, 1, sourcePosition);
  copy(urlRowKey, fingerprintAt, urlRowBytes, bytes, fingerprintAt);
  if (urlRowKey[0] === tags.exclusion) {
    putUint32(bytes, spaceAt, exclusionSpace(getUint32(bytes, spaceAt)));
  }
  return bytes;
}

/** What an {@link outboxKey} says of the row that the URL is to have at its owner. */
export function readOutboxKey(row: Uint8Array): {
  readonly tag: "exclusion" | "url";
  readonly words: Uint32Array<ArrayBuffer>;
  readonly space: number;
} {
  const { words, space } = readUrlKey(row);
  const tag = (space & exclusionBit) === 0 ? "url" : "exclusion";
  return { tag, words, space: space & ~exclusionBit };
}

/** All rows of a host's queue, or those of one job. */
export function queueRange(host: HostAddress, space?: number): { gte: Key; lt: Key } {
  const gte = newKey("queue", space === undefined ? 17 : 21);
  putUint64(gte, 1, host.position);
  putUint64(gte, 9, host.hostHash);
  if (space !== undefined) putUint32(gte, 17, space);
  return { gte, lt: successor(gte) };
}

/** Key of a row that a host has once. Length 17. */
export function hostKey(tag: "host" | "waiting", host: HostAddress): Key {
  const bytes = newKey(tag, 17);
  putUint64(bytes, 1, host.position);
  putUint64(bytes, 9, host.hostHash);
  return bytes;
}

/** Key of an origin's robots.txt. Length 17. */
export function robotsKey(site: SiteName, origin: OriginName): Key {
  const bytes = newKey("robots", 17);
  putUint64(bytes, 1, ringPosition(site));
  putUint64(bytes, 9, hash64(origin));
  return bytes;
}

/** Key of a row that is named by a text. */
export function namedKey(
  tag: "meta" | "job" | "counts" | "pagesHeard" | "pastTotals" | "digest",
  name: string,
): Key {
  const text = encoder.encode(name);
  const bytes = newKey(tag, 1 + text.length);
  bytes.set(text, 1);
  return bytes;
}

/** Name inside a {@link namedKey}. */
export function nameOfKey(row: Uint8Array): string {
  return decoder.decode(row.subarray(1));
}

/** Key of a row that is named by a number, in the order of the numbers. Length 9. */
export function numberedKey(tag: "sieveLog" | "sieveSnapshot", sequence: number): Key {
  const bytes = newKey(tag, 9);
  putCount(bytes, 1, sequence);
  return bytes;
}

/** Number inside a {@link numberedKey}. */
export function numberOfKey(row: Uint8Array): number {
  return getCount(row, 1);
}

/** Tag of a key; nothing when its first byte is none. */
export function tagOf(key: Uint8Array): KeyTag | undefined {
  return tagsByByte.get(key[0] ?? 0);
}

/** Tag of a key that belongs to a site and has the length of its kind; nothing for any other bytes. */
export function territorialTagOf(key: Uint8Array): TerritorialTag | undefined {
  const byte = key[0] ?? 0;
  return key.length === territorialLengths[byte] ? territorialByByte[byte] : undefined;
}

/** Whether a key belongs to a site, and so to an arc of the ring. */
export function isTerritorial(key: Uint8Array): boolean {
  return territorialTagOf(key) !== undefined;
}

export function isTerritorialTag(tag: KeyTag): tag is TerritorialTag {
  return Object.hasOwn(territorial, tag);
}

/** The keys of a tag whose sites are within the arc. */
export function rangeOfArc(tag: TerritorialTag, { from, to }: Arc): { gte: Key; lt: Key } {
  const whole = tagRange(tag);
  return {
    gte: Uint8Array.of(tags[tag], ...keyPrefixOf(from)),
    lt: to === circle ? whole.lt : Uint8Array.of(tags[tag], ...keyPrefixOf(to)),
  };
}

/** Not a key, but higher than every key of the tag, and lower than every other tag's: where a range of them may end. */
export function lastKeyOf(tag: TerritorialTag): Key {
  const bytes = newKey(tag, territorial[tag] + 1);
  return bytes.fill(0xff, 1);
}

/** All keys of a tag. */
export function tagRange(tag: KeyTag): { gte: Key; lt: Key } {
  const gte = Uint8Array.of(tags[tag]);
  return { gte, lt: successor(gte) };
}

/** The smallest key that is greater than every key with this prefix. */
export function successor(prefix: Uint8Array): Key {
  const next = new Uint8Array(prefix);
  for (let at = next.length - 1; at >= 0; at -= 1) {
    const byte = next[at] ?? 0;
    if (byte < 0xff) {
      next[at] = byte + 1;
      return next.slice(0, at + 1);
    }
  }
  return Uint8Array.of(0xff);
}

/** The smallest key after `row`. */
export function after(row: Uint8Array): Key {
  const next = new Uint8Array(row.length + 1);
  next.set(row);
  return next;
}

/** Rows of a URL, or its exclusions, in all jobs that know it by the same fingerprint. */
export function rangeOfUrl(urlRowKey: Uint8Array): { gte: Key; lt: Key } {
  const gte = new Uint8Array(urlRowKey.subarray(0, spaceAt));
  return { gte, lt: successor(gte) };
}

/** Number of the job inside the key of a URL or of an exclusion. */
export function jobSpaceOfUrlKey(row: Uint8Array): number {
  invariant(row.length === urlRowBytes, "a URL's key has 29 bytes");
  return getUint32(row, spaceAt);
}

/** Number of the job inside the key of a queue's row. */
export function jobSpaceOfQueueKey(row: Uint8Array): number {
  return getUint32(row, 17);
}

/** What all keys of the rows of one queue, of one host for one job, begin with. */
export function queueOfRow(row: Uint8Array): Uint8Array {
  return row.slice(0, 21);
}

/** The sequence inside the key of a queue's row: exact up to 2^53. */
export function sequenceOfQueueKey(row: Uint8Array): number {
  return getCount(row, 22);
}

/** Key of the `waiting` row of the host to whose queue the key of a row belongs. */
export function waitingKeyOf(queueRow: Uint8Array): Key {
  const bytes = newKey("waiting", 17);
  bytes.set(queueRow.subarray(1, 17), 1);
  return bytes;
}
