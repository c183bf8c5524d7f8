import { cdxjTimeMs, parseCdxjPlace } from "../../core/archive/cdxj.ts";
import type { Millis } from "../../core/units.ts";
import type { ArchiveMark } from "../../ports/archive.ts";
import { onDisk } from "./archive-files.ts";
import { type ArchiveGroup, archivePaths, isFinished } from "./file-names.ts";
import { appendedLines } from "./index-file.ts";

/** What an archive has that its database does not know of: in how many files that is, and how much. */
export interface KeptBehind {
  readonly files: number;
  readonly bytes: number;
}

/** The end of a file that was kept, which the database's mark does not reach. */
export interface Rest {
  readonly group: ArchiveGroup;
  readonly from: number;
  readonly bytes: number;
}

/** What of `files`, which were kept of what was `found`, is behind the mark. */
export function restsBehind(
  found: readonly ArchiveGroup[],
  files: ReadonlyMap<string, number>,
  mark: ArchiveMark,
  markSerial: number,
): readonly Rest[] {
  return found.flatMap((group) => {
    const isMarked = group.file === mark.file;
    if (!isMarked && group.serial <= markSerial) return [];
    const from = isMarked ? mark.bytes : 0;
    const bytes = (files.get(group.file) ?? 0) - from;
    return bytes > 0 ? [{ group, from, bytes }] : [];
  });
}

/**
 * How much `rests` have where the database that has this mark is an older copy, or has lost its latest commits. Nothing where
 * all of it may come of an ordinary end.
 *
 * A file is finished only when a mark behind all of it is committed, so one that was found finished has no such rest by itself.
 * Open ones have what was written when the process was killed, before its commit: one write. There is more, where some of it
 * was fetched `writeMsMax` after the mark, and after the first of it: no single write takes so long.
 */
export async function keptBehind(
  rests: readonly Rest[],
  directory: string,
  markedAtMs: Millis | undefined,
  writeMsMax: Millis,
): Promise<KeptBehind | undefined> {
  const isBehind =
    rests.some(({ group }) => isFinished(group)) ||
    (await fetchedWithin(rests, directory, markedAtMs ?? Infinity)) >= writeMsMax;
  if (!isBehind) return undefined;
  return { files: rests.length, bytes: rests.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Time from the mark, or the first that was fetched behind it where that is later, to the last. */
async function fetchedWithin(
  rests: readonly Rest[],
  directory: string,
  markedAtMs: Millis,
): Promise<Millis> {
  let [firstMs, lastMs] = [Infinity, -Infinity];
  for (const { group, from } of rests) {
    const { index } = archivePaths(directory, group.file);
    await onDisk(index, async () => {
      for await (const lines of appendedLines(index)) {
        for (const line of lines) {
          if ((parseCdxjPlace(line)?.offset ?? 0) < from) continue;
          const fetchedAtMs = cdxjTimeMs(line);
          firstMs = Math.min(firstMs, fetchedAtMs);
          lastMs = Math.max(lastMs, fetchedAtMs);
        }
      }
    });
  }
  return lastMs - Math.max(firstMs, markedAtMs);
}
