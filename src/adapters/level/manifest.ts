import { MessageReader } from "../../core/protobuf/message-reader.ts";
import { isWhole, logBlockBytes, recordEnd, recordHeadBytes } from "./log-record.ts";

/** Kinds of a record: a whole entry, or a part of one. */
const kinds = { full: 1, first: 2, middle: 3, last: 4 } as const;

/** Fields of an entry (LevelDB's `db/version_edit.cc`). */
const fields = {
  comparator: 1,
  logNumber: 2,
  nextFileNumber: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  prevLogNumber: 9,
} as const;

/** Digits of a file's number in its name, at least. */
const numberDigits = 6;

/** What a manifest says of the files that a database is made of. */
export interface ManifestFiles {
  /** Name of the oldest log that is needed. Undefined where there is none yet, as in a database that has just been made. */
  readonly log: string | undefined;
  /** The tables that are in use, by their names, with the bytes of each. */
  readonly tables: ReadonlyMap<string, number>;
}

/**
 * What a manifest says when all of its entries are heard: it is a log of LevelDB's, in which each entry tells what has
 * changed. Undefined where an entry is none that LevelDB reads.
 */
export function filesNamedIn(manifest: Buffer): ManifestFiles | undefined {
  let log = 0;
  const tables = new Map<string, number>();
  try {
    for (const entry of entriesOf(manifest)) log = takeEntry(entry, tables) ?? log;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return { log: log === 0 ? undefined : fileName(log, "log"), tables };
}

function fileName(number: number, ending: "ldb" | "log"): string {
  return `${String(number).padStart(numberDigits, "0")}.${ending}`;
}

/** The entries before the first record that is not whole. */
function* entriesOf(manifest: Buffer): Generator<Buffer> {
  let parts: Buffer[] = [];
  for (let from = 0; from < manifest.length; from += logBlockBytes) {
    const block = manifest.subarray(from, from + logBlockBytes);
    for (let at = 0; at + recordHeadBytes <= block.length; at = recordEnd(block, at)) {
      if (!isWhole(block, at)) return;
      const kind = block[at + recordHeadBytes - 1];
      if (kind === kinds.full || kind === kinds.first) parts = [];
      parts.push(block.subarray(at + recordHeadBytes, recordEnd(block, at)));
      if (kind === kinds.full || kind === kinds.last) yield Buffer.concat(parts);
    }
  }
}

/**
 * Takes what an entry says into `tables`, and returns the log's number in one that has it. A table that only moves to another
 * level is deleted and new in one entry, in this order. Errors: RangeError where it is not an entry.
 */
function takeEntry(entry: Buffer, tables: Map<string, number>): number | undefined {
  const reader = new MessageReader(entry);
  let log: number | undefined;
  while (reader.pos < reader.len) {
    const field = reader.uint32();
    switch (field) {
      case fields.logNumber:
        log = reader.uint64Number();
        break;
      case fields.deletedFile:
        reader.uint32();
        tables.delete(fileName(reader.uint64Number(), "ldb"));
        break;
      case fields.newFile:
        takeTable(reader, tables);
        break;
      default:
        passOver(field, reader);
    }
  }
  return log;
}

function takeTable(reader: MessageReader, tables: Map<string, number>): void {
  const [, number, bytes] = [reader.uint32(), reader.uint64Number(), reader.uint64Number()];
  tables.set(fileName(number, "ldb"), bytes);
  // Its first key and its last one.
  for (let count = 0; count < 2; count += 1) reader.bytes();
}

function passOver(field: number, reader: MessageReader): void {
  switch (field) {
    case fields.comparator:
      reader.bytes();
      return;
    case fields.nextFileNumber:
    case fields.lastSequence:
    case fields.prevLogNumber:
      reader.uint64Number();
      return;
    case fields.compactPointer:
      reader.uint32();
      reader.bytes();
      return;
    default:
      throw new RangeError(`a manifest has no field ${field}`);
  }
}
