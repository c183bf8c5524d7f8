import { invariant } from "../errors.ts";
import { hash64 } from "../hash/hash64.ts";
import type { JobId } from "../units.ts";
import { getUint32, putUint32 } from "./key-bytes.ts";
import { successor } from "./key-ranges.ts";
import { newTerritorialKey, tags, territorial, type Key } from "./key-tags.ts";

/** Length of a URL's key. */
export const urlKeyBytes = territorial.url;

/** Where the fingerprint begins in a URL's key, and where the job's number does. */
export const fingerprintAt = 9;
export const spaceAt = 25;

const fingerprintWords = 4;

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

/** The job's number in what may be an {@link exclusionSpace}, and whether it is one. */
export function readSpace(space: number): { isExclusion: boolean; jobSpace: number } {
  return { isExclusion: (space & exclusionBit) !== 0, jobSpace: space & ~exclusionBit };
}

/** Key of a URL's row: its record or its exclusion. Length 29. */
export function urlKey(
  tag: "url" | "exclusion",
  position: bigint,
  fingerprints: Uint32Array,
  at: number,
  space: number,
): Key {
  const bytes = newTerritorialKey(tag, position);
  for (let word = 0; word < fingerprintWords; word += 1) {
    putUint32(bytes, fingerprintAt + word * 4, fingerprints[at + word] ?? 0);
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

/** Fingerprint words and job number of a URL's key. */
export function readUrlKey(row: Uint8Array): { words: Uint32Array<ArrayBuffer>; space: number } {
  const space = jobSpaceOfUrlKey(row);
  const words = new Uint32Array(fingerprintWords);
  for (let word = 0; word < fingerprintWords; word += 1) {
    words[word] = getUint32(row, fingerprintAt + word * 4);
  }
  return { words, space };
}

/** Number of the job inside the key of a URL or of an exclusion. */
export function jobSpaceOfUrlKey(row: Uint8Array): number {
  invariant(row.length === urlKeyBytes, "a URL's key has 29 bytes");
  return getUint32(row, spaceAt);
}

/** Rows of a URL, or its exclusions, in all jobs that know it by the same fingerprint. */
export function rangeOfUrl(urlRowKey: Uint8Array): { gte: Key; lt: Key } {
  const gte = new Uint8Array(urlRowKey.subarray(0, spaceAt));
  return { gte, lt: successor(gte) };
}
