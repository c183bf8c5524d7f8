import { headerField, headerFields } from "../../core/net/header-fields.ts";
import type { AttemptEnd } from "../../core/politeness/attempt-end.ts";
import type { FetchFailure } from "../../core/politeness/retry-table.ts";
import type { FetchVerdict } from "../../core/politeness/host-gate.ts";
import type { RobotsRecord } from "../../core/record/record.pb.ts";
import { isCutAnswer, robotsRedirectsMax, robotsVerdict } from "../../core/robots/robots-policy.ts";
import type { RobotsFetchOutcome } from "../../core/robots/robots-policy.ts";
import { robotsText } from "../../core/robots/robots-text.ts";
import type { CanonicalUrl, Millis, OriginName } from "../../core/units.ts";
import { canonicalizeLocation } from "../../core/url/header-url.ts";
import { hostOf } from "../../core/url/site-of.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type {
  FetchLimits,
  FetchOutcome,
  FetchRequest,
  FetchResponse,
  Fetcher,
} from "../../ports/fetcher.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Resolver } from "../../ports/resolver.ts";
import { fetchVerdictOf } from "../fetching/fetch-verdict.ts";
import type { Frontier } from "../frontier/frontier.ts";
import type { Outages } from "../fetching/outages.ts";
import { mayGoOn, unresolvedOutcome } from "../fetching/host-addresses.ts";
import type { Journal } from "../durability/journal.ts";
import type { Lease } from "../frontier/lease.ts";
import { isAwaited, robotsAllow, robotsCrawlDelayMs } from "./robots-keeper.ts";
import type { HostsOfOthers } from "../swarm/answers/hosts-of-others.ts";
import { RobotsHops, type HopPoliteness } from "./robots-hops.ts";
import { isBrokenOff, robotsRequest } from "./robots-request.ts";
import type { RobotsEntry, RobotsKeeper } from "./robots-keeper.ts";
import type { LeaseEnd } from "../durability/settlement.ts";

/** RFC 9309 section 2.5 asks for 500 KiB at least. */
const robotsBytesMax = 500 * 1_024;

/** A host whose robots.txt leads to one that could not be asked soon rests for so long at least, and at most twice that. */
const noTurnRestMs: Millis = 2_000;

/** Whether a leased URL may be fetched now. */
export type RobotsJudgement =
  | { readonly kind: "allowed" }
  /** The visit went to robots.txt instead; the lease has been put back. */
  | { readonly kind: "not-now" }
  /** `asked`: the visit went to robots.txt, and its request has ended. */
  | { readonly kind: "denied"; readonly end: LeaseEnd; readonly asked: boolean };

const notNow: RobotsJudgement = Object.freeze({ kind: "not-now" });

/** The request to the origin itself, before any redirect. */
type FirstRequest = Required<Pick<FetchRequest, "url" | "isLate" | "needsNewConnection">>;

/** What one request for robots.txt, redirects followed, brought. */
interface Answer {
  /** `no-turn`: a host that it leads to could not be asked soon, which is nobody's fault. */
  readonly outcome: RobotsFetchOutcome | { readonly kind: "no-turn" };
  /** On the visit's own host. */
  readonly verdict: FetchVerdict;
  /** On the latest request: it may have gone to another host on the visit's own address. */
  readonly last: FetchVerdict;
  readonly body: string;
  readonly failure?: FetchFailure;
  /** It is that of another host, to which the visit's own led. */
  readonly isElsewhere: boolean;
  /** Where the last request was cut off: whether it, or one before, was made. */
  readonly isAsked: boolean;
}

interface RobotsPorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly fetcher: Fetcher;
  readonly logger: Logger;
  readonly resolver: Resolver;
}

/**
 * Asks an origin's robots.txt in the turn of its host, before the first URL and whenever the answer is too old.
 *
 * Invariant: a request for robots.txt is a request to the host: it takes the host's turn and arms its clocks.
 * Invariant: of one origin there is one such request at a time, however many connections its host allows; others of the
 * host's visits leave and come back behind it, so that they hold no turn meanwhile and wait for nobody.
 */
export class RobotsVisitor {
  readonly #ports: RobotsPorts;
  readonly #frontier: Frontier;
  readonly #journal: Journal;
  readonly #keeper: RobotsKeeper;
  readonly #hops: RobotsHops;
  readonly #outages: Pick<Outages, "hear">;
  readonly #limits: FetchLimits;
  readonly #productToken: string;
  readonly #signal: AbortSignal;

  constructor(
    ports: RobotsPorts,
    parts: {
      readonly frontier: Frontier;
      readonly journal: Journal;
      readonly keeper: RobotsKeeper;
      /** Absent where the peer crawls alone. */
      readonly others?: HostsOfOthers | undefined;
      readonly outages: Pick<Outages, "hear">;
    },
    options: {
      readonly limits: FetchLimits;
      readonly politeness: HopPoliteness;
      readonly productToken: string;
    },
    signal: AbortSignal,
  ) {
    this.#ports = ports;
    this.#frontier = parts.frontier;
    this.#journal = parts.journal;
    this.#keeper = parts.keeper;
    this.#outages = parts.outages;
    this.#limits = { ...options.limits, bodyBytesMax: robotsBytesMax };
    this.#hops = new RobotsHops(ports, parts, { ...options, limits: this.#limits }, signal);
    this.#productToken = options.productToken;
    this.#signal = signal;
  }

  /** @param isLate whether the host's turn, which the visit has taken, may have passed to others */
  async judge(lease: Lease, origin: OriginName, isLate: () => boolean): Promise<RobotsJudgement> {
    const entry = await this.#keeper.lookup(origin, lease.host.visit.site);
    if (!entry || !this.#isUsable(entry)) {
      if (entry && this.#isOutOfReach(entry)) return this.#putOff(lease, entry.record);
      return this.#ask(lease, origin, entry, isLate);
    }
    this.#heedCrawlDelay(lease, entry);
    if (entry.rules) lease.robots = entry.rules;
    const url = lease.url.entry.url as CanonicalUrl;
    if (!robotsAllow(entry, url, this.#productToken)) {
      return { kind: "denied", end: denialOf(entry.record), asked: false };
    }
    return this.#mayGoOn(lease) ? { kind: "allowed" } : this.#leave(lease);
  }

  #mayGoOn(lease: Lease): boolean {
    return mayGoOn(lease, this.#ports.clock.nowMs());
  }

  /** One that could not be reached is asked again when its time has come, which its host's gate may have set. */
  #isUsable(entry: RobotsEntry): boolean {
    return this.#keeper.isFresh(entry) && !isAwaited(entry.record);
  }

  /** The origin could not be reached a moment ago, and others of its host may be. */
  #isOutOfReach(entry: RobotsEntry): boolean {
    return this.#keeper.isFresh(entry) && isAwaited(entry.record) && !concernsHost(entry.record);
  }

  /** The others of the host go first; where too many are put off, the host rests. No request was made. */
  #putOff(lease: Lease, { expiresAtMs }: RobotsRecord): RobotsJudgement {
    const mayPutOff = this.#frontier.mayPutOff(lease);
    if (!mayPutOff) lease.host.visit.gate.restUntil(expiresAtMs);
    this.#frontier.closeRequest(lease);
    if (mayPutOff) this.#frontier.putOff(lease, expiresAtMs);
    else this.#frontier.putBack(lease);
    return notNow;
  }

  #heedCrawlDelay({ host }: Lease, entry: RobotsEntry): void {
    const delayMs = robotsCrawlDelayMs(entry, this.#productToken);
    if (delayMs === undefined || delayMs <= (host.crawlDelayMs ?? 0)) return;
    host.crawlDelayMs = delayMs;
    // It counts from the very request that brought it.
    this.#frontier.setPace(host);
  }

  async #ask(
    lease: Lease,
    origin: OriginName,
    known: RobotsEntry | undefined,
    isLate: () => boolean,
  ): Promise<RobotsJudgement> {
    const { host } = lease;
    // Another visit of the host is there already: when it has ended, this one comes back.
    if (host.askedOrigins.has(origin) || !this.#mayGoOn(lease)) return this.#leave(lease);
    host.askedOrigins.add(origin);
    this.#frontier.setPace(host);
    const request: FirstRequest = {
      url: `${origin}/robots.txt` as CanonicalUrl,
      isLate,
      needsNewConnection: (known?.record.failuresInRow ?? 0) > 0,
    };
    const answer = await this.#fetch(lease, request);
    const isCutOff = answer.failure === "aborted";
    // Nobody else asks for it before it is judged.
    const isOutage = !isCutOff && (await this.#outages.hear(lease, ownEndOf(answer)));
    host.askedOrigins.delete(origin);
    if (isCutOff && !answer.isAsked) return this.#leave(lease);
    if (isCutOff || isOutage) {
      host.visit.gate.record({ ...answer.verdict, kind: "neutral" }, host.visit.delayMs);
      return this.#leave(lease, answer.last);
    }
    const { outcome } = answer;
    if (outcome.kind === "no-turn") return this.#comeAgain(lease, answer);
    const record = this.#recordOf(origin, { ...answer, outcome }, known);
    const kept = this.#keeper.keep(origin, host.visit.site, record);
    const entry = await this.#keeper.lookup(origin, host.visit.site);
    // What its last reading asked for is over. What another origin's asks for counts again from its next visit on.
    if (known && record.failuresInRow === 0) host.crawlDelayMs = undefined;
    if (entry) this.#heedCrawlDelay(lease, entry);
    const isDenied = record.verdict === "disallow-all";
    // An origin's own waits grow with its failures; the host's would grow with those of all, and outlast them.
    const verdict = isDenied ? { ...answer.verdict, kind: "neutral" as const } : answer.verdict;
    host.visit.gate.record(verdict, host.visit.delayMs, this.#ports.entropy.random());
    const isWaitedFor = isAwaited(record);
    const isPutOff = isWaitedFor && !concernsHost(record) && this.#frontier.mayPutOff(lease);
    if (isWaitedFor && !isPutOff) host.visit.gate.restUntil(record.expiresAtMs);
    this.#frontier.closeRequest(lease, answer.last);
    void this.#journal.append([kept, host.save()]);
    if (isDenied && !isWaitedFor) {
      return { kind: "denied", end: denialOf(record), asked: true };
    }
    if (isPutOff) this.#frontier.putOff(lease, record.expiresAtMs);
    else this.#frontier.putBack(lease);
    return notNow;
  }

  /** What was learnt of the origin before stays as it is; those that stood in each other's way come back apart. */
  #comeAgain(lease: Lease, { verdict, last }: Answer): RobotsJudgement {
    const { clock, entropy } = this.#ports;
    const { gate, delayMs } = lease.host.visit;
    gate.record(verdict, delayMs, entropy.random());
    gate.restUntil(clock.nowMs() + noTurnRestMs * (1 + entropy.random()));
    this.#frontier.closeRequest(lease, last);
    this.#frontier.putBack(lease);
    return notNow;
  }

  /** No request was made, or none to an end that counts. */
  #leave(lease: Lease, end?: FetchVerdict): RobotsJudgement {
    this.#frontier.closeRequest(lease, end);
    this.#frontier.putBack(lease);
    return notNow;
  }

  /** Follows redirects at the pace of the hosts that they lead to. */
  async #fetch(lease: Lease, first: FirstRequest): Promise<Answer> {
    const { clock } = this.#ports;
    const { host } = lease.host.visit;
    let { url } = first;
    let outcome = await this.#request(lease, first);
    /** Of the visit's own host. */
    let verdict = fetchVerdictOf(outcome, clock);
    let last = verdict;
    for (let hops = 0; ; hops += 1) {
      const isElsewhere = hostOf(url) !== host;
      // One that is cut off because the peer stops has been made; one that comes too late has not.
      const isAsked = hops > 0 || this.#signal.aborted;
      const heard = { verdict, last, body: "", isElsewhere, isAsked };
      if (outcome.kind === "failure") {
        return { ...heard, outcome: { kind: "unreachable" }, failure: outcome.failure };
      }
      const location = headerField(outcome.headers, "location");
      const target =
        isRedirect(outcome.status) && location ? canonicalizeLocation(location, url) : undefined;
      if (target === undefined) {
        return { ...heard, outcome: answerOf(outcome, clock), body: textOf(outcome) };
      }
      if (hops >= robotsRedirectsMax) return { ...heard, outcome: { kind: "redirect-limit" } };
      url = target;
      const next = await this.#hops.follow(lease, { url, isLate: first.isLate });
      if (next.kind === "at-rest") return { ...heard, outcome: { kind: "unreachable" } };
      if (next.kind === "no-turn") return { ...heard, outcome: next };
      outcome = next;
      const ofHop = fetchVerdictOf(outcome, clock);
      // An answer that is shared may be older than the visit's own request.
      if (seenAtMs(ofHop) > seenAtMs(last)) last = ofHop;
      if (hostOf(url) === host) verdict = ofHop;
    }
  }

  async #request({ address, unresolved }: Lease, request: FirstRequest): Promise<FetchOutcome> {
    const { clock, fetcher } = this.#ports;
    if (unresolved) return unresolvedOutcome(unresolved, clock.nowMs());
    return fetcher.fetch(
      { ...robotsRequest, ...request, address, limits: this.#limits },
      this.#signal,
    );
  }

  #recordOf(
    origin: OriginName,
    answer: Answer & { readonly outcome: RobotsFetchOutcome },
    known: RobotsEntry | undefined,
  ): RobotsRecord {
    const nowMs = this.#ports.clock.nowMs();
    const before = known?.record;
    const copyVerdict = before?.verdict;
    const { cutsInRow = 0, failuresInRow } = before
      ? this.#keeper.failuresBefore(before)
      : { failuresInRow: 0 };
    const decision = robotsVerdict(answer.outcome, {
      failuresInRow,
      cutsInRow,
      ...(before &&
        (copyVerdict === "rules" || copyVerdict === "allow-all") && {
          copy: { verdict: copyVerdict, ageMs: this.#keeper.ageMs(before) },
        }),
    });
    const { failure, isElsewhere, outcome } = answer;
    const unreachable = decision.stale || decision.verdict === "disallow-all";
    return {
      origin,
      verdict: decision.verdict,
      body: decision.stale ? (before?.body ?? "") : decision.verdict === "rules" ? answer.body : "",
      fetchedAtMs: decision.stale ? (before?.fetchedAtMs ?? nowMs) : nowMs,
      expiresAtMs: nowMs + decision.ttlMs,
      httpStatus: outcome.kind === "response" ? outcome.status : 0,
      failuresInRow: unreachable ? failuresInRow + 1 : 0,
      ...(failure && { failure }),
      ...(unreachable && isElsewhere && { elsewhere: true }),
      ...(unreachable && isCutAnswer(outcome) && { cutsInRow: cutsInRow + 1 }),
    };
  }
}

function answerOf(response: FetchResponse, clock: Clock): RobotsFetchOutcome {
  const { status, headers } = response;
  const cacheControl = headerFields(headers, "cache-control");
  const { retryAfterMs } = fetchVerdictOf(response, clock);
  return {
    kind: "response",
    status,
    isCut: isBrokenOff(response),
    ...(cacheControl.length > 0 && { cacheControl: cacheControl.join() }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** How the attempt at the visit's own host ended: one that leads elsewhere has answered. */
function ownEndOf({ failure, isElsewhere, verdict: { startedAtMs } }: Answer): AttemptEnd {
  return { startedAtMs, failure: isElsewhere ? undefined : failure };
}

function textOf({ body, truncation }: FetchResponse): string {
  return robotsText(body, truncation !== undefined);
}

/** When the server has surely seen the request. */
function seenAtMs({ headAtMs, finishedAtMs }: FetchVerdict): Millis {
  return headAtMs ?? finishedAtMs;
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Whether what keeps the origin out of reach keeps its host: no address, or too much to do. */
function concernsHost({ elsewhere, failure, httpStatus }: RobotsRecord): boolean {
  if (elsewhere === true) return false;
  return failure?.startsWith("dns-") ?? (httpStatus === 429 || httpStatus === 503);
}

function denialOf({ verdict, elsewhere, failure: last }: RobotsRecord): LeaseEnd {
  if (verdict !== "disallow-all") return { kind: "excluded", reason: "robots" };
  const failure = elsewhere === true ? undefined : last;
  if (failure === "address-forbidden") return { kind: "excluded", reason: "address-forbidden" };
  return failure === undefined
    ? { kind: "excluded", reason: "robots-unreachable" }
    : { kind: "failed", failure: failure as FetchFailure, isUnasked: true };
}
