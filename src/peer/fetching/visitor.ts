import type { Exchange } from "../../core/archive/capture.ts";
import { spellingsAsked } from "../../core/page/redirect.ts";
import { isAskedAgain, isUnseen } from "../../core/politeness/retry-table.ts";
import type { AttemptEnd } from "../../core/politeness/attempt-end.ts";
import type { Attempts } from "../../core/politeness/retry-table.ts";
import { isHtmlType, isSitemapType } from "../../core/page/content-type.ts";
import { idOf } from "../../core/record/id-of.ts";
import type { CanonicalUrl, Millis } from "../../core/units.ts";
import { originOf } from "../../core/url/site-of.ts";
import { dateOf, type Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type {
  BodyAccount,
  FetchLimits,
  FetchOutcome,
  FetchRequest,
  FetchResponse,
  Fetcher,
} from "../../ports/fetcher.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { BodyBudget } from "./body-budget.ts";
import type { Frontier } from "../frontier/frontier.ts";
import { fetchVerdictOf, lastFailureOf } from "./fetch-verdict.ts";
import { unresolvedOutcome } from "./host-addresses.ts";
import type { LeaseLog } from "../durability/lease-log.ts";
import type { Lease } from "../frontier/lease.ts";
import type { VisitedRows } from "../durability/visited-rows.ts";
import type { Outages } from "./outages.ts";
import type { PageFinisher } from "./page-finisher.ts";
import type { PriorFetch, PriorFetches } from "./prior-fetches.ts";
import type { RobotsVisitor } from "../robots/robots-visitor.ts";
import type { ReplicaKeeper } from "../swarm/replication/replica-keeper.ts";
import { Turns } from "./turns.ts";
import { urlRow } from "../admission/url-row.ts";
import type { UrlRow } from "../admission/url-row.ts";

export interface VisitorPorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly fetcher: Fetcher;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What a visit has to know of the swarm. */
export interface VisitorSwarm {
  /** Other members write to the queue and the records as well. */
  readonly keeper: Pick<ReplicaKeeper, "isOutdated"> & {
    readonly visited: Pick<VisitedRows, "during">;
  };
  /** How often the process has stood still, for so long that others may have crawled its sites meanwhile. */
  readonly standstills: number;
  /** The value of {@link standstills} when a host was last let out: a standstill between that and its visit is not in it. */
  readonly standstillsSeen: number;
}

interface VisitorParts {
  readonly budget: Pick<BodyBudget, "open">;
  readonly frontier: Pick<Frontier, "closeRequest" | "putBack" | "setPace">;
  readonly robots: Pick<RobotsVisitor, "judge">;
  readonly leases: Pick<LeaseLog, "add" | "noted" | "remove">;
  readonly finisher: Pick<PageFinisher, "finish" | "finishResponse">;
  readonly outages: Pick<Outages, "hear">;
  readonly prior: Pick<PriorFetches, "find" | "unchanged">;
  /** Absent where no other member writes to the queue and the records. */
  readonly swarm: VisitorSwarm | undefined;
}

/**
 * So long after its host's turn has come a request begins, at most: what its address was lent for counts on it
 * ({@link LendingOptions.outlastMs}), and so does whoever has claimed the host.
 */
const beginWithinMs: Millis = 10_000;

/** The turn of a host, which a visit has taken. */
interface Turn {
  /** Whether it may have passed to others: the process has stood still. */
  readonly isLate: () => boolean;
  /** When the request must have begun: what is noted before it may wait for a disk that hangs. */
  readonly beginByMs: Millis;
}

/** What a request was made with. */
interface Asked {
  readonly prior: PriorFetch | undefined;
  readonly account: BodyAccount;
}

/**
 * One visit to a host: robots.txt, the request, the verdict on the host, and what becomes of the answer.
 *
 * The host is free for its next visit as soon as the response is in; parsing and committing go on behind its back.
 */
export class Visitor {
  readonly #ports: VisitorPorts;
  readonly #parts: VisitorParts;
  readonly #turns = new Turns();
  readonly #limits: FetchLimits;
  readonly #signal: AbortSignal;

  constructor(
    ports: VisitorPorts,
    parts: VisitorParts,
    options: { readonly limits: FetchLimits },
    signal: AbortSignal,
  ) {
    this.#ports = ports;
    this.#parts = parts;
    this.#limits = options.limits;
    this.#signal = signal;
  }

  /** Resolves when the visit's outcome is in the journal. */
  async visit(lease: Lease): Promise<void> {
    const url = lease.url.entry.url as CanonicalUrl;
    const row = urlRow(url, lease.job);
    const { swarm } = this.#parts;
    const beginByMs = this.#ports.clock.nowMs() + beginWithinMs;
    if (!swarm) return this.#visit(lease, url, row, { isLate: () => false, beginByMs });
    const { standstillsSeen } = swarm;
    const isLate = (): boolean => swarm.standstills !== standstillsSeen;
    const turn = { isLate, beginByMs };
    // Two members that both held a site queued its URLs twice: the second entry has to see what came of the first.
    const id = idOf(row.key);
    return this.#turns.run(id, () =>
      swarm.keeper.visited.during(id, () => this.#visit(lease, url, row, turn)),
    );
  }

  async #visit(lease: Lease, url: CanonicalUrl, row: UrlRow, turn: Turn): Promise<void> {
    const { isLate } = turn;
    if (await this.#isFetched(lease, row)) return;
    const robots = await this.#parts.robots.judge(lease, originOf(url), isLate);
    if (robots.kind === "not-now") return;
    if (robots.kind === "denied") {
      if (!robots.asked) this.#parts.frontier.closeRequest(lease);
      await this.#parts.finisher.finish(lease, row, robots.end);
      return;
    }
    const prior = isNewHere(lease) ? await this.#parts.prior.find(lease.job, url) : undefined;
    if (isLate()) {
      this.#leave(lease);
      return;
    }
    await this.#note(lease, row);
    // Others may have made the request while a slow disk took the note, or may be about to.
    if (await this.#isFetched(lease, row)) return;
    if (this.#ports.clock.nowMs() > turn.beginByMs) {
      this.#withdraw(lease);
      this.#leave(lease);
      return;
    }
    const headers = prior?.conditions ?? {};
    const account = this.#parts.budget.open();
    try {
      const outcome = await this.#request(lease, { url, headers, isLate, account });
      if (outcome.kind === "failure" && outcome.failure === "aborted") {
        this.#leave(lease);
        return;
      }
      const isOutage = await this.#parts.outages.hear(lease, endOf(outcome));
      this.#record(lease, outcome, isOutage);
      if (isOutage) {
        this.#withdraw(lease);
        this.#parts.frontier.putBack(lease);
        return;
      }
      await this.#conclude(lease, row, outcome, { prior, account });
    } finally {
      account.close();
    }
  }

  /** Whether another member has asked for the URL: then nothing is left to do. */
  async #isFetched(lease: Lease, row: UrlRow): Promise<boolean> {
    if (!(await this.#parts.swarm?.keeper.isOutdated(lease.url, row.key))) return false;
    this.#withdraw(lease);
    this.#parts.frontier.closeRequest(lease);
    await this.#parts.finisher.finish(lease, row, { kind: "known" });
    return true;
  }

  /** Resolves when it outlives the process that the request, if there is to be one, was made. */
  async #note(lease: Lease, row: UrlRow): Promise<void> {
    if (lease.unresolved) return;
    lease.note = this.#parts.leases.add(row.key, lease.url.entry.attempts);
    await this.#parts.leases.noted();
  }

  /** The request that was noted is not made. */
  #withdraw(lease: Lease): void {
    if (lease.note !== undefined) this.#parts.leases.remove(lease.note);
    delete lease.note;
  }

  /** No request was made, or none to its end: the URL stays queued as it was. */
  #leave(lease: Lease): void {
    // One that was cut off because the peer stops has been made, and is made again: its address rests after it.
    const isCutOff = lease.note !== undefined && this.#signal.aborted;
    if (!isCutOff) this.#withdraw(lease);
    const finishedAtMs = this.#ports.clock.nowMs();
    this.#parts.frontier.closeRequest(lease, isCutOff ? { finishedAtMs } : undefined);
    this.#parts.frontier.putBack(lease);
  }

  async #request(
    lease: Lease,
    request: Pick<FetchRequest, "url" | "headers" | "isLate" | "account">,
  ): Promise<FetchOutcome> {
    const { job, address, unresolved } = lease;
    if (unresolved) return unresolvedOutcome(unresolved, this.#ports.clock.nowMs());
    const { otherContent, sitemaps } = job.definition.options;
    return this.#ports.fetcher.fetch(
      {
        ...request,
        address,
        needsNewConnection: lease.url.entry.attempts > 0,
        limits: this.#limits,
        wantsBody: (status, type) =>
          otherContent === "archive" ||
          status >= 300 ||
          isHtmlType(type) ||
          (sitemaps && (isSitemapType(type, request.url) || isNamedSitemap(lease))),
        // A redirect leads on, and 429 and 503 say when to come again, whatever their body is like.
        wantsPart: (failure, status) =>
          status >= 300 || !isAskedAgain({ failure }, attemptsBefore(lease)),
      },
      this.#signal,
    );
  }

  /** Tells the host's clocks and the counters how the request went, and frees the host. */
  #record(lease: Lease, outcome: FetchOutcome, isOutage: boolean): void {
    const { clock, entropy, logger, metrics } = this.#ports;
    const { host, job } = lease;
    const heard = fetchVerdictOf(outcome, clock);
    const verdict = isOutage ? { ...heard, kind: "neutral" as const } : heard;
    host.lastFailure = lastFailureOf(outcome, heard.kind, host.lastFailure);
    const isNewPace = host.learnedDelay.record(verdict.kind, host.visit.delayMs);
    // It counts from the very request that was refused.
    if (isNewPace) this.#parts.frontier.setPace(host);
    const event = host.visit.gate.record(verdict, host.visit.delayMs, entropy.random());
    if (event) {
      const forSeconds = Math.round((event.untilMs - clock.nowMs()) / 1_000);
      logger.warn(`host-${event.kind}`, { host: host.visit.host, forSeconds });
    }
    this.#parts.frontier.closeRequest(lease, {
      finishedAtMs: verdict.finishedAtMs,
      ...(verdict.headAtMs !== undefined && { headAtMs: verdict.headAtMs }),
    });
    if (lease.note !== undefined) {
      metrics.observe("fetch_seconds", (outcome.finishedAtMs - outcome.startedAtMs) / 1_000);
    }
    if (outcome.kind === "failure") {
      const { failure, detail } = outcome;
      logger.debug("fetch-failed", { url: lease.url.entry.url, failure, detail });
      metrics.count("fetches_total", 1, { result: failure });
      return;
    }
    metrics.count("fetches_total", 1, { result: `${Math.floor(outcome.status / 100)}xx` });
    metrics.count("fetch_bytes_total", outcome.encodedBody.length);
    job.counter.add("bytes", outcome.encodedBody.length);
  }

  async #conclude(lease: Lease, row: UrlRow, outcome: FetchOutcome, asked: Asked): Promise<void> {
    const attempt = outcome.kind === "failure" ? outcome : { status: outcome.status };
    if (isAskedAgain(attempt, attemptsBefore(lease)) && isTransient(outcome)) {
      await this.#finishAgain(lease, row, isUnseen(attempt));
    } else if (outcome.kind === "response") {
      await this.#finishResponse(lease, row, outcome, asked);
    } else if (outcome.failure === "address-forbidden") {
      await this.#parts.finisher.finish(lease, row, {
        kind: "excluded",
        reason: "address-forbidden",
      });
    } else {
      const { failure } = outcome;
      await this.#parts.finisher.finish(lease, row, { kind: "failed", failure });
    }
  }

  async #finishResponse(
    lease: Lease,
    row: UrlRow,
    response: FetchResponse,
    { prior, account }: Asked,
  ): Promise<void> {
    // Meant for those who would change it (RFC 9110, section 15.5.13): this one asks without a condition then.
    if (prior && response.status === 412) return this.#finishAgain(lease, row, false);
    const stillThere = response.status === 304 ? prior : undefined;
    const unchanged = stillThere && (await this.#parts.prior.unchanged(stillThere, account));
    // Damaged since it was asked for: then the page itself is needed.
    if (stillThere && !unchanged) return this.#finishAgain(lease, row, false);
    const fetchedAt = dateOf(this.#ports.clock, response.startedAtMs);
    const exchange = exchangeOf(lease, response, fetchedAt);
    await this.#parts.finisher.finishResponse(lease, row, exchange, response, unchanged);
  }

  async #finishAgain(lease: Lease, row: UrlRow, isUnseen: boolean): Promise<void> {
    const { url, redirectChain } = lease.url.entry;
    await this.#parts.finisher.finish(lease, row, { kind: "again", url, redirectChain, isUnseen });
  }
}

/** Whether no server has answered for the URL in its job: else it is asked without a condition, which may be what went wrong. */
function isNewHere(lease: Lease): boolean {
  const { attempts, unseen } = attemptsBefore(lease);
  return attempts === unseen;
}

/** A redirect to another spelling of the page takes none of the attempts that a failure leaves it. */
function attemptsBefore({ job, url: { entry } }: Lease): Attempts {
  const { attempts, unseen, redirectChain } = entry;
  const url = entry.url as CanonicalUrl;
  const answered = spellingsAsked(url, redirectChain, job.definition.options);
  return { attempts: Math.max(unseen, attempts - answered), unseen };
}

/**
 * Whether the origin's robots.txt names the lease's URL, or one that redirects to it, as a sitemap, which then is one whatever
 * its server takes it for.
 */
function isNamedSitemap({ robots, url: { entry } }: Lease): boolean {
  if (robots === undefined) return false;
  return [entry.url, ...entry.redirectChain].some((url) => robots.sitemaps.includes(url));
}

function endOf(outcome: FetchOutcome): AttemptEnd {
  const { startedAtMs } = outcome;
  return { startedAtMs, failure: outcome.kind === "failure" ? outcome.failure : undefined };
}

/** A good answer is never asked for again, however many attempts it would be granted. */
function isTransient(outcome: FetchOutcome): boolean {
  return outcome.kind === "failure" || outcome.status >= 400;
}

function exchangeOf(
  { address, url }: Lease,
  response: FetchResponse,
  fetchedAtMs: Millis,
): Exchange {
  return {
    url: url.entry.url,
    address,
    method: "GET",
    status: response.status,
    httpVersion: response.httpVersion,
    statusText: response.statusText,
    headers: response.headers,
    requestHeaders: response.requestHeaders,
    encodedBody: response.encodedBody,
    fetchedAtMs,
    ...(response.truncation && { truncation: response.truncation }),
  };
}
