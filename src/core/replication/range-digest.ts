import { invariant } from "../errors.ts";
import { compareKeys } from "../record/compare-keys.ts";
import { hash64Bytes } from "../hash/hash64.ts";
import { lastKeyOf } from "../record/key-ranges.ts";
import type { TerritorialTag } from "../record/key-tags.ts";
import { RobotsRecord } from "../record/record.pb.ts";
import { readRobots } from "./entry-lattices.ts";

/** What one side has between the key after the bucket before and `lastKey`. */
export interface RangeBucket {
  /** No key of the bucket is higher. */
  readonly lastKey: Uint8Array;
  readonly count: number;
  /** Of all rows in the order of their keys; 0 of none. */
  readonly hash: bigint;
}

/** A bucket in which the two sides differ. */
export interface RangeDifference {
  readonly index: number;
  /** Rows that this side has in it; or, where it has more than the other, any number above the other's. */
  readonly count: number;
}

/**
 * Cuts the rows of one tag, as they come in key order, into buckets of at most `rowsPerBucket`.
 *
 * This is one level of range-based set reconciliation (Meyer 2023, "Range-Based Set Reconciliation", section III): the
 * other side compares fingerprints of ranges, and of ranges that differ the fingerprints of their rows are exchanged. There
 * is no recursion, since the buckets are small from the start: two copies of an arc differ in few places, and each costs
 * the fingerprints of one bucket.
 *
 * The fingerprint is a chain of 64-bit hashes: it finds accidents, not forgeries.
 *
 * Invariant: the buckets cover every key of the tag, without gaps, in rising order.
 */
export class RangeDigest {
  readonly #tag: TerritorialTag;
  readonly #rowsPerBucket: number;
  readonly #buckets: RangeBucket[] = [];
  #open: OpenBucket = emptyBucket;
  #lastKey: Uint8Array = new Uint8Array(0);

  constructor(tag: TerritorialTag, rowsPerBucket: number) {
    this.#tag = tag;
    this.#rowsPerBucket = rowsPerBucket;
  }

  /** Buckets that are full so far. */
  get size(): number {
    return this.#buckets.length;
  }

  /** Takes the next row in. */
  add(key: Uint8Array, value: Uint8Array): void {
    invariant(compareKeys(key, this.#lastKey) > 0, "rows are digested in the order of their keys");
    this.#lastKey = key;
    this.#open = withRow(this.#open, this.#tag, key, value);
    if (this.#open.count < this.#rowsPerBucket) return;
    this.#buckets.push({ lastKey: key, ...this.#open });
    this.#open = emptyBucket;
  }

  /** All buckets; the last one holds what is left and reaches the tag's end. */
  finish(): readonly RangeBucket[] {
    return [...this.#buckets, { lastKey: lastKeyOf(this.#tag), ...this.#open }];
  }

  /** The full buckets alone, where a message has no room for more: they speak of no key behind the last one's. */
  full(): readonly RangeBucket[] {
    return this.#buckets;
  }
}

/**
 * Finds the buckets of another side's {@link RangeDigest} in which this side's rows, as they come in key order, differ.
 *
 * Clocks are not compared: a host's row counts as equal, and a robots.txt is equal whenever it was read. They differ
 * between any two peers, and would make every bucket differ. Nor is what has left a row of the queue: a copy must not hear
 * of that before it has the URL's record, with which it comes in one piece when it happens; who takes the row over asks the
 * records.
 */
export class RangeComparison {
  readonly #tag: TerritorialTag;
  readonly #buckets: readonly RangeBucket[];
  readonly #differences: RangeDifference[] = [];
  #index = 0;
  #open: OpenBucket = emptyBucket;

  constructor(tag: TerritorialTag, buckets: readonly RangeBucket[]) {
    this.#tag = tag;
    this.#buckets = buckets;
  }

  /**
   * Takes the next row in; false when those that follow say no more up to {@link resumesBehind}, and need not be read: with
   * more rows than the other side has, a bucket differs.
   */
  add(key: Uint8Array, value: Uint8Array): boolean {
    for (;;) {
      const bucket = this.#buckets[this.#index];
      if (bucket === undefined) return false;
      if (compareKeys(key, bucket.lastKey) <= 0) break;
      this.#close(bucket);
    }
    this.#open = withRow(this.#open, this.#tag, key, value);
    return this.#open.count <= (this.#buckets[this.#index]?.count ?? 0);
  }

  /** The end of the bucket that the last row is in; nothing when that row is behind the last bucket. */
  get resumesBehind(): Uint8Array | undefined {
    return this.#buckets[this.#index]?.lastKey;
  }

  /** After the last row: the buckets that differ, in their order. */
  finish(): readonly RangeDifference[] {
    for (;;) {
      const bucket = this.#buckets[this.#index];
      if (bucket === undefined) return this.#differences;
      this.#close(bucket);
    }
  }

  #close(bucket: RangeBucket): void {
    const { count, hash } = this.#open;
    if (count !== bucket.count || hash !== bucket.hash) {
      this.#differences.push({ index: this.#index, count });
    }
    this.#index += 1;
    this.#open = emptyBucket;
  }
}

type OpenBucket = Omit<RangeBucket, "lastKey">;

const emptyBucket: OpenBucket = { count: 0, hash: 0n };

function withRow(
  { count, hash }: OpenBucket,
  tag: TerritorialTag,
  key: Uint8Array,
  value: Uint8Array,
): OpenBucket {
  return { count: count + 1, hash: hashOfRow(tag, key, value, hash) };
}

/** Keys of one tag have one length, so that a row is the same as no other key and value in a row. */
export function hashOfRow(
  tag: TerritorialTag,
  key: Uint8Array,
  value: Uint8Array,
  before = 0n,
): bigint {
  const keyHash = hash64Bytes(key, before);
  return tag === "host" || tag === "queue" ? keyHash : hash64Bytes(timeless(tag, value), keyHash);
}

function timeless(tag: TerritorialTag, value: Uint8Array): Uint8Array {
  const robots = tag === "robots" ? readRobots(value) : undefined;
  return robots ? RobotsRecord.encode({ ...robots, fetchedAtMs: 0, expiresAtMs: 0 }) : value;
}
