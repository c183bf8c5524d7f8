import { access, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Level } from "level";
import { CrawlError, invariant } from "../../core/errors.ts";
import type {
  Bytes,
  KeyRange,
  Store,
  StoreBatch,
  StoreEntry,
  StoreOp,
  WriteOptions,
} from "../../ports/store.ts";
import { GatheredReads } from "./gathered-reads.ts";
import { isDatabaseOpen } from "./is-database-open.ts";
import { ifGone } from "./if-gone.ts";
import { LevelBatch, type Database } from "./level-batch.ts";
import { Mark } from "./mark.ts";
import {
  refuseDamaged,
  refuseDamagedTables,
  refuseEmptied,
  type OnVerified,
} from "./refuse-damaged.ts";
import { storeFailure } from "./store-failure.ts";
import type { StoreAction } from "./store-failure.ts";

export interface LevelStoreOptions {
  /** Directory of the database; made when missing. One process at a time may hold it. */
  readonly directory: string;
  /**
   * Memory for recently read blocks of tables that are not mapped: those beyond the first 1,000. Blocks of a mapped table
   * are read where they are. @default 8 MiB
   */
  readonly cacheBytes?: number;
  /**
   * Size at which the log in memory is written out as a table; up to two are in memory. Larger means fewer, larger
   * compactions and a longer recovery (about 0.1 s for each 16 MiB). With 16 a new row costs a sixth less of all processor
   * time than with 8; with 32 ten million offers to the sieve take an eighth less time than with 16, and ten million
   * queued URLs no more memory at their peak. @default 32 MiB
   */
  readonly writeBufferBytes?: number;
  /**
   * Size of a table file. Tables are mapped, so what has been read of one counts as the peer's memory for as long as the
   * table exists: the smaller, the sooner a compaction replaces it, and the more files there are. @default 4 MiB
   */
  readonly tableBytes?: number;
  /**
   * Unit of reading. Records are small (29 bytes of key) and asked for at random, so the block is what one lookup
   * parses: 4 KiB is a page of the page cache. @default 4 KiB
   */
  readonly blockBytes?: number;
  /** Is told of tables that are verified at a start, which may take long. @default nobody is told */
  readonly onVerified?: OnVerified;
}

/** Every option's default. */
export const defaultLevelStoreOptions = {
  cacheBytes: 8 * 1024 * 1024,
  writeBufferBytes: 32 * 1024 * 1024,
  tableBytes: 4 * 1024 * 1024,
  blockBytes: 4 * 1024,
  onVerified: () => undefined,
} as const satisfies Omit<Required<LevelStoreOptions>, "directory">;

/** Entries and bytes that an iterator holds at once: enough to hide the change of threads, little enough to forget. */
const chunkEntries = 1000;
const chunkBytes = 256 * 1024;

/**
 * The store on LevelDB.
 *
 * `level` hands every batch to a pool of threads, which may apply two of them in either order. So one is under way at a
 * time, and the others wait for it in the order of the calls.
 *
 * LevelDB does not sync the log that it leaves behind when it begins a new one. A synced batch after unsynced ones
 * therefore syncs all logs first; otherwise a power failure could keep the later batch and lose the earlier.
 *
 * LevelDB recovers by itself from a log that ends in the middle of a batch, as `kill -9` leaves it. One that is damaged
 * before its end is refused ({@link refuseDamaged}). So are damaged tables ({@link refuseDamagedTables}) where the last run
 * did not end in order: a machine that lost its power may have lost more with it, and a damaged table ends a process. A
 * clean start pays nothing, and what is damaged since a clean end is found at the second start. And so is a database that has
 * nothing of what was written ({@link refuseEmptied}).
 *
 * Invariant: after a failed write every later write fails with the same error, since what the log holds is unknown.
 */
export class LevelStore implements Store {
  readonly #options: Required<LevelStoreOptions>;
  /** There while the database is open, and after it where nobody closed it. */
  readonly #unclosed: Mark;
  /** There from before the database is made until something was written for good. */
  readonly #unwritten: Mark;
  #isUnwritten = false;
  #database: Database | undefined;
  #starting: Promise<void> | undefined;
  /** Settles when no write is under way any more, and never rejects. */
  #writing: Promise<void> = Promise.resolve();
  readonly #reads = new GatheredReads((keys) => this.getMany(keys));
  #unsynced = false;
  #failure: CrawlError | undefined;

  constructor(options: LevelStoreOptions) {
    this.#options = { ...defaultLevelStoreOptions, ...options };
    this.#unclosed = new Mark(options.directory, "unclosed");
    this.#unwritten = new Mark(options.directory, "unwritten");
  }

  start(): Promise<void> {
    this.#starting ??= this.#open();
    return this.#starting;
  }

  async #open(): Promise<void> {
    const { directory, cacheBytes, writeBufferBytes, tableBytes, blockBytes } = this.#options;
    try {
      await refuseDamaged(directory);
      await refuseEmptied(directory, this.#unwritten);
      await this.#verifyTables();
      await this.#makeMarks();
      const database: Database = new Level<Bytes, Bytes>(directory, {
        keyEncoding: "view",
        valueEncoding: "view",
        cacheSize: cacheBytes,
        writeBufferSize: writeBufferBytes,
        maxFileSize: tableBytes,
        blockSize: blockBytes,
        // Rows hold URLs, which would shrink to a third. But what is compressed cannot be read where it is mapped: with it a
        // million queued URLs took 40 MiB more memory, and a new URL a fourteenth more of the processor.
        compression: false,
      });
      await database.open();
      this.#database = database;
    } catch (error) {
      this.#starting = undefined;
      throw storeFailure("open", directory, error);
    }
  }

  /** Where the last run did not end in order. One that still goes on is told of when the database is opened. */
  async #verifyTables(): Promise<void> {
    const { directory, onVerified } = this.#options;
    if (!(await this.#unclosed.isThere()) || (await isDatabaseOpen(directory))) return;
    await refuseDamagedTables(directory, onVerified);
  }

  async #makeMarks(): Promise<void> {
    await this.#unclosed.make();
    if (!(await this.#isMade())) await this.#unwritten.make();
    this.#isUnwritten = await this.#unwritten.isThere();
  }

  async stop(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    const database = this.#database;
    // From here on every call fails; the writes called before are waited for.
    this.#database = undefined;
    this.#starting = undefined;
    await this.#writing;
    try {
      await database?.close();
      if (database && !this.#failure) await this.#unclosed.remove();
    } catch (error) {
      throw storeFailure("close", this.#options.directory, error);
    }
  }

  get(key: Bytes): Promise<Bytes | undefined> {
    return this.#reads.get(key);
  }

  getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]> {
    return this.#read((database) => database.getMany([...keys]));
  }

  /**
   * Reads the values and forgets them. LevelDB's Bloom filters, one for each table, serve only a read: it ends in the
   * first table that has the key, where `level`'s `hasMany` moves an iterator in a table of every level. Measured with
   * 4 million keys while tables were being compacted: 6.3 us a key, against 15.0 us. As text, because bytes would each be
   * an object with a buffer.
   */
  async hasMany(keys: readonly Bytes[]): Promise<boolean[]> {
    const values: readonly (string | undefined)[] = await this.#read((database) =>
      database.getMany([...keys], { keyEncoding: "view", valueEncoding: "utf8" }),
    );
    return values.map((value) => value !== undefined);
  }

  async range(range: KeyRange, limit: number, bytesMax = Infinity): Promise<StoreEntry[]> {
    const entries: StoreEntry[] = [];
    let bytes = 0;
    for await (const chunk of this.#chunks(range, limit)) {
      for (const [key, value] of chunk) {
        entries.push({ key, value });
        bytes += key.length + value.length;
        if (bytes >= bytesMax) return entries;
      }
    }
    return entries;
  }

  scan(range: KeyRange): AsyncIterable<StoreEntry> {
    return this.#entries(range);
  }

  batch(): LevelBatch {
    return new LevelBatch(() => this.#opened("write"));
  }

  async write(changes: readonly StoreOp[] | StoreBatch, { sync }: WriteOptions): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.#opened("write");
    const batch = this.#batchOf(changes);
    const written = this.#writing.then(() => this.#commit(batch, sync));
    this.#writing = written.catch(() => undefined);
    await written;
  }

  #batchOf(changes: readonly StoreOp[] | StoreBatch): LevelBatch {
    if (changes instanceof LevelBatch) return changes;
    invariant(!("add" in changes), "a batch is written by the store that made it");
    const batch = this.batch();
    batch.add(changes);
    return batch;
  }

  #opened(action: StoreAction): Database {
    if (this.#database) return this.#database;
    const { directory } = this.#options;
    const message = `the database in ${directory} is not open`;
    throw new CrawlError("STORE_IO", message, { directory, action, reason: "not open" });
  }

  async #read<T>(read: (database: Database) => Promise<T>): Promise<T> {
    const database = this.#opened("read");
    try {
      return await read(database);
    } catch (error) {
      throw storeFailure("read", this.#options.directory, error);
    }
  }

  async *#entries(range: KeyRange): AsyncGenerator<StoreEntry, void, undefined> {
    for await (const chunk of this.#chunks(range, Infinity)) {
      for (const [key, value] of chunk) yield { key, value };
    }
  }

  async *#chunks(
    range: KeyRange,
    limit: number,
  ): AsyncGenerator<readonly [Bytes, Bytes][], void, undefined> {
    const database = this.#opened("read");
    const bounds = { gte: range.gte, lt: range.lt, highWaterMarkBytes: chunkBytes };
    const iterator = database.iterator(Number.isFinite(limit) ? { ...bounds, limit } : bounds);
    let left = limit;
    try {
      while (left > 0) {
        const chunk = await iterator.nextv(chunkEntries);
        if (chunk.length === 0) return;
        left -= chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw storeFailure("read", this.#options.directory, error);
    } finally {
      await iterator.close();
    }
  }

  async #commit(batch: LevelBatch, sync: boolean): Promise<void> {
    try {
      if (this.#failure) throw this.#failure;
      if (sync && this.#unsynced) await this.#syncLogs();
      await batch.write(sync);
      this.#unsynced = !sync;
      if (sync) await this.#afterSync();
    } catch (error) {
      this.#failure ??= storeFailure("write", this.#options.directory, error);
      throw this.#failure;
    }
  }

  async #afterSync(): Promise<void> {
    // A log that was removed takes batches until it is full, and keeps none.
    if (!(await this.#isMade())) {
      throw new Error("it was removed or moved away while it was in use");
    }
    if (this.#isUnwritten) await this.#unwritten.remove();
    this.#isUnwritten = false;
  }

  async #isMade(): Promise<boolean> {
    const current = join(this.#options.directory, "CURRENT");
    return (await access(current).then(() => true, ifGone)) ?? false;
  }

  async #syncLogs(): Promise<void> {
    const { directory } = this.#options;
    for (const name of await readdir(directory)) {
      if (!name.endsWith(".log")) continue;
      const log = await open(join(directory, name), "r").catch(ifGone);
      try {
        await log?.sync();
      } finally {
        await log?.close();
      }
    }
  }
}
