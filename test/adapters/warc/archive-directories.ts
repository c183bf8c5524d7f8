import { copyFile, mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unlessMissing } from "../../../src/adapters/warc/archive-files.ts";
import type { WarcArchiveOptions } from "../../../src/adapters/warc/archive-options.ts";
import { WarcArchive } from "../../../src/adapters/warc/warc-archive.ts";
import type { ArchiveWorld } from "../../contracts/archive.ts";

export const startedAtMs = Date.UTC(2026, 2, 1, 12, 30, 0);

export const facts = {
  software: "orbweaver/0.0.0",
  userAgent: "orbweaver/0.0.0 (+http://example.com/bot)",
  operator: "Jos\u00e9 <jose@example.com>",
};

/** Archives in temporary directories; a crash is a copy of the directory at that moment. */
export class ArchiveDirectories implements ArchiveWorld {
  readonly #directories: string[] = [];
  readonly #archives = new Map<object, { archive: WarcArchive; directory: string }>();

  async directory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "orbweaver-archive-"));
    this.#directories.push(directory);
    return directory;
  }

  open(directory: string, changes: Partial<WarcArchiveOptions> = {}): WarcArchive {
    const clock = {
      // Of a process that has begun before the clock on the wall was set right.
      nowMs: () => 0,
      wallMs: () => startedAtMs,
      sleep: () => Promise.resolve(),
      call: () => () => undefined,
    };
    const archive = new WarcArchive({
      directory,
      peerName: "peer1",
      info: facts,
      clock,
      ...changes,
    });
    this.#archives.set(archive, { archive, directory });
    return archive;
  }

  async create(): Promise<WarcArchive> {
    return this.open(await this.directory());
  }

  /**
   * A directory with what a crash at this moment would leave of `directory`; an index may be on its way just now. Its files
   * were written so long after the archives' clock was started.
   */
  async copyOf(directory: string, afterMs = 0): Promise<string> {
    const copy = await this.directory();
    const date = new Date(startedAtMs + afterMs);
    for (const name of await readdir(directory)) {
      await unlessMissing(async () => {
        await copyFile(join(directory, name), join(copy, name));
        await utimes(join(copy, name), date, date);
      });
    }
    return copy;
  }

  async crash(archive: object): Promise<WarcArchive> {
    const directory = this.#archives.get(archive)?.directory;
    if (directory === undefined) throw new Error("not an archive of this world");
    return this.open(await this.copyOf(directory));
  }

  async dispose(): Promise<void> {
    await Promise.allSettled([...this.#archives.values()].map(({ archive }) => archive.stop()));
    for (const directory of this.#directories) await rm(directory, { recursive: true });
  }
}
