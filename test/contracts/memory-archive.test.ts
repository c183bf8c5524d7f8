import { expect, test } from "vitest";
import { CrawlError } from "../../src/core/errors.ts";
import { sampleCapture, sampleExchange } from "../support/sample-captures.ts";
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

test("a MemoryArchive fails for good when it is told to", async () => {
  const archive = new MemoryArchive();
  await archive.start(undefined);
  const location = archive.append(sampleCapture(sampleExchange("/a", "hello")));
  const failure = new CrawlError("DISK_FULL", "no room");
  archive.failWith(failure);
  await expect(archive.flush()).rejects.toBe(failure);
  await expect(archive.read(location)).rejects.toBe(failure);
  await expect(archive.stop()).rejects.toBe(failure);
  expect(() => archive.append(sampleCapture(sampleExchange("/b", "hello")))).toThrow("no room");
});
