/** A key or a value; the callee keeps the bytes, so the caller must not write to them afterwards. */
export type Bytes = Uint8Array;

/** One change of a batch. Later changes of the same key win. */
export type StoreOp =
  | { readonly type: "put"; readonly key: Bytes; readonly value: Bytes }
  | { readonly type: "del"; readonly key: Bytes };

/** Keys from `gte` (included) to `lt` (excluded), in byte order. */
export interface KeyRange {
  readonly gte: Bytes;
  readonly lt: Bytes;
}

export interface StoreEntry {
  readonly key: Bytes;
  readonly value: Bytes;
}

/**
 * Changes that gather for one atomic write, taken over as they come: thousands of small rows that are kept until they are
 * written are what a collector of young objects does worst.
 */
export interface StoreBatch {
  /** Changes added so far. */
  readonly length: number;
  /** Adds changes behind those before. Never throws: what cannot be taken over makes the write fail. */
  add(ops: readonly StoreOp[]): void;
}

export interface WriteOptions {
  /**
   * True: resolves when the batch would survive a power failure. False: when it would survive the end of this process
   * (`kill -9`), no more.
   */
  readonly sync: boolean;
}

/**
 * Ordered, durable key-value store of one peer.
 *
 * A batch is atomic: after a crash all of it is there or nothing. Batches become visible and durable in the order of
 * the `write` calls. Reads see every batch whose `write` has resolved, and may see one that is under way.
 *
 * Failures are `CrawlError`s: `DATA_DIR_LOCKED`, `DATA_DIR_UNUSABLE`, `STORE_CORRUPT`, `DISK_FULL`, `STORE_IO`.
 */
export interface Store {
  /** Opens the store; idempotent. Errors: see the interface. */
  start(): Promise<void>;
  /** Closes it after the writes under way; idempotent. */
  stop(): Promise<void>;

  get(key: Bytes): Promise<Bytes | undefined>;
  /** Values in the order of `keys`. */
  getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]>;
  /** Whether each key is there, in the order of `keys`; cheaper than reading the values. */
  hasMany(keys: readonly Bytes[]): Promise<boolean[]>;
  /**
   * At most `limit` entries of the range, in key order, from one consistent view; the one with which they have `bytesMax`
   * bytes of keys and values is the last one.
   */
  range(range: KeyRange, limit: number, bytesMax?: number): Promise<StoreEntry[]>;
  /** All entries of the range in key order and in bounded memory, from one consistent view. */
  scan(range: KeyRange): AsyncIterable<StoreEntry>;
  /** A new batch, for one {@link write} of this store. */
  batch(): StoreBatch;
  write(changes: readonly StoreOp[] | StoreBatch, options: WriteOptions): Promise<void>;
}
