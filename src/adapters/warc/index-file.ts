import { open, rename } from "node:fs/promises";
import { cdxjLine, type CdxjPlace, parseCdxjPlace } from "../../core/archive/cdxj.ts";
import { onDisk, removeFile, unlessMissing } from "./archive-files.ts";
import type { ArchivePaths } from "./file-names.ts";
import { gzipMembers } from "./gzip-members.ts";
import type { LineSorter } from "./line-sorter.ts";
import { parseStoredRecord } from "./stored-record.ts";
import { textLines } from "./text-lines.ts";

/**
 * The index of one archive file. While the file is open, lines are appended to `.cdxj.open` in the order of the
 * records, without fsync: whatever is missing after a crash is read again from the records themselves. When the file
 * is finished, the lines are sorted into `.cdxj`.
 *
 * Invariant: a `.cdxj` is complete and sorted; it gets its name only after it is durable.
 */

/** Bytes of appended lines that are read and looked at in one turn of the event loop. */
const bytesPerTurn = 64 * 1_024;

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
  readonly onIndexed: OnIndexed;
}

/**
 * Is told of each record of a file that is read for its index: where it ends, of how many bytes. A whole file of a gigabyte
 * takes minutes.
 */
export type OnIndexed = (file: string, bytes: number, ofBytes: number) => void;

/**
 * Adds the lines of an archive file to `sorter`: the appended ones as far as they make sense, then those of the records that
 * follow. Returns the end of the last whole record, which is less than `bytes` when what follows is torn.
 *
 * After the end of the process only a request record follows the last line, so this reads next to nothing; after a
 * power failure it reads what the index lost.
 */
export async function completeIndex(request: IndexRequest, sorter: LineSorter): Promise<number> {
  const { warc, file, bytes, recordBytesMax, onIndexed } = request;
  let end = await addAppended(request, sorter);
  for await (const { offset, length, content } of gzipMembers(warc, end, bytes, recordBytesMax)) {
    const record = await parseStoredRecord(content);
    if (record !== undefined) {
      await sorter.add([cdxjLine(record.index, { file, offset, length })]);
    }
    end = offset + length;
    onIndexed(file, end, bytes);
  }
  return end;
}

/** The longest run of good lines from the start; returns the end of the last record that they speak of. */
async function addAppended(request: IndexRequest, sorter: LineSorter): Promise<number> {
  let end = 0;
  for await (const lines of appendedLines(request.openIndex)) {
    const good: string[] = [];
    for (const line of lines) {
      const place = parseCdxjPlace(line);
      if (place?.file !== request.file || place.offset < end) break;
      if (place.offset + place.length > request.bytes) break;
      good.push(line);
      end = place.offset + place.length;
    }
    await sorter.add(good);
    if (good.length < lines.length) break;
  }
  return end;
}

/**
 * Whether a record of the archive file begins at the place, and is as long; undefined where there is no index. The appended
 * lines are looked at first, since they are removed last.
 */
export async function isIndexed(
  { openIndex, index }: ArchivePaths,
  place: CdxjPlace,
): Promise<boolean | undefined> {
  return (await hasLineOf(openIndex, place)) ?? hasLineOf(index, place);
}

/** Undefined where there is no line at all, which no index lacks. */
function hasLineOf(path: string, place: CdxjPlace): Promise<boolean | undefined> {
  const { file, offset, length } = place;
  // Few lines are worth taking apart.
  const mark = `"${offset}"`;
  return onDisk(path, async () => {
    let found: boolean | undefined;
    for await (const lines of appendedLines(path)) {
      found = lines.some((line) => {
        const one = line.includes(mark) ? parseCdxjPlace(line) : undefined;
        return one?.file === file && one.offset === offset && one.length === length;
      });
      if (found) break;
    }
    return found;
  });
}

/** What was appended to an index so far, some lines at a time; nothing where the file is missing. */
export async function* appendedLines(
  openIndex: string,
): AsyncGenerator<readonly string[], void, undefined> {
  const file = await unlessMissing(() => open(openIndex));
  if (file === undefined) return;
  try {
    yield* textLines(file, 0, (await file.stat()).size, bytesPerTurn);
  } finally {
    await file.close();
  }
}

/** Writes the lines of `sorter` as the index of a finished file, and removes those that were appended. */
export async function writeIndex(paths: ArchivePaths, sorter: LineSorter): Promise<void> {
  await onDisk(paths.index, async () => {
    const draft = await open(paths.draftIndex, "w");
    try {
      for await (const lines of sorter.sorted()) await draft.appendFile(lines.join(""), "latin1");
      await draft.datasync();
    } finally {
      await draft.close();
    }
    await rename(paths.draftIndex, paths.index);
    await sorter.dispose();
    // Last: while it is there, whoever starts again looks for what else is left.
    await removeFile(paths.openIndex);
  });
}
