import { readFile, rm } from "node:fs/promises";
import type { CrawlPlan } from "./crawl-plan.ts";
import { dataLayout } from "./config/peer-config.ts";
import { usageError } from "./error-line.ts";
import { writeWhole } from "./whole-file.ts";

type SeedsPlan = Pick<CrawlPlan, "file" | "job" | "out">;

/**
 * Which files have URLs that may not be in the crawl's job yet. Kept in the data directory while they are read: a crawl that
 * was killed meanwhile, and goes on without the file, would else end as if it had all of them.
 */
export class SeedsLeft {
  readonly #path: string;
  readonly #plan: SeedsPlan;
  /** The files of each job that has some, as `--file` named them. */
  readonly #files: Map<string, readonly string[]>;

  private constructor(path: string, plan: SeedsPlan, files: Map<string, readonly string[]>) {
    this.#path = path;
    this.#plan = plan;
    this.#files = files;
  }

  /** What earlier runs left, and the file of `plan`. Fails with `CONFIG_INVALID` where the record was spoilt. */
  static async of(plan: SeedsPlan): Promise<SeedsLeft> {
    const path = dataLayout(plan.out).seedsLeftFile;
    const left = new SeedsLeft(path, plan, await filesIn(path));
    const { file } = plan;
    if (file !== undefined && !left.#ofJob.includes(file)) await left.#set([...left.#ofJob, file]);
    return left;
  }

  /** The first of them; absent where all seeds are in the job. */
  get file(): string | undefined {
    return this.#ofJob[0];
  }

  /** All of the plan's file, where it has one, is in the job, and durable there. */
  async taken(): Promise<void> {
    const { file } = this.#plan;
    if (file !== undefined) await this.#set(this.#ofJob.filter((each) => each !== file));
  }

  get #ofJob(): readonly string[] {
    return this.#files.get(this.#plan.job) ?? [];
  }

  async #set(files: readonly string[]): Promise<void> {
    if (files.length > 0) this.#files.set(this.#plan.job, files);
    else this.#files.delete(this.#plan.job);
    if (this.#files.size > 0) await this.#write();
    else await rm(this.#path, { force: true });
  }

  #write(): Promise<void> {
    const text = `${JSON.stringify(Object.fromEntries(this.#files))}\n`;
    return writeWhole(this.#path, text, "the names of files with seeds");
  }
}

async function filesIn(path: string): Promise<Map<string, readonly string[]>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Map();
    throw error;
  }
  const files = new Map<string, unknown[]>();
  // Earlier versions kept the last file alone.
  for (const [job, named] of Object.entries(objectOrNothing(text))) files.set(job, [named].flat());
  if (files.size > 0 && [...files.values()].flat().every((file) => typeof file === "string")) {
    return files as Map<string, string[]>;
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
