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

/**
 * Name of the oldest log that a manifest says is needed: that of its last entry. A manifest is a log of LevelDB's, in which
 * each entry tells what has changed. Undefined where there is none yet, as in a database that has just been made, and where
 * an entry is none that LevelDB reads.
 */
export function logNamedIn(manifest: Buffer): string | undefined {
  let number = 0;
  try {
    for (const entry of entriesOf(manifest)) number = logNumberIn(entry) ?? number;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return number === 0 ? undefined : `${String(number).padStart(numberDigits, "0")}.log`;
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

/** The log's number in an entry that has one. Errors: RangeError where it is not an entry. */
function logNumberIn(entry: Buffer): number | undefined {
  const reader = new MessageReader(entry);
  let number: number | undefined;
  while (reader.pos < reader.len) {
    const field = reader.uint32();
    if (field === fields.logNumber) number = reader.uint64Number();
    else passOver(field, reader);
  }
  return number;
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
    case fields.deletedFile:
      reader.uint32();
      reader.uint64Number();
      return;
    case fields.newFile:
      // Level, number and size; its first key and its last one.
      for (let count = 0; count < 3; count += 1) reader.uint64Number();
      for (let count = 0; count < 2; count += 1) reader.bytes();
      return;
    default:
      throw new RangeError(`a manifest has no field ${field}`);
  }
}
