import { namedKey } from "../../core/record/named-keys.ts";
import { ArchiveMarkRecord } from "../../core/record/record.pb.ts";
import type { Archive, ArchiveMark } from "../../ports/archive.ts";
import type { Store, StoreOp } from "../../ports/store.ts";

const key = namedKey("meta", "archive-mark");

/** What remembers how far the archive belongs to what is committed. */
export function markOp(mark: ArchiveMark): StoreOp {
  return { type: "put", key, value: ArchiveMarkRecord.encode(mark) };
}

/**
 * Opens the archive at the mark of the last commit.
 *
 * A database without a mark gets one before anything is fetched: what a crash leaves of the first pages is then known
 * to be uncommitted, and not taken for the archive of a database that was lost.
 */
export async function startArchive(archive: Archive, store: Store): Promise<void> {
  const value = await store.get(key);
  await archive.start(value && ArchiveMarkRecord.decode(value));
  // The database keeps its writes in order: a commit that survives a power failure has this one before it.
  if (!value) await store.write([markOp(await archive.flush())], { sync: false });
}
