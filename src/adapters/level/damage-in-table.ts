import type { FileHandle } from "node:fs/promises";
import { MessageReader } from "../../core/protobuf/message-reader.ts";
import { maskedCrc32c } from "./masked-crc32c.ts";

/** Where a block lies, without the kind and the checksum behind it. */
interface BlockHandle {
  readonly offset: number;
  readonly bytes: number;
}

/** Two handles, filled up to forty bytes, and the magic number. */
const footerBytes = 48;
const handlesBytes = 40;
const magicNumber = 0xdb4775248b80fb57n;

/** Kind (one byte) and checksum (four) behind a block. */
const kindBytes = 1;
const trailerBytes = kindBytes + 4;

/** An entry of a block of which the place is known; the blocks end with such places, and their number. */
const restartBytes = 4;

/** Read at once: some hundred blocks. A block that is longer is read as a whole. */
const windowBytes = 1024 * 1024;

/**
 * Where a table of so many `bytes` (LevelDB's `doc/table_format.md`) is not as it was written: at the offset of its footer,
 * of the block that tells of others, or of the first other block. Undefined where it is whole.
 *
 * Invariant: nothing is read beyond the table's end, whatever stands in it.
 */
export async function damageInTable(file: FileHandle, bytes: number): Promise<number | undefined> {
  const blocks = new Blocks(file, bytes - footerBytes);
  const footer = await blocks.footer();
  if (!footer) return Math.max(0, bytes - footerBytes);
  for (const teller of footer) {
    const block = await blocks.read(teller);
    if (!block) return teller.offset;
    const told = handlesIn(block);
    if (!told) return teller.offset;
    for (const handle of told) if (!(await blocks.read(handle))) return handle.offset;
  }
  return undefined;
}

/** The blocks of a table, which are mostly asked for in their order. */
class Blocks {
  readonly #file: FileHandle;
  /** Where the footer begins. */
  readonly #end: number;
  readonly #buffer = Buffer.allocUnsafe(windowBytes);
  #window = this.#buffer.subarray(0, 0);
  #windowAt = 0;

  constructor(file: FileHandle, end: number) {
    this.#file = file;
    this.#end = end;
  }

  /** The blocks that tell of others: the index, of rows, and the one of all else. Undefined where it is no footer. */
  async footer(): Promise<readonly BlockHandle[] | undefined> {
    const footer = this.#end < 0 ? undefined : await this.#bytesAt(this.#end, footerBytes);
    if (footer?.readBigUInt64LE(handlesBytes) !== magicNumber) return undefined;
    return ifReadable(() => {
      const reader = new MessageReader(footer.subarray(0, handlesBytes));
      const others = readHandle(reader);
      return [readHandle(reader), others];
    });
  }

  /**
   * A block that has the checksum behind it, until another one is read; undefined where it has not, or does not lie in the
   * table.
   */
  async read({ offset, bytes }: BlockHandle): Promise<Buffer | undefined> {
    if (offset + bytes + trailerBytes > this.#end) return undefined;
    const stored = await this.#bytesAt(offset, bytes + trailerBytes);
    if (!stored) return undefined;
    const summed = stored.subarray(0, bytes + kindBytes);
    const isWhole = stored.readUInt32LE(summed.length) === maskedCrc32c(summed);
    return isWhole ? stored.subarray(0, bytes) : undefined;
  }

  /** Undefined where the file ends before. */
  async #bytesAt(offset: number, bytes: number): Promise<Buffer | undefined> {
    let from = offset - this.#windowAt;
    if (from < 0 || from + bytes > this.#window.length) {
      const wanted = Math.max(bytes, Math.min(windowBytes, this.#end - offset));
      const buffer = wanted > windowBytes ? Buffer.allocUnsafe(wanted) : this.#buffer;
      const { bytesRead } = await this.#file.read(buffer, 0, wanted, offset);
      this.#window = buffer.subarray(0, bytesRead);
      this.#windowAt = offset;
      from = 0;
    }
    return from + bytes > this.#window.length
      ? undefined
      : this.#window.subarray(from, from + bytes);
  }
}

/** The handles that are the values of a block's entries. Undefined where it is no such block. */
function handlesIn(block: Buffer): readonly BlockHandle[] | undefined {
  return ifReadable(() => {
    const restartsAt = block.length - restartBytes;
    const entriesEnd = restartsAt - block.readUInt32LE(restartsAt) * restartBytes;
    if (entriesEnd < 0) return undefined;
    const reader = new MessageReader(block.subarray(0, entriesEnd));
    const handles: BlockHandle[] = [];
    while (reader.pos < reader.len) {
      // Bytes of the key that are those of the key before.
      reader.uint32();
      const [keyBytes, valueBytes] = [reader.uint32(), reader.uint32()];
      const valueAt = reader.pos + keyBytes;
      reader.pos = valueAt;
      handles.push(readHandle(reader));
      reader.pos = valueAt + valueBytes;
    }
    return handles;
  });
}

function readHandle(reader: MessageReader): BlockHandle {
  return { offset: reader.uint64Number(), bytes: reader.uint64Number() };
}

function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
