import { open, readFile, rename } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { cdxjLine, parseCdxjPlace } from "../../core/archive/cdxj.ts";
import { onDisk, removeFile, unlessMissing } from "./archive-files.ts";
import type { ArchivePaths } from "./file-names.ts";
import { gzipMembers } from "./gzip-members.ts";
import { parseStoredRecord } from "./stored-record.ts";

/**
 * The index of one archive file. While the file is open, lines are appended to `.cdxj.open` in the order of the
 * records, without fsync: whatever is missing after a crash is read again from the records themselves. When the file
 * is finished, the lines are sorted into `.cdxj`.
 *
 * Invariant: a `.cdxj` is complete and sorted; it gets its name only after it is durable.
 */

export interface IndexRequest {
  /** Where the records stand now: the open or the finished file. */
  readonly warc: string;
  /** Where the appended lines are, if there are any. */
  readonly openIndex: string;
  /** Final name of the archive file, as the lines have it. */
  readonly file: string;
  /** Bytes of the file that count. */
  readonly bytes: number;
  readonly recordBytesMax: number;
}

export interface CompleteIndex {
  /** In the order of the records. */
  readonly lines: readonly string[];
  /** End of the last whole record; less than `bytes` when what follows is torn. */
  readonly end: number;
}

/**
 * The lines of an archive file: the appended ones as far as they make sense, then those of the records that follow.
 *
 * After the end of the process only a request record follows the last line, so this reads next to nothing; after a
 * power failure it reads what the index lost.
 */
export async function completeIndex(request: IndexRequest): Promise<CompleteIndex> {
  const { warc, file, bytes, recordBytesMax } = request;
  const { lines, end: indexed } = await appendedLines(request);
  let end = indexed;
  for await (const { offset, length, content } of gzipMembers(warc, end, bytes, recordBytesMax)) {
    const record = await parseStoredRecord(content);
    if (record !== undefined) lines.push(cdxjLine(record.index, { file, offset, length }));
    end = offset + length;
  }
  return { lines, end };
}

/** The longest run of good lines from the start, and the end of the last record that they speak of. */
async function appendedLines(request: IndexRequest): Promise<{ lines: string[]; end: number }> {
  const text = (await unlessMissing(() => readFile(request.openIndex, "latin1"))) ?? "";
  const lines: string[] = [];
  let end = 0;
  let at = 0;
  for (;;) {
    const lineEnd = text.indexOf("\n", at) + 1;
    if (lineEnd === 0) break;
    const line = text.slice(at, lineEnd);
    const place = parseCdxjPlace(line);
    if (place?.file !== request.file || place.offset < end) break;
    if (place.offset + place.length > request.bytes) break;
    lines.push(line);
    end = place.offset + place.length;
    at = lineEnd;
  }
  return { lines, end };
}

/** Writes the sorted index of a finished file and removes the appended lines. */
export async function writeIndex(paths: ArchivePaths, lines: readonly string[]): Promise<void> {
  await onDisk(paths.index, async () => {
    const sorted = await sortInTurns(lines);
    const draft = await open(paths.draftIndex, "w");
    try {
      for (let i = 0; i < sorted.length; i += linesPerTurn) {
        await draft.appendFile(sorted.slice(i, i + linesPerTurn).join(""), "latin1");
      }
      await draft.datasync();
    } finally {
      await draft.close();
    }
    await rename(paths.draftIndex, paths.index);
    await removeFile(paths.openIndex);
  });
}

/** Lines handled before others get their turn: a few milliseconds, since this runs beside the crawl. */
const linesPerTurn = 4096;

/** Merge sort that gives way between its parts. Strings of ASCII compare as their bytes do. */
async function sortInTurns(lines: readonly string[]): Promise<readonly string[]> {
  let runs: string[][] = [];
  for (let i = 0; i < lines.length; i += linesPerTurn) {
    runs.push(lines.slice(i, i + linesPerTurn).sort());
    await setImmediate();
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(await mergeInTurns(runs[i] ?? [], runs[i + 1] ?? []));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergeInTurns(left: readonly string[], right: readonly string[]): Promise<string[]> {
  const merged: string[] = [];
  let l = 0;
  let r = 0;
  for (;;) {
    const a = left[l];
    const b = right[r];
    if (a === undefined && b === undefined) return merged;
    if (b === undefined || (a !== undefined && a <= b)) {
      merged.push(a ?? "");
      l++;
    } else {
      merged.push(b);
      r++;
    }
    if (merged.length % linesPerTurn === 0) await setImmediate();
  }
}
