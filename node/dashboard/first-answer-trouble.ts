import { describeReason } from "../../src/core/answers/reason-text.ts";
import { formatDuration } from "../../src/core/text/human.ts";
import type { JobId, Millis } from "../../src/core/units.ts";
import type { HostStatus, PeerControl } from "../../src/ports/peer-control.ts";
import { clause } from "../text/terminal-text.ts";

/** Hosts that are looked at: each is some reads of the database, at every drawing. */
const hostsMax = 8;

/** What is to answer first. */
interface CrawlBeginning {
  readonly job: JobId;
  readonly urls: readonly string[];
}

/**
 * Why a crawl has not fetched anything yet, where all hosts of its seeds rest after failures: the first one, what is wrong
 * with it, and when it is asked again. Nothing as soon as a server has answered, and while one is being asked.
 */
export async function firstAnswerTrouble(
  control: Pick<PeerControl, "host" | "job" | "stats">,
  { job, urls }: CrawlBeginning,
  nowMs: Millis,
): Promise<string | undefined> {
  const { counts, finished } = control.job(job);
  if (finished || counts.fetched > 0 || control.stats().openRequests > 0) return undefined;
  const names = [...new Set(urls.map((url) => new URL(url).hostname))].slice(0, hostsMax);
  const hosts = await Promise.all(names.map((name) => control.host(name)));
  const awaited = hosts.filter(({ queued }) => queued.length > 0);
  const [first] = awaited;
  if (first === undefined || !awaited.every(rests)) return undefined;
  const { host, nextFetchAt } = first;
  const leftMs = nextFetchAt === undefined ? 0 : Date.parse(nextFetchAt) - nowMs;
  const next = leftMs > 0 ? `; tried again in ${formatDuration(leftMs)}` : "";
  return `${host}: ${reasonOf(first)}${next}`;
}

function rests({ hold }: HostStatus): boolean {
  return hold === "backoff" || hold === "breaker" || hold === "halted";
}

/** Before the first page comes robots.txt, which says most where it failed. */
function reasonOf({ robots, detail = "it rests" }: HostStatus): string {
  const failed = robots.find(
    ({ failure, httpStatus }) => failure !== undefined || httpStatus >= 500,
  );
  if (failed?.failure !== undefined) return clause(describeReason(failed.failure));
  return failed === undefined ? clause(detail) : `its robots.txt answers with ${failed.httpStatus}`;
}
