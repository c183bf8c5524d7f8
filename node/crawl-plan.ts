import { basename, parse } from "node:path";
import { CrawlError } from "../src/core/errors.ts";
import type { JobId } from "../src/core/units.ts";
import type { JobReport, PeerControl } from "../src/ports/peer-control.ts";
import { dataLayout } from "./config/peer-config.ts";
import type { CrawlSeeds } from "./crawl-seeds.ts";
import { usageError } from "./error-line.ts";
import { exists } from "./exists.ts";
import type { UrlSource } from "./url-source.ts";

/** Job of a crawl that names none. */
export const crawlJobDefault = "crawl";

/** One crawl, as it was asked for. */
export interface CrawlPlan {
  /** Its first seeds: what is told of a crawl that does not get on is told of them. */
  readonly urls: readonly string[];
  /** The file with its seeds, as {@link UrlSource.file} has it; absent where there is none. */
  readonly file?: string;
  readonly out: string;
  readonly job: JobId;
  readonly title: string;
}

/** The directory of a crawl: the one that is named, or one that is called as its seeds are. */
export function dataDirOf(
  source: UrlSource | undefined,
  [first]: readonly string[],
  out: string | undefined,
): string {
  if (out !== undefined) return out;
  if (source?.file === "-") {
    throw usageError(`a crawl of URLs from ${source.name} needs --out DIR to keep its pages in`);
  }
  if (source?.file !== undefined) return `crawl-${parse(source.file).name}`;
  if (first !== undefined) return `crawl-${folderName(new URL(first).hostname)}`;
  throw usageError(
    "peer crawl needs a URL to start from, --file FILE, or --out DIR of a crawl to continue",
  );
}

/** Fails with `CONFIG_INVALID` where there is neither a seed nor a crawl to continue. */
export async function planOf(
  source: UrlSource | undefined,
  { first: urls }: CrawlSeeds,
  out: string,
  job: string = crawlJobDefault,
): Promise<CrawlPlan> {
  if (urls.length === 0 && !(await exists(dataLayout(out).stateDir))) {
    throw source === undefined ? nothingToContinue(out) : nothingToStartFrom(source);
  }
  const title = `crawling ${titleOf(source, urls) ?? out}`;
  const file = source?.file;
  return { urls, out, job: job as JobId, title, ...(file !== undefined && { file }) };
}

/** The file, or the one host of all seeds. */
function titleOf(source: UrlSource | undefined, urls: readonly string[]): string | undefined {
  if (source?.file !== undefined) return source.file === "-" ? undefined : basename(source.file);
  const [host, ...others] = new Set(urls.map((url) => new URL(url).hostname));
  return others.length > 0 ? undefined : host;
}

/** What has been done of the job. Errors: `JOB_CANCELLED`, and where no URL begins it `JOB_UNKNOWN`. */
export function jobBefore(
  control: PeerControl,
  { urls, out, job }: CrawlPlan,
): JobReport | undefined {
  const jobs = control.jobs();
  const before = jobs.find(({ definition }) => definition.id === job);
  if (before && isCancelled(before)) {
    throw new CrawlError("JOB_CANCELLED", cancelledText({ job, out }), { job });
  }
  if (before !== undefined || urls.length > 0) return before;
  if (jobs.length === 0) throw nothingToContinue(out);
  const names = jobs.map(({ definition }) => definition.id).join(", ");
  throw new CrawlError("JOB_UNKNOWN", `no job in ${out} is named "${job}"; it has: ${names}`);
}

export function isCancelled({ definition }: JobReport): boolean {
  return definition.state === "cancelled";
}

/** That a crawl cannot go on, since its job is cancelled, and what can be done instead. */
export function cancelledText({ job, out }: Pick<CrawlPlan, "job" | "out">): string {
  return `job "${job}" in ${out} was cancelled; begin anew with --job NAME or another --out DIR`;
}

function nothingToContinue(out: string): CrawlError {
  return usageError(`there is no crawl to continue in ${out}; give a URL to start from`);
}

function nothingToStartFrom({ name = "the command line" }: UrlSource): CrawlError {
  return usageError(`${name} has no URL to start from`);
}

/** IPv6 literals have brackets and colons, which are awkward in paths. */
function folderName(host: string): string {
  return host.replace(/[^a-z0-9.-]+/gi, "-").replace(/^-+|-+$/g, "");
}
