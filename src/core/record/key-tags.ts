import { putUint64 } from "./key-bytes.ts";

/**
 * First byte of every database key. The table only grows: a tag is never given a second meaning.
 *
 * A key that belongs to a site goes on with the site's 8-byte ring position, so that an arc of the ring is a key range
 * within each tag.
 */
export const tags = {
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
export const territorial = {
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

export type Key = Uint8Array<ArrayBuffer>;

/** A new key with its tag. */
export function newKey(tag: KeyTag, length: number): Key {
  const bytes = new Uint8Array(length);
  bytes[0] = tags[tag];
  return bytes;
}

/** A new key of the length of its kind, with its tag and its site's position. */
export function newTerritorialKey(tag: TerritorialTag, position: bigint): Key {
  const bytes = newKey(tag, territorial[tag]);
  putUint64(bytes, 1, position);
  return bytes;
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
