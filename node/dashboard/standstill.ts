import { describeReason } from "../../src/core/answers/reason-text.ts";
import { formatDuration } from "../../src/core/text/human.ts";
import type { JobId, Millis } from "../../src/core/units.ts";
import type { HostStatus, PeerControl } from "../../src/ports/peer-control.ts";
import { clause } from "../text/terminal-text.ts";

/** Hosts that are looked at: each is some reads of the database, at every drawing. */
const hostsMax = 8;

/** After an answer nothing is said for so long: between two requests to a host that is well little else passes. */
const quietMs: Millis = 5_000;

/** What a crawl begins with. */
interface CrawlBeginning {
  readonly job: JobId;
  /** Its first seeds; none where it is continued without. */
  readonly urls: readonly string[];
  /** URLs that servers had answered in earlier runs. */
  readonly fetchedBefore: number;
}

/** Tells of a crawl that stands still what keeps it back: from the beginning, and some seconds after the last answer. */
export class Standstill {
  readonly #control: Pick<PeerControl, "host" | "job" | "stats" | "urls">;
  readonly #job: JobId;
  #names: readonly string[];
  #fetched: number;
  /** When the last answer was seen; absent before the first one. */
  #answeredAtMs: Millis | undefined;

  constructor(
    control: Pick<PeerControl, "host" | "job" | "stats" | "urls">,
    { job, urls, fetchedBefore }: CrawlBeginning,
  ) {
    this.#control = control;
    this.#job = job;
    this.#names = hostsOf(urls);
    this.#fetched = fetchedBefore;
  }

  /**
   * Where all hosts that are looked at rest after failures: the first one, what is wrong with it, and when it is asked
   * again. Nothing while one is being asked, nor soon after one has answered.
   */
  async text(nowMs: Millis): Promise<string | undefined> {
    const { counts, finished } = this.#control.job(this.#job);
    if (counts.fetched !== this.#fetched) this.#answeredAtMs = nowMs;
    this.#fetched = counts.fetched;
    if (finished || nowMs < (this.#answeredAtMs ?? -Infinity) + quietMs) return undefined;
    if (this.#control.stats().openRequests > 0) return undefined;
    return (await this.rest(nowMs))?.text;
  }

  /** The first of the hosts that are looked at, and what is told of it, where all of them rest after failures. */
  async rest(nowMs: Millis): Promise<{ readonly host: string; readonly text: string } | undefined> {
    const awaited = await this.#awaited();
    const [first] = awaited;
    if (first === undefined || !awaited.every(rests)) return undefined;
    const { host, nextFetchAt } = first;
    const leftMs = nextFetchAt === undefined ? 0 : Date.parse(nextFetchAt) - nowMs;
    const next = leftMs > 0 ? `; tried again in ${formatDuration(leftMs)}` : "";
    return { host, text: `${host}: ${reasonOf(first)}${next}` };
  }

  /** Hosts with queued URLs: those of the seeds, and where nothing of them is left others, looked up when they are needed. */
  async #awaited(): Promise<readonly HostStatus[]> {
    const before = await this.#withQueue();
    if (before.length > 0) return before;
    const { urls } = await this.#control.urls(this.#job, { state: "queued" });
    this.#names = hostsOf(urls.map(({ url }) => url));
    return this.#withQueue();
  }

  async #withQueue(): Promise<readonly HostStatus[]> {
    const hosts = await Promise.all(this.#names.map((name) => this.#control.host(name)));
    return hosts.filter(({ queued }) => queued.length > 0);
  }
}

function hostsOf(urls: readonly string[]): readonly string[] {
  return [...new Set(urls.map((url) => new URL(url).hostname))].slice(0, hostsMax);
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
