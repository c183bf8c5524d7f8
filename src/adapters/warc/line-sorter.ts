import { open, type FileHandle } from "node:fs/promises";
import { removeFile } from "./archive-files.ts";
import { textLines } from "./text-lines.ts";

/** Lines that are sorted at once, while nothing else gets its turn: a few milliseconds, and 1 MiB or so. */
const runLines = 4_096;

/** Bytes of each run that are in memory while runs are merged. */
const readAhead = 16 * 1_024;

/** A run that is being read: the lines in memory, and what brings more. */
interface Cursor {
  readonly more: AsyncIterator<readonly string[]>;
  lines: readonly string[];
  at: number;
}

/**
 * Sorts the lines of an index in little memory, however many there are: runs that are sorted one by one go into a file, and
 * are merged from there (external merge sort: Knuth, The Art of Computer Programming, volume 3, section 5.4).
 *
 * Lines end with a line feed and are ASCII, so that they compare as their bytes do.
 */
export class LineSorter implements AsyncDisposable {
  readonly #path: string;
  #file: FileHandle | undefined;
  /** Where each run ends in the file. */
  readonly #ends: number[] = [];
  #run: string[] = [];
  #lines = 0;

  /** `path` names a file for the runs; it is made when there is a second one. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Lines added so far. */
  get lines(): number {
    return this.#lines;
  }

  async add(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      if (this.#run.length >= runLines) await this.#spill();
      this.#run.push(line);
      this.#lines += 1;
    }
  }

  async #spill(): Promise<void> {
    this.#file ??= await open(this.#path, "w+");
    const bytes = Buffer.from(this.#run.sort().join(""), "latin1");
    this.#run = [];
    await this.#file.appendFile(bytes);
    this.#ends.push((this.#ends.at(-1) ?? 0) + bytes.length);
  }

  /** All lines in order, some at a time. Called once, after the last one was added. */
  async *sorted(): AsyncGenerator<readonly string[], void, undefined> {
    // Those with the smallest next line come first.
    const cursors: Cursor[] = [];
    for (const more of [...this.#spilled(), batchesOf(this.#run.sort())]) {
      const cursor = { more, lines: [], at: 0 };
      if (await readOn(cursor)) place(cursor, cursors);
    }
    let batch: string[] = [];
    for (let first = cursors[0]; first !== undefined; first = cursors[0]) {
      batch.push(nextOf(first));
      first.at += 1;
      cursors.shift();
      if (first.at < first.lines.length || (await readOn(first))) place(first, cursors);
      if (batch.length < runLines) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }

  /** Removes the file. Idempotent. */
  async dispose(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    await file.close();
    await removeFile(this.#path);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  #spilled(): AsyncIterator<readonly string[]>[] {
    const file = this.#file;
    if (file === undefined) return [];
    return this.#ends.map((end, at) => textLines(file, this.#ends[at - 1] ?? 0, end, readAhead));
  }
}

async function* batchesOf(lines: readonly string[]): AsyncGenerator<readonly string[]> {
  yield await Promise.resolve(lines);
}

/** Reads on where all lines in memory are done with; false at the end of the run. */
async function readOn(cursor: Cursor): Promise<boolean> {
  const next = await cursor.more.next();
  cursor.lines = next.done === true ? [] : next.value;
  cursor.at = 0;
  return cursor.lines.length > 0;
}

function nextOf({ lines, at }: Cursor): string {
  return lines[at] ?? "";
}

/** Puts the cursor where its next line belongs. There are some dozens of them: no heap would be faster. */
function place(cursor: Cursor, cursors: Cursor[]): void {
  const line = nextOf(cursor);
  let [low, high] = [0, cursors.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = cursors[middle];
    if (other !== undefined && nextOf(other) < line) low = middle + 1;
    else high = middle;
  }
  cursors.splice(low, 0, cursor);
}
