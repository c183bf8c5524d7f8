import { idOf } from "../../src/core/record/id-of.ts";
import type { Millis } from "../../src/core/units.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Bytes, KeyRange, StoreEntry, StoreOp } from "../../src/ports/store.ts";
import { Sluice } from "./sluice.ts";
import { SortedRows } from "./sorted-rows.ts";

/** A constant: an abort without a reason makes an error with a stack trace, each time. */
const paceChanged = "the disk's pace has changed";

/**
 * A machine's data directory: what outlives a process.
 *
 * What is written is at first in the machine's memory, where the end of a process does it no harm; a sync makes it, and
 * all that was written before it, survive a power failure too.
 */
export class VirtualDisk {
  #rows = new SortedRows();
  /** How to take back each change since the last sync, oldest first: key and old value in turn. */
  #undo: (string | undefined)[] = [];
  /** Where each batch since the last sync begins there. */
  #batches: number[] = [];
  #written = 0;
  /** The store that has it open. */
  holder: object | undefined;
  /** While true, writing fails with DISK_FULL. */
  full = false;
  /** While true, what is written cannot be synced, and nobody can say whether it is there: that fails with STORE_IO. */
  broken = false;
  /** While it is shut, writing neither ends nor fails, and reading goes on. */
  readonly sluice = new Sluice();
  /** Written by a process that was told that it had failed, and found all the same by the next one. */
  #found: readonly StoreOp[] = [];
  #slowness = 1;
  #pace = new AbortController();

  get rows(): number {
    return this.#rows.size;
  }

  /** Bytes of keys and values written so far, overwritten ones included. */
  get bytesWritten(): number {
    return this.#written;
  }

  get(key: Bytes): Bytes | undefined {
    const value = this.#rows.get(textOf(key));
    return value === undefined ? undefined : bytesOf(value);
  }

  has(key: Bytes): boolean {
    return this.#rows.get(textOf(key)) !== undefined;
  }

  /** Whether there would be something of the key after a power failure. */
  isDurable(key: Bytes): boolean {
    const text = textOf(key);
    for (let at = 0; at < this.#undo.length; at += 2) {
      if (this.#undo[at] === text) return this.#undo[at + 1] !== undefined;
    }
    return this.#rows.get(text) !== undefined;
  }

  entries(range: KeyRange, limit = Infinity): StoreEntry[] {
    return [...this.snapshot(range, limit)];
  }

  /** The entries as they are now, each made when it is asked for. */
  snapshot(range: KeyRange, limit = Infinity): IterableIterator<StoreEntry> {
    return entriesOf(this.#rows.range(textOf(range.gte), textOf(range.lt), limit));
  }

  /** Writes without a sync; later changes of a key win. */
  apply(ops: readonly StoreOp[]): void {
    this.#batches.push(this.#undo.length);
    for (const op of ops) {
      const key = keptTextOf(op.key);
      const value = op.type === "put" ? keptTextOf(op.value) : undefined;
      this.#undo.push(key, this.#rows.set(key, value));
      this.#written += key.length + (value?.length ?? 0);
    }
  }

  /** By how much writes take longer than their options say; counts for what is under way too. */
  get slowness(): number {
    return this.#slowness;
  }

  set slowness(factor: number) {
    this.#slowness = factor;
    this.#pace.abort(paceChanged);
    this.#pace = new AbortController();
  }

  /** Takes the time of a piece of work that takes `workMs` on a disk of the usual speed. */
  async spend(clock: Clock, workMs: Millis): Promise<void> {
    let leftMs = workMs;
    while (leftMs > 0) {
      const [factor, startMs] = [this.#slowness, clock.nowMs()];
      const { signal } = this.#pace;
      await clock.sleep(leftMs * factor, signal);
      if (!signal.aborted) return;
      leftMs -= (clock.nowMs() - startMs) / factor;
    }
  }

  /** A write that has failed, and is there: its process does not see it, and the next one does. */
  applyUnseen(ops: readonly StoreOp[]): void {
    this.#found = ops;
  }

  /** A process opens what is there. */
  open(): void {
    const found = this.#found;
    this.#found = [];
    if (found.length > 0) this.apply(found);
  }

  /** Makes everything written so far durable. */
  sync(): void {
    this.#undo = [];
    this.#batches = [];
  }

  /** What a power failure does. The system may have written out the oldest batches by then: that share of them stays. */
  dropUnsynced(keptShare = 0): void {
    this.#found = [];
    const end = this.#batches[Math.floor(keptShare * this.#batches.length)] ?? 0;
    for (let at = this.#undo.length - 2; at >= end; at -= 2) {
      this.#rows.set(this.#undo[at] ?? "", this.#undo[at + 1]);
    }
    this.sync();
  }

  /** Loses everything. */
  wipe(): void {
    this.#rows = new SortedRows();
    this.#found = [];
    this.sync();
  }
}

/** From that many bytes on the platform's conversion is faster than a call with as many arguments or a loop. */
const longBytes = 48;

/** One character for each byte: their order is the order of the bytes. */
function textOf(bytes: Bytes): string {
  if (bytes.length <= longBytes) return idOf(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

/** Texts that were kept last, each at a place that some of its bytes name. */
const recent: string[] = Array.from({ length: 16_384 }, () => "");
/** Longer ones are few, and would be kept when no disk has them any more. */
const recentLengthMax = 1_024;

/** The text of something that stays: what a member writes its replicas write soon after, and one text serves all their disks. */
function keptTextOf(bytes: Bytes): string {
  const text = textOf(bytes);
  if (text.length > recentLengthMax) return text;
  const at = placeOf(bytes);
  const kept = recent[at];
  if (kept === text) return kept;
  recent[at] = text;
  return text;
}

/** By bytes of the second half: keys that differ, and stand together, differ there. */
function placeOf(bytes: Bytes): number {
  const { length } = bytes;
  const step = (length >> 4) + 1;
  let place = length;
  for (let at = length >> 1; at < length; at += step)
    place = Math.imul(place, 31) + (bytes[at] ?? 0);
  return place & (recent.length - 1);
}

/** Memory for many small values at once: one of its own costs ten times as much to come by. */
const slabBytes = 8_192;
let slab = Buffer.allocUnsafeSlow(slabBytes);
let slabUsed = 0;

function bytesOf(text: string): Bytes {
  if (text.length > slabBytes / 16) return new Uint8Array(Buffer.from(text, "latin1"));
  if (slabUsed + text.length > slabBytes) {
    slab = Buffer.allocUnsafeSlow(slabBytes);
    slabUsed = 0;
  }
  const start = slabUsed;
  slabUsed += slab.write(text, start, "latin1");
  return new Uint8Array(slab.buffer, start, text.length);
}

function* entriesOf(rows: readonly string[]): Generator<StoreEntry, undefined> {
  for (let at = 0; at < rows.length; at += 2) {
    yield { key: bytesOf(rows[at] ?? ""), value: bytesOf(rows[at + 1] ?? "") };
  }
}
