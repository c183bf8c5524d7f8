import { readFile, rm } from "node:fs/promises";
import type { CrawlPlan } from "./crawl-plan.ts";
import { dataLayout } from "./config/peer-config.ts";
import { usageError } from "./error-line.ts";
import { writeWhole } from "./whole-file.ts";

/**
 * Which file has URLs that may not be in the crawl's job yet. Kept in the data directory while it is read: a crawl that
 * was killed meanwhile, and goes on without the file, would else end as if it had all of them.
 */
export class SeedsLeft {
  readonly #path: string;
  readonly #job: string;
  /** The file of each job that has one, as `--file` named it. */
  readonly #files: Map<string, string>;

  private constructor(path: string, job: string, files: Map<string, string>) {
    this.#path = path;
    this.#job = job;
    this.#files = files;
  }

  /** What earlier runs left, or, where `plan` has a file, that one. Fails with `CONFIG_INVALID` where the record was spoilt. */
  static async of({ file, job, out }: Pick<CrawlPlan, "file" | "job" | "out">): Promise<SeedsLeft> {
    const path = dataLayout(out).seedsLeftFile;
    const left = new SeedsLeft(path, job, await filesIn(path));
    if (file !== undefined && left.file !== file) {
      left.#files.set(job, file);
      await left.#write();
    }
    return left;
  }

  /** Absent where all seeds are in the job. */
  get file(): string | undefined {
    return this.#files.get(this.#job);
  }

  /** All of the file is in the job, and durable there. */
  async taken(): Promise<void> {
    this.#files.delete(this.#job);
    if (this.#files.size > 0) await this.#write();
    else await rm(this.#path, { force: true });
  }

  #write(): Promise<void> {
    const text = `${JSON.stringify(Object.fromEntries(this.#files))}\n`;
    return writeWhole(this.#path, text, "the name of the file with the seeds");
  }
}

async function filesIn(path: string): Promise<Map<string, string>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Map();
    throw error;
  }
  const files = new Map<string, unknown>(Object.entries(objectOrNothing(text)));
  if (files.size > 0 && [...files.values()].every((file) => typeof file === "string")) {
    return files as Map<string, string>;
  }
  throw usageError(
    `${path} is damaged: some URLs of a file may not be in the crawl; remove it, and give --file again`,
  );
}

function objectOrNothing(text: string): object {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === "object" && content !== null ? content : {};
  } catch {
    return {};
  }
}
