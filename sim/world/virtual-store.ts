import { CrawlError, invariant } from "../../src/core/errors.ts";
import type { Millis } from "../../src/core/units.ts";
import type {
  Bytes,
  KeyRange,
  Store,
  StoreBatch,
  StoreEntry,
  StoreOp,
  WriteOptions,
} from "../../src/ports/store.ts";
import type { Dice } from "./dice.ts";
import type { VirtualDisk } from "./virtual-disk.ts";
import type { VirtualProcess } from "./virtual-process.ts";

/** How long a disk takes. */
export interface DiskTimes {
  /** Median of a read; 0: at once, from the system's cache. @default 0 */
  readonly readMedianMs: Millis;
  /** Deviation of its logarithm. @default 1 */
  readonly readTail: number;
  /** Until a batch would survive the end of the process. @default 0.1 */
  readonly writeMs: Millis;
  /** Median of a sync: a millisecond on a good SSD, ten on a spinning disk. @default 2 */
  readonly syncMedianMs: Millis;
  /** Deviation of its logarithm. @default 0.7 */
  readonly syncTail: number;
  /** Share of the syncs that stall. @default 0 */
  readonly stallRate: number;
  /** Mean length of a stall. @default 2_000 */
  readonly stallMs: Millis;
}

export const defaultDiskTimes: DiskTimes = Object.freeze({
  readMedianMs: 0,
  readTail: 1,
  writeMs: 0.1,
  syncMedianMs: 2,
  syncTail: 0.7,
  stallRate: 0,
  stallMs: 2_000,
});

/** A disk that answers at once, for tests without a running clock. */
export const noDiskTimes: DiskTimes = Object.freeze({
  ...defaultDiskTimes,
  writeMs: 0,
  syncMedianMs: 0,
  syncTail: 0,
});

/**
 * The store of one process on a virtual disk.
 *
 * A batch is first visible and safe from the end of the process, then, after its sync, safe from a power failure, and
 * only then acknowledged; so a process may die of a batch that it never heard of and find it all the same.
 *
 * Invariant: batches are applied one after the other, each whole, in the order of the calls.
 */
export class VirtualStore implements Store {
  readonly disk: VirtualDisk;
  readonly #process: VirtualProcess;
  readonly #dice: Dice;
  readonly #times: DiskTimes;
  #writing: Promise<void> = Promise.resolve();
  #isStopping = false;
  #failure: CrawlError | undefined;

  constructor(
    disk: VirtualDisk,
    process: VirtualProcess,
    dice: Dice,
    times: Partial<DiskTimes> = {},
  ) {
    this.disk = disk;
    this.#process = process;
    this.#dice = dice;
    this.#times = { ...defaultDiskTimes, ...times };
    process.ended.addEventListener("abort", () => this.#release());
  }

  async start(): Promise<void> {
    // To open a database writes some bytes.
    if (this.disk.sluice.isShut) await this.disk.sluice.passed();
    await this.#process.answer(() => {
      if (this.disk.holder !== undefined && this.disk.holder !== this) {
        throw new CrawlError("DATA_DIR_LOCKED", "the data directory is in use");
      }
      // To open a database takes some bytes, which there may be.
      const fault = this.#fault;
      if (fault !== undefined && this.#dice.chance(0.5)) throw fault;
      this.disk.holder = this;
      this.disk.open();
      this.#isStopping = false;
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#writing;
    this.#release();
  }

  get(key: Bytes): Promise<Bytes | undefined> {
    return this.#read(() => this.disk.get(key));
  }

  getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]> {
    return this.#read(() => keys.map((key) => this.disk.get(key)));
  }

  hasMany(keys: readonly Bytes[]): Promise<boolean[]> {
    return this.#read(() => keys.map((key) => this.disk.has(key)));
  }

  range(range: KeyRange, limit: number, bytesMax = Infinity): Promise<StoreEntry[]> {
    return this.#read(() => {
      let bytes = 0;
      const entries = this.disk.entries(range, limit);
      const last = entries.findIndex(
        ({ key, value }) => (bytes += key.length + value.length) >= bytesMax,
      );
      return last === -1 ? entries : entries.slice(0, last + 1);
    });
  }

  async *scan(range: KeyRange): AsyncGenerator<StoreEntry, void, undefined> {
    const entries = await this.#read(() => this.disk.snapshot(range));
    for (const entry of entries) {
      yield await this.#now(() => entry);
    }
  }

  batch(): StoreBatch {
    return new VirtualBatch();
  }

  async write(changes: readonly StoreOp[] | StoreBatch, { sync }: WriteOptions): Promise<void> {
    const ops = opsOf(changes);
    if (this.#failure) throw this.#failure;
    this.#assertOpen();
    if (this.#isStopping) throw notOpen();
    const written = this.#writing.then(() => this.#apply(ops, sync));
    this.#writing = written.catch(() => undefined);
    await written;
  }

  async #apply(ops: readonly StoreOp[], sync: boolean): Promise<void> {
    const { clock } = this.#process;
    const { writeMs, syncMedianMs, syncTail, stallRate, stallMs } = this.#times;
    const { sluice } = this.disk;
    if (writeMs > 0) await this.disk.spend(clock, writeMs);
    if (sluice.isShut) await sluice.passed();
    await this.#process.answer(() => {
      this.#assertOpen();
      if (!this.#failure && this.disk.broken && this.#dice.chance(0.5)) this.disk.applyUnseen(ops);
      this.#failure ??= this.#fault;
      if (this.#failure) {
        this.#process.refuse();
        throw this.#failure;
      }
      this.disk.apply(ops);
    });
    if (!sync) return;
    let syncMs = syncMedianMs > 0 ? this.#dice.lognormal(syncMedianMs, syncTail) : 0;
    if (this.#dice.chance(stallRate)) syncMs += this.#dice.exponential(stallMs);
    if (syncMs > 0) await this.disk.spend(clock, syncMs);
    if (sluice.isShut) await sluice.passed();
    await this.#process.answer(() => this.disk.sync());
  }

  get #fault(): CrawlError | undefined {
    if (this.disk.full) return new CrawlError("DISK_FULL", "the disk is full");
    return this.disk.broken ? new CrawlError("STORE_IO", "the disk has failed") : undefined;
  }

  /** What is read is what is there when the call is made, however long the answer takes. */
  #read<T>(read: () => T): Promise<T> {
    const found = this.#now(read);
    return this.#times.readMedianMs === 0 ? found : this.#later(found);
  }

  async #later<T>(found: Promise<T>): Promise<T> {
    const { readMedianMs, readTail } = this.#times;
    await found;
    await this.#process.clock.sleep(this.#dice.lognormal(readMedianMs, readTail));
    return found;
  }

  #now<T>(read: () => T): Promise<T> {
    return this.#process.answer(() => {
      this.#assertOpen();
      return read();
    });
  }

  #assertOpen(): void {
    if (this.disk.holder !== this && this.#process.isAlive) throw notOpen();
  }

  #release(): void {
    if (this.disk.holder === this) this.disk.holder = undefined;
  }
}

/** Changes that wait for their write. */
class VirtualBatch implements StoreBatch {
  readonly ops: StoreOp[] = [];

  get length(): number {
    return this.ops.length;
  }

  add(ops: readonly StoreOp[]): void {
    for (const op of ops) this.ops.push(op);
  }
}

/** What a write is of. */
export function opsOf(changes: readonly StoreOp[] | StoreBatch): readonly StoreOp[] {
  if (changes instanceof VirtualBatch) return changes.ops;
  invariant(!("add" in changes), "a batch is written by the store that made it");
  return changes;
}

function notOpen(): CrawlError {
  return new CrawlError("STORE_IO", "the database is not open");
}
