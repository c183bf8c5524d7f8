import type { HostAnswer, OriginRobots } from "../../src/core/answers/host-status.ts";
import type { JobCounts } from "../../src/core/answers/job-counts.ts";
import { describeReason } from "../../src/core/answers/reason-text.ts";
import { formatDuration } from "../../src/core/text/human.ts";
import type { JobId, Millis } from "../../src/core/units.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { HostHold, HostStatus } from "../../src/ports/peer-control.ts";
import { clause } from "../text/terminal-text.ts";

/** Hosts that are looked at: each is some reads of the database, at every drawing. */
const hostsMax = 8;

/** Where no queued URL is found it is looked for again after so long: it may be one of millions of others. */
const lookAgainMs: Millis = 10_000;

/** After an answer nothing is said for so long: between two requests to a host that is well little else passes. */
const quietMs: Millis = 5_000;

/**
 * So long, from when it may be, may an origin wait to be asked for its robots.txt again, since its host rests for as long as a
 * request took that failed, 15 s, and then has to come to its turn: one that is given up never is.
 */
const turnMsMax: Millis = 25_000;

/** Why a host rests for longer than between two requests. */
const restsOfHost: ReadonlySet<HostHold | undefined> = new Set(["backoff", "breaker", "halted"]);
const outages: ReadonlySet<HostHold | undefined> = new Set(["network-down", "name-server-down"]);

/** Who is asked about hosts and queues: the peer of this process, or another one's API. */
export interface QueueAnswers {
  host(name: string): Promise<HostStatus>;
  /** Some of the job's URLs that are queued. */
  queued(job: JobId): Promise<readonly { readonly url: string }[]>;
}

/** How the crawl stands. */
export interface CrawlFigures {
  /** URLs that servers have answered; see {@link answeredUrls}. */
  readonly fetched: number;
  readonly openRequests: number;
  /** Whether it goes on: neither finished nor paused. */
  readonly isRunning: boolean;
}

/** What a crawl begins with. */
interface CrawlBeginning {
  readonly job: JobId;
  /** Its first seeds; none where it is continued without, or is another one's. */
  readonly urls: readonly string[];
  /** URLs that servers had answered before. */
  readonly fetchedBefore: number;
}

/** Tells of a crawl that stands still what keeps it back: from the beginning, and some seconds after the last answer. */
export class Standstill {
  readonly #answers: QueueAnswers;
  readonly #clock: Pick<Clock, "nowMs" | "wallMs">;
  readonly #job: JobId;
  #names: readonly string[];
  #lookAtMs: Millis = -Infinity;
  #fetched: number;
  /** When the last answer was seen; absent before the first one. */
  #answeredAtMs: Millis | undefined;
  /** Since when requests have been open whenever it was looked; absent while none is. */
  #openSinceMs: Millis | undefined;

  constructor(
    answers: QueueAnswers,
    { job, urls, fetchedBefore }: CrawlBeginning,
    clock: Pick<Clock, "nowMs" | "wallMs">,
  ) {
    this.#answers = answers;
    this.#clock = clock;
    this.#job = job;
    this.#names = hostsOf(urls);
    this.#fetched = fetchedBefore;
  }

  /**
   * Where all hosts that are looked at rest after failures: the first one, what is wrong with it, and when it is asked
   * again. While one is being asked, for how long nothing has come of it. Nothing soon after one has answered.
   */
  async text({ fetched, openRequests, isRunning }: CrawlFigures): Promise<string | undefined> {
    const nowMs = this.#clock.nowMs();
    if (fetched !== this.#fetched) this.#answeredAtMs = nowMs;
    this.#fetched = fetched;
    this.#openSinceMs = openRequests > 0 ? (this.#openSinceMs ?? nowMs) : undefined;
    if (!isRunning || nowMs < (this.#answeredAtMs ?? -Infinity) + quietMs) return undefined;
    if (this.#openSinceMs === undefined) return (await this.rest())?.text;
    const silentMs = nowMs - Math.max(this.#openSinceMs, this.#answeredAtMs ?? -Infinity);
    return silentMs < quietMs ? undefined : this.#silence(silentMs);
  }

  /** The first of the hosts that are looked at, and what is told of it, where all of them rest after failures. */
  async rest(): Promise<{ readonly host: string; readonly text: string } | undefined> {
    const awaited = await this.#awaited(this.#clock.nowMs());
    const [first] = awaited;
    // What is told are dates: `nowMs` is behind them where the machine was asleep.
    const dateMs = this.#clock.wallMs();
    if (first === undefined || !awaited.every((one) => rests(one, dateMs))) return undefined;
    const { host, nextFetchAt } = first;
    const leftMs = nextFetchAt === undefined ? 0 : Date.parse(nextFetchAt) - dateMs;
    const next = leftMs > 0 ? `; tried again in ${formatDuration(leftMs)}` : "";
    const reason = reasonOf(first, dateMs);
    return { host, text: `${outages.has(first.hold) ? "" : `${host}: `}${reason}${next}` };
  }

  /** With the host's name where no other one can be the one that is asked. */
  async #silence(silentMs: Millis): Promise<string> {
    const [first, ...others] = await this.#awaited(this.#clock.nowMs());
    const isKnown = others.length === 0 && first?.hold === "in-flight";
    const host = isKnown ? `${first.host}: ` : "";
    return `${host}no complete answer for ${formatDuration(silentMs)}`;
  }

  /** Hosts with queued URLs of the job: those of the seeds, and where none of them has any others, looked up when they are needed. */
  async #awaited(nowMs: Millis): Promise<readonly HostStatus[]> {
    const before = await this.#withQueue();
    if (before.length > 0 || nowMs < this.#lookAtMs) return before;
    this.#lookAtMs = nowMs + lookAgainMs;
    const queued = await this.#answers.queued(this.#job);
    this.#names = hostsOf(queued.map(({ url }) => url));
    return this.#withQueue();
  }

  async #withQueue(): Promise<readonly HostStatus[]> {
    const hosts = await Promise.all(this.#names.map((name) => this.#answers.host(name)));
    return hosts.filter(({ queued }) => queued.some(({ job }) => job === this.#job));
  }
}

/** URLs that servers have answered, also those of which no more than the head was wanted. */
export function answeredUrls({ fetched, skipped }: JobCounts): number {
  return fetched + (skipped["content-type"] ?? 0);
}

function hostsOf(urls: readonly string[]): readonly string[] {
  return [...new Set(urls.map((url) => new URL(url).hostname))].slice(0, hostsMax);
}

/**
 * A robots.txt that failed after long is paid for by a rest as long, which outlasts the one that its failure calls for, and
 * does not count as a failure of the host.
 */
function rests({ hold, robots }: HostStatus, dateMs: Millis): boolean {
  if (hold === "politeness") {
    return robots.length > 0 && robots.every((one) => isAwaited(one, dateMs));
  }
  return restsOfHost.has(hold) || outages.has(hold);
}

/** Before the first page comes robots.txt, which says most where it failed: that of the origin that was asked last. */
function reasonOf(status: HostStatus, dateMs: Millis): string {
  const { detail = "it rests", hold, lastFailure, robots } = status;
  if (outages.has(hold)) return clause(detail);
  const failed = robots
    .filter((one) => isAwaited(one, dateMs))
    .toSorted((a, b) => Date.parse(b.fetchedAt) - Date.parse(a.fetchedAt))[0];
  if (failed) return failureText(failed, "its robots.txt");
  if (lastFailure === undefined) return clause(detail);
  const last = failureText(lastFailure, "it");
  return hold === "backoff" ? last : `${clause(detail)} (${last})`;
}

function failureText({ failure, httpStatus }: HostAnswer, who: string): string {
  return failure === undefined
    ? `${who} answers with ${httpStatus}`
    : clause(describeReason(failure));
}

function isAwaited({ expiresAt, failure, httpStatus }: OriginRobots, dateMs: Millis): boolean {
  if (failure === undefined && httpStatus < 500 && httpStatus !== 429) return false;
  return Date.parse(expiresAt) + turnMsMax > dateMs;
}
