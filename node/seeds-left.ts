import { readFile, rm, stat } from "node:fs/promises";
import { unlessMissing } from "../src/adapters/warc/archive-files.ts";
import type { CrawlError } from "../src/core/errors.ts";
import type { CrawlPlan } from "./crawl-plan.ts";
import { dataLayout } from "./config/peer-config.ts";
import { usageError } from "./error-line.ts";
import { exists } from "./exists.ts";
import { lastingName } from "./url-source.ts";
import { writeWhole } from "./whole-file.ts";

type SeedsPlan = Pick<CrawlPlan, "file" | "job" | "out">;

/** A file with seeds. */
interface SeedFile {
  /** As `--file` named it, by {@link lastingName}. */
  readonly file: string;
  /** What it keeps when it is renamed; absent where that is not known. */
  readonly mark?: string;
}

/**
 * Which files have URLs that may not be in the crawl's job yet. Kept in the data directory while they are read: a crawl that
 * was killed meanwhile, and goes on without the file, would else end as if it had all of them.
 */
export class SeedsLeft {
  /** Where this is kept. */
  readonly path: string;
  readonly #plan: SeedsPlan;
  /** The files of each job that has some. */
  readonly #files: Map<string, readonly SeedFile[]>;

  private constructor(path: string, plan: SeedsPlan, files: Map<string, readonly SeedFile[]>) {
    this.path = path;
    this.#plan = plan;
    this.#files = files;
  }

  /** What earlier runs left, and the file of `plan`. Fails with `CONFIG_INVALID` where the record was spoilt. */
  static async of(plan: SeedsPlan): Promise<SeedsLeft> {
    const path = dataLayout(plan.out).seedsLeftFile;
    const left = new SeedsLeft(path, plan, await filesIn(path));
    if (plan.file !== undefined) await left.#begin(plan.file);
    return left;
  }

  /** The first of them, as `--file` named it; absent where all seeds are in the job. */
  get file(): string | undefined {
    return this.#ofJob[0]?.file;
  }

  /** Whether nothing is there any more by the name of {@link file}. */
  async isGone(): Promise<boolean> {
    const { file } = this;
    return file !== undefined && file !== "-" && !(await exists(file));
  }

  /** All of the plan's file, where it has one, is in the job, and durable there. */
  async taken(): Promise<void> {
    const { file } = this.#plan;
    if (file !== undefined) await this.#set(this.#ofJob.filter((each) => each.file !== file));
  }

  /** Takes the place of what it was called before. */
  async #begin(file: string): Promise<void> {
    const mark = await markOf(file);
    const others = this.#ofJob.filter(
      (each) => each.file !== file && (mark === undefined || each.mark !== mark),
    );
    await this.#set([...others, { file, ...(mark !== undefined && { mark }) }]);
  }

  get #ofJob(): readonly SeedFile[] {
    return this.#files.get(this.#plan.job) ?? [];
  }

  async #set(files: readonly SeedFile[]): Promise<void> {
    if (files.length > 0) this.#files.set(this.#plan.job, files);
    else this.#files.delete(this.#plan.job);
    if (this.#files.size > 0) await this.#write();
    else await rm(this.path, { force: true });
  }

  #write(): Promise<void> {
    const text = `${JSON.stringify(Object.fromEntries(this.#files))}\n`;
    return writeWhole(this.path, text, "the names of files with seeds");
  }
}

/** Tells a file that was renamed from any other: by its place on the disk, and by its length and age since places are used again. */
async function markOf(file: string): Promise<string | undefined> {
  try {
    const found = await stat(file, { bigint: true });
    return found.isFile() ? `${found.ino}-${found.size}-${found.mtimeNs}` : undefined;
  } catch {
    // Standard input has no name, and a file that is open may have lost its own.
    return undefined;
  }
}

async function filesIn(path: string): Promise<Map<string, readonly SeedFile[]>> {
  const text = await unlessMissing(() => readFile(path, "utf8"));
  if (text === undefined) return new Map();
  const files = new Map<string, readonly SeedFile[]>();
  for (const [job, kept] of Object.entries(objectOrNothing(text))) {
    // Earlier versions kept names alone, or the last one.
    const read = [kept]
      .flat()
      .map((each: unknown) => (typeof each === "string" ? { file: each } : each));
    if (!read.every(isSeedFile)) throw damaged(path);
    // And names that say nothing.
    files.set(
      job,
      read.map((each) => ({ ...each, file: lastingName(each.file) })),
    );
  }
  if (files.size === 0) throw damaged(path);
  return files;
}

function isSeedFile(value: unknown): value is SeedFile {
  if (typeof value !== "object" || value === null || !("file" in value)) return false;
  const mark = "mark" in value ? value.mark : undefined;
  return typeof value.file === "string" && (mark === undefined || typeof mark === "string");
}

function damaged(path: string): CrawlError {
  return usageError(
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
