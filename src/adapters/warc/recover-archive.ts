import { mkdir, readdir, stat, truncate } from "node:fs/promises";
import { CrawlError } from "../../core/errors.ts";
import type { Millis } from "../../core/units.ts";
import type { ArchiveMark } from "../../ports/archive.ts";
import { onDisk, removeFile, renameDurably, syncPath, unlessMissing } from "./archive-files.ts";
import type { ArchiveGroup, ArchivePaths, FileNames } from "./file-names.ts";
import { archivePaths, isDamaged, isFinished, isIndexed, isOpen } from "./file-names.ts";
import { completeIndex, writeIndex, type OnIndexed } from "./index-file.ts";
import { keptBehind, restsBehind, type KeptBehind } from "./kept-behind.ts";
import { LineSorter } from "./line-sorter.ts";

/** What was written so long after the mark was hardly on its way to the next one when the process ended. */
const behindMsMin: Millis = 60_000;

export interface RecoveryRequest {
  readonly directory: string;
  readonly names: FileNames;
  readonly mark: ArchiveMark | undefined;
  readonly recordBytesMax: number;
  readonly onIndexed: OnIndexed;
}

export interface RecoveredArchive {
  /** Finished files, oldest first, with the bytes of each. */
  readonly files: ReadonlyMap<string, number>;
  /** Those of them of which a record could not be read in an earlier run. */
  readonly damaged: readonly string[];
  /** Serial number for the next file; greater than every one that was ever committed. */
  readonly nextSerial: number;
  /** A mark behind all that was kept; absent where there was none, and no file. */
  readonly mark: ArchiveMark | undefined;
  /** What was kept behind the mark that no crash leaves there; absent where there was no mark. */
  readonly behind: KeptBehind | undefined;
}

/**
 * Brings the directory into the state that a clean stop leaves: finished files with sorted indexes, nothing else.
 *
 * A crash can leave each file of this peer in one of these states, told apart by name alone:
 *
 *     F.warc.gz.open                  begun; records, durable or not
 *     F.warc.gz  without  F.cdxj      finished; the index not yet sorted (F.cdxj.open, .runs, .draft may be there)
 *     F.warc.gz  with     F.cdxj      done (F.cdxj.open, .runs may not yet be removed)
 *     F.cdxj.*   alone                rest of a file that was removed
 *     F.warc.gz.damaged               beside any of these: a record could not be read
 *
 * A finished file was synchronised before it got its name, and all of its records were committed: it is never cut and
 * never removed.
 *
 * An open file meets one of four fates. `flush` hands out a mark of a file only when all files before it are durable;
 * hence
 *
 * - named by the mark: cut at the mark, then finished. All before the mark is committed and was synchronised; nothing
 *   behind it is committed.
 * - begun before the mark's file: finished. All of it is committed.
 * - begun after the mark's file: removed. No flush of it was ever committed.
 * - no mark at all: its whole records are kept and it is finished. Nothing says what is committed (the database has been
 *   lost), and records are never thrown away on a guess. Without any capture it is removed.
 *
 * Where it was written to long after the mark, the database is an older copy that was put back, and its mark says nothing of
 * what came later: all whole records are kept then too. Of a crawl that makes a commit in minutes that keeps also what
 * was being written when it was killed, and is fetched again: such a page is in the archive twice.
 *
 * Each step leaves a state of the table above, so a crash in here is met by running it again. A file that is shorter
 * than the mark, or torn before it, is `ARCHIVE_CORRUPT`: a disk that lost synchronised data is not to be papered
 * over. The mark's file may be absent altogether, since finished files may be carried away between two runs.
 */
export async function recoverArchive(request: RecoveryRequest): Promise<RecoveredArchive> {
  const { directory, names, mark } = request;
  const found = await onDisk(directory, async () => {
    await mkdir(directory, { recursive: true });
    return names.group(await readdir(directory));
  });
  const markSerial = mark === undefined ? undefined : names.serialOf(mark.file);
  const files = new Map<string, number>();
  for (const group of found) {
    const paths = archivePaths(directory, group.file);
    await onDisk(paths.warc, async () => {
      const kept = await recoverFile(group, paths, request, markSerial);
      if (kept) files.set(group.file, (await stat(paths.warc)).size);
    });
  }
  const rests =
    mark === undefined || markSerial === undefined
      ? []
      : restsBehind(found, files, mark, markSerial);
  const serials = [...found.map(({ serial }) => serial), markSerial ?? 0];
  const damaged = found.filter((group) => isDamaged(group) && files.has(group.file));
  return {
    files,
    damaged: damaged.map(({ file }) => file),
    nextSerial: Math.max(...serials) + 1,
    mark: mark === undefined || rests.length > 0 ? endOf(files) : mark,
    behind: await keptBehind(rests, directory, mark?.atMs, behindMsMin),
  };
}

/** From its commit on the database knows of all that was kept. */
function endOf(files: ReadonlyMap<string, number>): ArchiveMark | undefined {
  const [last] = [...files].slice(-1);
  return last && { file: last[0], bytes: last[1] };
}

/** Whether the file is there in the end. */
async function recoverFile(
  group: ArchiveGroup,
  paths: ArchivePaths,
  request: RecoveryRequest,
  markSerial: number | undefined,
): Promise<boolean> {
  const { mark } = request;
  const committed = mark?.file === group.file ? mark.bytes : undefined;
  if (isFinished(group)) return recoverFinished(group, paths, request, committed);
  if (!isOpen(group)) {
    await removeAll(paths);
    return false;
  }
  const keepsAll = await isWrittenLater(paths.openWarc, mark);
  if (committed !== undefined) {
    await checkLength(paths.openWarc, committed);
  } else if (!keepsAll && markSerial !== undefined && group.serial > markSerial) {
    await removeAll(paths);
    return false;
  }
  return finishOpen(group, paths, request, { committed, keepsAll });
}

/** Whether a file was written to by whom the database that has this mark knows nothing of. */
async function isWrittenLater(path: string, mark: ArchiveMark | undefined): Promise<boolean> {
  return mark?.atMs !== undefined && (await stat(path)).mtimeMs >= mark.atMs + behindMsMin;
}

async function recoverFinished(
  group: ArchiveGroup,
  paths: ArchivePaths,
  { recordBytesMax, onIndexed }: RecoveryRequest,
  committed: number | undefined,
): Promise<boolean> {
  if (committed !== undefined) await checkLength(paths.warc, committed);
  if (isIndexed(group)) return true;
  const { warc, openIndex, index, indexRuns } = paths;
  if ((await unlessMissing(() => stat(index))) === undefined) {
    const { size: bytes } = await stat(warc);
    const { file } = group;
    await using sorter = new LineSorter(indexRuns);
    const end = await completeIndex(
      { warc, openIndex, file, bytes, recordBytesMax, onIndexed },
      sorter,
    );
    if (end !== bytes) throw torn(warc, end, bytes);
    await writeIndex(paths, sorter);
  }
  await removeFile(indexRuns);
  await removeFile(openIndex);
  return true;
}

async function finishOpen(
  { file }: ArchiveGroup,
  paths: ArchivePaths,
  { recordBytesMax, onIndexed }: RecoveryRequest,
  { committed, keepsAll }: { readonly committed: number | undefined; readonly keepsAll: boolean },
): Promise<boolean> {
  const { openWarc: warc, openIndex } = paths;
  const bytes = (keepsAll ? undefined : committed) ?? (await stat(warc)).size;
  await using sorter = new LineSorter(paths.indexRuns);
  const end = await completeIndex(
    { warc, openIndex, file, bytes, recordBytesMax, onIndexed },
    sorter,
  );
  if (committed !== undefined && end < committed) throw torn(warc, end, committed);
  if (committed === undefined && sorter.lines === 0) {
    await removeAll(paths);
    return false;
  }
  await truncate(warc, end);
  await syncPath(warc);
  await renameDurably(warc, paths.warc);
  await writeIndex(paths, sorter);
  return true;
}

/** The index goes first: without its records it would only be litter. */
async function removeAll(paths: ArchivePaths): Promise<void> {
  await removeFile(paths.draftIndex);
  await removeFile(paths.indexRuns);
  await removeFile(paths.openIndex);
  await removeFile(paths.damagedWarc);
  await removeFile(paths.openWarc);
}

async function checkLength(path: string, committed: number): Promise<void> {
  const { size } = await stat(path);
  if (size < committed) throw torn(path, size, committed);
}

function torn(path: string, goodBytes: number, expectedBytes: number): CrawlError {
  return new CrawlError(
    "ARCHIVE_CORRUPT",
    `${path} is whole only up to byte ${goodBytes} of ${expectedBytes}: the disk lost data that it had confirmed; ` +
      "put back a good copy of the file, or move it out of the directory to go on without it",
    { path, goodBytes, expectedBytes },
  );
}
