import { exclusionSpace, readUrlKey } from "../../core/record/url-keys.ts";
import { nameOfKey, numberOfKey, numberedKey } from "../../core/record/named-keys.ts";
import { tagRange } from "../../core/record/key-ranges.ts";
import { territorialTagOf } from "../../core/record/key-tags.ts";
import { Sieve } from "../../core/sieve/sieve.ts";
import type { SieveOptions } from "../../core/sieve/sieve.ts";
import { fingerprintOf } from "../../core/url/fingerprint.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Store, StoreOp } from "../../ports/store.ts";
import type { Journal } from "../durability/journal.ts";
import { decodeLogRow, encodeLogRow, type SieveKey } from "./sieve-log.ts";
import { SieveSnapshots } from "./sieve-snapshots.ts";

/** What the sieve keeps of the row of a URL or of an exclusion. */
export function sieveKeyOfRow(rowKey: Uint8Array): SieveKey {
  const { words, space } = readUrlKey(rowKey);
  const isExclusion = territorialTagOf(rowKey) === "exclusion";
  return { space: isExclusion ? exclusionSpace(space) : space, words, at: 0 };
}

/**
 * Keys admitted between two snapshots, or this share of those that the sieve has where that is more: a start after a crash
 * reads 8 bytes of each, and a snapshot has 2 to 3 bytes of every key.
 */
const keysPerSnapshot = 1_000_000;
const shareOfKeysPerSnapshot = 1 / 4;

/** Rows of the log, too: each takes a start some 4 us, and one of a page's content alone has a single key. */
const rowsPerSnapshot = 250_000;

/**
 * At the end too, only when so many are in the log, as a share of the first filter's capacity: a start reads fewer sooner than
 * the smallest snapshot, which has all bits of that filter, is written.
 */
const shareWorthSaving = 1 / 50;

/**
 * Rows of the log deleted together. There is one for each page with new content, and so hundreds of thousands between two
 * snapshots: in one change they would stop the process for seconds, and take hundreds of MB.
 */
const rowsDeletedPerPart = 5_000;

/** The space of payload digests; no job has it, since a job's number is a hash. */
const digestSpace = 0;

/** What the sieve keeps of a payload's name. */
export function digestKey(name: string): SieveKey {
  return { space: digestSpace, words: fingerprintOf(name), at: 0 };
}

/**
 * Brings the sieve back after a restart: a snapshot in the database, and since then the keys of each commit.
 *
 * Invariant: snapshot and log together hold every key whose row is durable, because the log is written by the same
 * batch as the rows, and a snapshot deletes only log rows from before its beginning, when it is complete: the sieve had their
 * keys then.
 */
export class SieveKeeper {
  readonly #options: Partial<SieveOptions>;
  readonly #logger: Logger;
  #sieve: Sieve;
  #nextLogRow = 0;
  #oldestLogRow = 0;
  /** Keys in no snapshot: those of the log, or of all rows where the snapshot was unreadable. */
  #keysSinceSnapshot = 0;
  /** The snapshot under way holds the keys of the rows before this one. */
  #coveredLogRows = 0;
  /** So does the complete one of those before this one, which are to be deleted. */
  #replacedLogRows = 0;
  readonly #snapshots = new SieveSnapshots();

  constructor(options: Partial<SieveOptions>, logger: Logger) {
    this.#options = options;
    this.#logger = logger;
    this.#sieve = new Sieve(options);
  }

  get sieve(): Sieve {
    return this.#sieve;
  }

  async load(store: Store): Promise<void> {
    if (await this.#loadSnapshot(store)) await this.#loadLog(store);
    else await this.#rebuild(store);
  }

  /** The row that makes new keys as durable as the batch it goes into. */
  log(keys: readonly SieveKey[]): readonly StoreOp[] {
    if (keys.length === 0) return [];
    this.#keysSinceSnapshot += keys.length;
    const key = numberedKey("sieveLog", this.#nextLogRow);
    this.#nextLogRow += 1;
    return [{ type: "put", key, value: encodeLogRow(keys) }];
  }

  /** Whether a part of a snapshot is to be written. */
  get snapshotDue(): boolean {
    const keysMax = Math.max(keysPerSnapshot, this.#sieve.size * shareOfKeysPerSnapshot);
    const rows = this.#nextLogRow - this.#oldestLogRow;
    return this.#isUnderWay || this.#keysSinceSnapshot >= keysMax || rows >= rowsPerSnapshot;
  }

  /** The next part of a snapshot, one atomic change; the last parts delete what it replaces: snapshot and log. */
  snapshotPart(): readonly StoreOp[] {
    if (!this.#isUnderWay) this.#beginSnapshot();
    const ops = this.#snapshots.nextPart();
    if (this.#snapshots.isUnderWay) return ops;
    this.#replacedLogRows = this.#coveredLogRows;
    return [...ops, ...this.#deletions()];
  }

  /** Puts a snapshot of everything into the journal, for a start that has no long log to read; nothing when it is short. */
  async save(journal: Pick<Journal, "append" | "flushed">): Promise<void> {
    const keysMin = this.#sieve.options.capacity * shareWorthSaving;
    if (this.#snapshots.isUnderWay || this.#keysSinceSnapshot >= keysMin) this.#beginSnapshot();
    while (this.#isUnderWay) {
      void journal.append(this.snapshotPart());
      await journal.flushed();
    }
  }

  get #isUnderWay(): boolean {
    return this.#snapshots.isUnderWay || this.#oldestLogRow < this.#replacedLogRows;
  }

  /** What is left of them after a crash is read once more, and deleted with the next snapshot. */
  #deletions(): StoreOp[] {
    const from = this.#oldestLogRow;
    const count = Math.min(this.#replacedLogRows - from, rowsDeletedPerPart);
    this.#oldestLogRow = from + count;
    return Array.from({ length: count }, (_, at) => ({
      type: "del",
      key: numberedKey("sieveLog", from + at),
    }));
  }

  /** What is logged from now on may not be in it. */
  #beginSnapshot(): void {
    this.#snapshots.begin(this.#sieve.snapshot());
    this.#coveredLogRows = this.#nextLogRow;
    this.#keysSinceSnapshot = 0;
  }

  async #loadSnapshot(store: Store): Promise<boolean> {
    const chunks = await this.#snapshots.load(store);
    if (chunks.length === 0) return false;
    const restored = Sieve.restore(this.#options, chunks);
    if (restored) {
      this.#sieve = restored;
      return true;
    }
    this.#logger.warn("sieve-snapshot-unreadable", { chunks: chunks.length });
    return false;
  }

  async #loadLog(store: Store): Promise<void> {
    let first: number | undefined;
    for await (const { key, value } of store.scan(tagRange("sieveLog"))) {
      first ??= numberOfKey(key);
      this.#nextLogRow = numberOfKey(key) + 1;
      const keys = decodeLogRow(value);
      for (const hashes of keys) this.#sieve.addHashes(hashes);
      this.#keysSinceSnapshot += keys.length;
    }
    this.#oldestLogRow = first ?? 0;
  }

  /** Without a snapshot the log alone is complete only for a young database; the rows themselves always are. */
  async #rebuild(store: Store): Promise<void> {
    await this.#loadLog(store);
    this.#keysSinceSnapshot = 0;
    const add = ({ space, words, at }: SieveKey): void => {
      this.#sieve.add(space, words, at);
      this.#keysSinceSnapshot += 1;
    };
    for (const tag of ["url", "exclusion"] as const) {
      for await (const { key } of store.scan(tagRange(tag))) add(sieveKeyOfRow(key));
    }
    for await (const { key } of store.scan(tagRange("digest"))) add(digestKey(nameOfKey(key)));
  }
}
