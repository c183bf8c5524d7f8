import { CrawlError } from "../../src/core/errors.ts";
import type {
  Bytes,
  KeyRange,
  Store,
  StoreEntry,
  StoreOp,
  WriteOptions,
} from "../../src/ports/store.ts";

/** Order of strings of code units below 256 is the order of their bytes. */
function textOf(key: Bytes): string {
  let text = "";
  for (const byte of key) text += String.fromCharCode(byte);
  return text;
}

/** What outlives a process: a data directory. */
export class MemoryDisk {
  readonly #values = new Map<string, StoreEntry>();
  /** All keys in order. */
  readonly #keys: string[] = [];
  /** How to take back each change since the last sync, oldest first. */
  #undo: { readonly key: string; readonly before: StoreEntry | undefined }[] = [];
  /** The store that has it open. */
  holder: MemoryStore | undefined;
  /** While true, writing fails with DISK_FULL. */
  full = false;

  get(key: Bytes): Bytes | undefined {
    return this.#values.get(textOf(key))?.value;
  }

  entries(range: KeyRange): StoreEntry[] {
    const found: StoreEntry[] = [];
    const end = textOf(range.lt);
    for (let at = this.#position(textOf(range.gte)); at < this.#keys.length; at++) {
      const key = this.#keys[at] ?? end;
      if (key >= end) break;
      const entry = this.#values.get(key);
      if (entry) found.push(entry);
    }
    return found;
  }

  apply(ops: readonly StoreOp[], sync: boolean): void {
    for (const op of ops) {
      const key = textOf(op.key);
      this.#undo.push({ key, before: this.#values.get(key) });
      this.#set(
        key,
        op.type === "put" ? { key: op.key.slice(), value: op.value.slice() } : undefined,
      );
    }
    if (sync) this.#undo = [];
  }

  dropUnsynced(): void {
    for (const { key, before } of this.#undo.toReversed()) this.#set(key, before);
    this.#undo = [];
  }

  #set(key: string, entry: StoreEntry | undefined): void {
    const known = this.#values.has(key);
    if (entry) this.#values.set(key, entry);
    else this.#values.delete(key);
    if (known === (entry !== undefined)) return;
    const at = this.#position(key);
    if (entry) this.#keys.splice(at, 0, key);
    else this.#keys.splice(at, 1);
  }

  /** Where `key` is, or belongs. */
  #position(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? key) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export interface MemoryStoreOptions {
  /** What outlives this store; a new store on the disk of an old one is the next process. @default an empty one */
  readonly disk?: MemoryDisk;
  /** Awaited before a batch is applied: the time a write takes, in a test's clock. @default no time */
  readonly beforeWrite?: () => Promise<void>;
}

/**
 * The store's virtual twin: the contract in memory, plus the accidents that a test arranges.
 *
 * Writes are applied one after the other; one that has not been applied at a {@link kill} never is.
 */
export class MemoryStore implements Store {
  readonly disk: MemoryDisk;
  readonly #beforeWrite: () => Promise<void>;
  #writing: Promise<void> = Promise.resolve();
  #stopping = false;
  #failure: CrawlError | undefined;

  constructor({ disk, beforeWrite }: MemoryStoreOptions = {}) {
    this.disk = disk ?? new MemoryDisk();
    this.#beforeWrite = beforeWrite ?? (() => Promise.resolve());
  }

  start(): Promise<void> {
    const { holder } = this.disk;
    if (holder && holder !== this) {
      return Promise.reject(new CrawlError("DATA_DIR_LOCKED", "The data directory is in use."));
    }
    this.disk.holder = this;
    this.#stopping = false;
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#writing;
    this.#release();
  }

  /** The process ends at once: what was written stays, what was being written is gone. */
  kill(): void {
    this.#release();
  }

  /** The machine ends at once: of what was written only what had been synced stays. */
  powerFailure(): void {
    if (this.disk.holder === this) this.disk.dropUnsynced();
    this.#release();
  }

  get(key: Bytes): Promise<Bytes | undefined> {
    return this.#read(() => this.disk.get(key));
  }

  getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]> {
    return this.#read(() => keys.map((key) => this.disk.get(key)));
  }

  hasMany(keys: readonly Bytes[]): Promise<boolean[]> {
    return this.#read(() => keys.map((key) => this.disk.get(key) !== undefined));
  }

  range(range: KeyRange, limit: number): Promise<StoreEntry[]> {
    return this.#read(() => this.disk.entries(range).slice(0, limit));
  }

  async *scan(range: KeyRange): AsyncGenerator<StoreEntry, void, undefined> {
    const entries = await this.#read(() => this.disk.entries(range));
    for (const entry of entries) {
      yield await this.#read(() => entry);
    }
  }

  async write(ops: readonly StoreOp[], { sync }: WriteOptions): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.#assertOpen();
    if (this.#stopping) throw notOpen();
    const written = this.#writing.then(() => this.#apply(ops, sync));
    this.#writing = written.catch(() => undefined);
    await written;
  }

  async #apply(ops: readonly StoreOp[], sync: boolean): Promise<void> {
    await this.#beforeWrite();
    this.#assertOpen();
    if (this.disk.full) this.#failure ??= new CrawlError("DISK_FULL", "The disk is full.");
    if (this.#failure) throw this.#failure;
    this.disk.apply(ops, sync);
  }

  async #read<T>(read: () => T): Promise<T> {
    await Promise.resolve();
    this.#assertOpen();
    return read();
  }

  #assertOpen(): void {
    if (this.disk.holder !== this) throw notOpen();
  }

  #release(): void {
    if (this.disk.holder === this) this.disk.holder = undefined;
  }
}

function notOpen(): CrawlError {
  return new CrawlError("STORE_IO", "The database is not open.");
}
