import { open, readdir, readFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { damageInTable } from "./damage-in-table.ts";
import { ifGone } from "./if-gone.ts";
import { isWhole, logBlockBytes, recordEnd, recordHeadBytes } from "./log-record.ts";
import { filesNamedIn, type ManifestFiles } from "./manifest.ts";
import type { Mark } from "./mark.ts";

const blocksPerRead = 32;

/** What the file `CURRENT` names until the first log is there. */
const firstManifest = "MANIFEST-000001";

/** What the file `CURRENT` holds: a manifest's name in a line. */
const currentPattern = /^MANIFEST-\d+\n$/u;

/** Kinds of a record that is a whole batch, and of one that is the first part of a batch. */
const beginnings: readonly (number | undefined)[] = [1, 2];

/**
 * Refuses a database of which LevelDB would make less than what was confirmed, without a word: for want of a file, or of the
 * rest of a log. What stands in its tables is taken as it is, see {@link refuseDamagedTables}.
 *
 * Errors: `LEVEL_CORRUPTION`, as LevelDB's own.
 */
export async function refuseDamaged(directory: string): Promise<void> {
  const names = await readdir(directory).catch(ifGone);
  if (!names) return;
  refuseHeadless(names);
  await refuseLogless(directory);
  for (const name of names) if (name.endsWith(".log")) await refuseDamagedLog(directory, name);
}

/**
 * Without its file `CURRENT`, LevelDB takes a directory for a new one and deletes all that is there. It writes that file
 * before the first log and table, so these without it are a damaged database.
 */
function refuseHeadless(names: readonly string[]): void {
  if (names.includes("CURRENT")) return;
  if (names.some((name) => /\.(?:ldb|log|sst)$/u.test(name))) {
    throw corruption("the file CURRENT is missing");
  }
}

/**
 * Without a log LevelDB goes on with what is in tables, and without a word. It makes the first log before its second
 * manifest, and a new one before it deletes the one before: only a database whose making was cut short has none.
 *
 * Nor does it say a word where the end of the manifest is missing: the tables that only stood there it takes for litter,
 * and deletes. But the log that the manifest names as the oldest one that is needed is deleted when a later entry, which
 * was synced, names another. So where it is missing, that entry is too, or the log was lost.
 *
 * Another process may have the database open, which is told later, and its files come and go in between: what is missed
 * only counts where the manifest still says the same after that.
 */
async function refuseLogless(directory: string): Promise<void> {
  let told: string | undefined;
  for (;;) {
    const current = await currentManifest(directory);
    if (!current) return;
    const { name: manifest, files } = current;
    const log = files?.log;
    const names = await readdir(directory);
    const hasLog = names.some((name) => name.endsWith(".log"));
    if (log === undefined ? hasLog || manifest === firstManifest : names.includes(log)) return;
    const problem = hasLog
      ? `${manifest} ends too early, or ${log} is missing`
      : "its log is missing";
    const telling = `${manifest} ${log}`;
    if (telling === told) throw corruption(problem);
    told = telling;
  }
}

/**
 * Refuses a database that was written to and has nothing left: LevelDB goes on with an empty one where its log was emptied, or
 * is full of zeros, before any row came into a table. `unwritten` is there until something was written for good.
 *
 * Another process may have it open here, too. The order counts: a database is marked before it is made, and rows are in a
 * table before their log is deleted.
 *
 * Errors: `LEVEL_CORRUPTION`, as LevelDB's own.
 */
export async function refuseEmptied(directory: string, unwritten: Mark): Promise<void> {
  if (!(await currentManifest(directory)) || (await unwritten.isThere())) return;
  for (const name of await readdir(directory)) {
    if (name.endsWith(".log") && (await hasBatch(join(directory, name)))) return;
  }
  const manifest = await currentManifest(directory);
  if (manifest?.files?.tables.size === 0) {
    throw corruption("nothing is left of what was in its log");
  }
}

/** Whether the first record of a log is whole: LevelDB reads it, then. */
async function hasBatch(path: string): Promise<boolean> {
  const file = await open(path, "r").catch(ifGone);
  if (!file) return false;
  try {
    const block = Buffer.allocUnsafe(logBlockBytes);
    const { bytesRead } = await file.read(block, 0, block.length, 0);
    return bytesRead >= recordHeadBytes && isWhole(block.subarray(0, bytesRead), 0);
  } finally {
    await file.close();
  }
}

/** What LevelDB finds in the file `CURRENT`. */
interface Manifest {
  readonly name: string;
  /** Undefined where the manifest is missing, or LevelDB itself refuses it. */
  readonly files: ManifestFiles | undefined;
}

/** The manifest that is in use; nothing where all is made anew. */
async function currentManifest(directory: string): Promise<Manifest | undefined> {
  const current = await readFile(join(directory, "CURRENT"), "utf8").catch(ifGone);
  if (current === undefined) return undefined;
  // Empty, or zeros, where a power failure has taken what was in it: no name that the system could look for.
  if (!currentPattern.test(current)) throw corruption("the file CURRENT names no manifest");
  const name = current.trim();
  const content = await readFile(join(directory, name)).catch(ifGone);
  return { name, files: content && filesNamedIn(content) };
}

/** Is told how many bytes of the tables are verified, of all. */
export type OnVerified = (bytes: number, ofBytes: number) => void;

/**
 * Refuses a database with a table that is not as it was written. LevelDB verifies checksums only where it is told to, which
 * the binding cannot. An entry of zeros ends the process in an assertion (`ExtractUserKey` of `db/dbformat.h`) as soon as it
 * is read or compacted, in an index as in a block of rows; a block with zeros at its end passes for an empty one, and its
 * rows are gone without a word.
 *
 * All of it is read, in a megabyte of memory: the blocks that only tell of others are a few hundredths, and leave the rows,
 * which are most of what a disk can lose. Measured at 200 to 400 MB a second, so it is not for every start.
 *
 * Errors: `LEVEL_CORRUPTION`, as LevelDB's own.
 */
export async function refuseDamagedTables(
  directory: string,
  onVerified: OnVerified,
): Promise<void> {
  const manifest = await currentManifest(directory);
  const tables = [...(manifest?.files?.tables ?? [])];
  const ofBytes = tables.reduce((sum, [, bytes]) => sum + bytes, 0);
  let verified = 0;
  for (const [name, bytes] of tables) {
    await refuseDamagedTable(directory, name, bytes);
    verified += bytes;
    onVerified(verified, ofBytes);
  }
}

async function refuseDamagedTable(directory: string, name: string, bytes: number): Promise<void> {
  // Of one that is missing LevelDB says so itself.
  const file = await open(join(directory, name), "r").catch(ifGone);
  try {
    const damagedAt = file && (await damageInTable(file, bytes));
    if (damagedAt !== undefined) throw corruption(`${name} is damaged at byte ${damagedAt}`);
  } finally {
    await file?.close();
  }
}

/**
 * LevelDB passes over what it cannot read of a log. At its end that is the batch which a power failure has cut off and
 * which was never confirmed. But a batch is begun when the one before it is durable: what stands before the beginning of
 * another has been confirmed.
 */
async function refuseDamagedLog(directory: string, name: string): Promise<void> {
  const file = await open(join(directory, name), "r").catch(ifGone);
  try {
    const damagedAt = file && (await damageIn(file));
    if (damagedAt !== undefined) {
      throw corruption(`${name} is damaged at byte ${damagedAt}, before its end`);
    }
  } finally {
    await file?.close();
  }
}

function corruption(problem: string): Error {
  return Object.assign(new Error(`Corruption: ${problem}`), { code: "LEVEL_CORRUPTION" });
}

/** Offset of the first record of a log (LevelDB's `doc/log_format.md`) that cannot be read and is not the last. */
async function damageIn(file: FileHandle): Promise<number | undefined> {
  const buffer = Buffer.allocUnsafe(blocksPerRead * logBlockBytes);
  let damagedAt: number | undefined;
  for (let position = 0; ; position += buffer.length) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    for (let at = 0; at < bytesRead; at += logBlockBytes) {
      const block = buffer.subarray(at, Math.min(at + logBlockBytes, bytesRead));
      const { unreadableAt, batchBegins } = readBlock(block, damagedAt !== undefined);
      if (unreadableAt !== undefined) damagedAt ??= position + at + unreadableAt;
      if (batchBegins) return damagedAt;
    }
    if (bytesRead < buffer.length) return undefined;
  }
}

interface BlockFindings {
  /** Offset in the block of the first record that is not whole. */
  readonly unreadableAt?: number;
  /** Whether a batch begins behind damage, be it in this block or before it. */
  readonly batchBegins: boolean;
}

function readBlock(block: Buffer, isBehindDamage: boolean): BlockFindings {
  for (let at = 0; at + recordHeadBytes <= block.length; at = recordEnd(block, at)) {
    if (!isWhole(block, at)) {
      return { unreadableAt: at, batchBegins: batchBeginsBehind(block, at) };
    }
    if (isBehindDamage && beginsBatch(block, at)) return { batchBegins: true };
  }
  return { batchBegins: false };
}

/**
 * Whether a batch begins in a block behind a record that is not whole. Where that record ends is not known, since its length
 * may be what is damaged: so every byte is tried. Bytes that are no record pass for one by chance once in 2^32 trials.
 * Takes about 6 ms, and 0.7 s where the bytes were chosen to make it slow.
 */
function batchBeginsBehind(block: Buffer, unreadableAt: number): boolean {
  for (let at = unreadableAt + 1; at + recordHeadBytes <= block.length; at += 1) {
    // The kind first: a checksum of every byte's record would take some hundred times as long.
    if (beginsBatch(block, at) && isWhole(block, at)) return true;
  }
  return false;
}

function beginsBatch(block: Buffer, at: number): boolean {
  return beginnings.includes(block[at + 6]);
}
