import {
  exclusionSpace,
  nameOfKey,
  numberOfKey,
  numberedKey,
  readUrlKey,
  tagRange,
  territorialTagOf,
} from "../../core/record/keys.ts";
import { Sieve } from "../../core/sieve/sieve.ts";
import type { SieveOptions } from "../../core/sieve/sieve.ts";
import { fingerprintOf } from "../../core/url/fingerprint.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Store, StoreOp } from "../../ports/store.ts";

export interface SieveKey {
  readonly space: number;
  readonly words: Uint32Array;
  readonly at: number;
}

/** What the sieve keeps of the row of a URL or of an exclusion. */
export function sieveKeyOfRow(rowKey: Uint8Array): SieveKey {
  const { words, space } = readUrlKey(rowKey);
  const isExclusion = territorialTagOf(rowKey) === "exclusion";
  return { space: isExclusion ? exclusionSpace(space) : space, words, at: 0 };
}

/** Bytes of a key in the log: job number and fingerprint. */
const keyBytes = 20;

/**
 * Keys admitted between two snapshots: what a start after a crash has to read, some 20 MB.
 */
const keysPerSnapshot = 1_000_000;

/** The space of payload digests; no job has it, since a job's number is a hash. */
export const digestSpace = 0;

/**
 * Brings the sieve back after a restart: a snapshot in the database, and since then the keys of each commit.
 *
 * Invariant: snapshot and log together hold every key whose row is durable, because the log is written by the same
 * batch as the rows, and a snapshot deletes only log rows whose keys it holds.
 */
export class SieveKeeper {
  readonly #options: Partial<SieveOptions>;
  readonly #logger: Logger;
  #sieve: Sieve;
  #nextLogRow = 0;
  #oldestLogRow = 0;
  #keysSinceSnapshot = 0;
  #chunks = 0;

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
    const value = new Uint8Array(keys.length * keyBytes);
    const view = new DataView(value.buffer);
    keys.forEach(({ space, words, at }, index) => {
      view.setUint32(index * keyBytes, space);
      for (let word = 0; word < 4; word += 1) {
        view.setUint32(index * keyBytes + 4 + word * 4, words[at + word] ?? 0);
      }
    });
    this.#keysSinceSnapshot += keys.length;
    const key = numberedKey("sieveLog", this.#nextLogRow);
    this.#nextLogRow += 1;
    return [{ type: "put", key, value }];
  }

  get snapshotDue(): boolean {
    return this.#keysSinceSnapshot >= keysPerSnapshot;
  }

  /** One atomic change that replaces snapshot and log; nothing when there is nothing new. */
  snapshot(): readonly StoreOp[] {
    if (this.#keysSinceSnapshot === 0) return [];
    const ops: StoreOp[] = [];
    let chunks = 0;
    for (const value of this.#sieve.snapshot()) {
      ops.push({ type: "put", key: numberedKey("sieveSnapshot", chunks), value });
      chunks += 1;
    }
    for (let stale = chunks; stale < this.#chunks; stale += 1) {
      ops.push({ type: "del", key: numberedKey("sieveSnapshot", stale) });
    }
    this.#chunks = chunks;
    for (let row = this.#oldestLogRow; row < this.#nextLogRow; row += 1) {
      ops.push({ type: "del", key: numberedKey("sieveLog", row) });
    }
    this.#oldestLogRow = this.#nextLogRow;
    this.#keysSinceSnapshot = 0;
    return ops;
  }

  async #loadSnapshot(store: Store): Promise<boolean> {
    const chunks: Uint8Array[] = [];
    for await (const { value } of store.scan(tagRange("sieveSnapshot"))) chunks.push(value);
    this.#chunks = chunks.length;
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
      this.#addLogged(value);
    }
    this.#oldestLogRow = first ?? 0;
  }

  #addLogged(value: Uint8Array): void {
    const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
    const words = new Uint32Array(4);
    for (let at = 0; at + keyBytes <= value.length; at += keyBytes) {
      for (let word = 0; word < 4; word += 1) words[word] = view.getUint32(at + 4 + word * 4);
      this.#sieve.add(view.getUint32(at), words, 0);
      this.#keysSinceSnapshot += 1;
    }
  }

  /** Without a snapshot the log alone is complete only for a young database; the rows themselves always are. */
  async #rebuild(store: Store): Promise<void> {
    await this.#loadLog(store);
    for await (const { key } of store.scan(tagRange("url"))) {
      const { words, space } = readUrlKey(key);
      this.#sieve.add(space, words, 0);
    }
    for await (const { key } of store.scan(tagRange("exclusion"))) {
      const { words, space } = readUrlKey(key);
      this.#sieve.add(exclusionSpace(space), words, 0);
    }
    for await (const { key } of store.scan(tagRange("digest"))) {
      this.#sieve.add(digestSpace, fingerprintOf(nameOfKey(key)), 0);
    }
  }
}
