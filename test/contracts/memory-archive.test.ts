import { MemoryArchive, MemoryArchiveDisk } from "../support/memory-archive.ts";
import { archiveContract } from "./archive.ts";

archiveContract("MemoryArchive", () => {
  const disks = new Map<object, MemoryArchiveDisk>();
  const on = (disk: MemoryArchiveDisk): Promise<MemoryArchive> => {
    const archive = new MemoryArchive(disk);
    disks.set(archive, disk);
    return Promise.resolve(archive);
  };
  return {
    create: () => on(new MemoryArchiveDisk()),
    crash: (archive) => on((disks.get(archive) ?? new MemoryArchiveDisk()).copy()),
    dispose: () => Promise.resolve(),
  };
});
