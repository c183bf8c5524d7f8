import type { Millis } from "../../src/core/units.ts";
import type { Hit } from "../sample-web/hit-log.ts";
import type { SampleTarget } from "../sample-web/sample-web.ts";
import type { TrueGraph } from "../sample-web/true-graph.ts";
import {
  auditChecks,
  defaultAuditRules,
  Finding,
  timeText,
  type AuditCheck,
  type AuditRules,
} from "./audit-rules.ts";
import { PaceAudit, type PaceTotals } from "./pace-audit.ts";
import { PageAudit, urlOf, type PageTotals } from "./page-audit.ts";

/** The verdict over one crawl. */
export interface AuditReport {
  readonly passed: boolean;
  /** One for each name of {@link auditChecks}, in that order. */
  readonly checks: readonly AuditCheck[];
  /** All requests, robots.txt included. */
  readonly requests: number;
  readonly robotsRequests: number;
  readonly hosts: number;
  readonly addresses: number;
  readonly bodyBytes: number;
  /** From the first arrival to the last end. */
  readonly spanMs: Millis;
  readonly pages: PageTotals;
  readonly hostPace: PaceTotals;
  readonly addressPace: PaceTotals;
}

const msPerSecond = 1_000;
const serverErrors = 500;

/**
 * Holds a server's log against the true graph: what was lost, what was fetched twice, what was forbidden, what came too
 * early.
 *
 * It stands outside the crawler: it knows what the web is made of and what reached the server, and nothing of what the
 * crawler says of itself.
 */
export async function audit(
  hits: Iterable<Hit> | AsyncIterable<Hit>,
  graph: TrueGraph,
  given: Partial<AuditRules> = {},
): Promise<AuditReport> {
  const rules = { ...defaultAuditRules, ...given };
  if (!(rules.toleranceMs >= 0 && rules.toleranceMs <= 1)) {
    throw new RangeError(`toleranceMs must be between 0 and 1, got ${rules.toleranceMs}`);
  }
  const inOrder: Hit[] = [];
  for await (const hit of hits) inOrder.push(hit);
  inOrder.sort((first, second) => first.arrivedAtMs - second.arrivedAtMs);
  const auditor = new Auditor(graph, rules);
  for (const hit of inOrder) auditor.see(hit);
  return auditor.finish();
}

/** The pass over all hits, in order of arrival. */
class Auditor {
  readonly #graph: TrueGraph;
  readonly #rules: AuditRules;
  readonly #pageAudit: PageAudit;
  readonly #hostPace: PaceAudit;
  readonly #addressPace: PaceAudit;
  readonly #robotsNotRead: Finding;
  readonly #robotsRefetch: Finding;
  readonly #retryAfter: Finding;
  readonly #wrongAddress: Finding;
  readonly #method: Finding;
  readonly #userAgent: Finding;
  /** Hosts whose robots.txt was answered, and when first. */
  readonly #robotsReadAtMs = new Map<string, Millis>();
  readonly #robotsReads = new Map<string, number>();
  /** When each host that has sent a request away may be asked again. */
  readonly #heldUntilMs = new Map<string, Millis>();
  readonly #hosts = new Set<string>();
  readonly #addresses = new Set<string>();
  #requests = 0;
  #robotsRequests = 0;
  #bodyBytes = 0;
  #firstAtMs = Number.POSITIVE_INFINITY;
  #lastAtMs = Number.NEGATIVE_INFINITY;

  constructor(graph: TrueGraph, rules: AuditRules) {
    this.#graph = graph;
    this.#rules = rules;
    this.#pageAudit = new PageAudit(graph, rules);
    this.#hostPace = new PaceAudit("host", rules, (host) => this.#delayOf(host));
    this.#addressPace = new PaceAudit("address", rules, () => rules.addressDelayMs);
    this.#robotsNotRead = new Finding("robots-not-read", rules);
    this.#robotsRefetch = new Finding("robots-refetch", rules);
    this.#retryAfter = new Finding("retry-after", rules);
    this.#wrongAddress = new Finding("wrong-address", rules);
    this.#method = new Finding("method", rules);
    this.#userAgent = new Finding("user-agent", rules);
  }

  see(hit: Hit): void {
    const target = this.#graph.web.locate(hit.host, hit.path);
    this.#requests += 1;
    this.#bodyBytes += hit.bytes;
    this.#firstAtMs = Math.min(this.#firstAtMs, hit.arrivedAtMs);
    this.#lastAtMs = Math.max(this.#lastAtMs, hit.finishedAtMs);
    this.#hosts.add(hit.host);
    this.#addresses.add(hit.address);
    this.#pageAudit.see(hit, target);
    this.#hostPace.see(hit.host, hit);
    this.#addressPace.see(hit.address, hit);
    this.#seeRobots(hit, target);
    this.#seeRetryAfter(hit, target);
    this.#seeSender(hit);
  }

  finish(): AuditReport {
    const { checks: pageChecks, totals } = this.#pageAudit.finish();
    const found = [
      ...pageChecks,
      ...this.#hostPace.checks(),
      ...this.#addressPace.checks(),
      this.#robotsNotRead.result(),
      this.#robotsRefetch.result(),
      this.#retryAfter.result(),
      this.#wrongAddress.result(),
      this.#method.result(),
      this.#userAgent.result(),
    ];
    const order = Object.keys(auditChecks);
    const checks = found.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    return {
      passed: checks.every((check) => check.passed),
      checks,
      requests: this.#requests,
      robotsRequests: this.#robotsRequests,
      hosts: this.#hosts.size,
      addresses: this.#addresses.size,
      bodyBytes: this.#bodyBytes,
      spanMs: this.#requests === 0 ? 0 : this.#lastAtMs - this.#firstAtMs,
      pages: totals,
      hostPace: this.#hostPace.totals(),
      addressPace: this.#addressPace.totals(),
    };
  }

  #delayOf(hostName: string): Millis {
    const host = this.#graph.web.names.findHost(hostName);
    if (host === undefined || !this.#graph.rules.respectsRobots) return this.#rules.hostDelayMs;
    const seconds = this.#graph.web.robotsOf(host).crawlDelaySeconds ?? 0;
    const crawlDelayMs = Math.min(seconds * msPerSecond, this.#rules.crawlDelayMaxMs);
    return Math.max(this.#rules.hostDelayMs, crawlDelayMs);
  }

  #seeRobots(hit: Hit, target: SampleTarget): void {
    if (target.kind === "robots") {
      this.#robotsRequests += 1;
      this.#robotsRefetch.look();
      if (!hit.complete) return;
      const reads = this.#robotsReads.get(hit.host) ?? 0;
      if (reads > this.#rules.robotsRefetchesAllowed) {
        this.#robotsRefetch.violate(urlOf(hit), () => `read ${reads} times before`);
      }
      if (hit.status < serverErrors) this.#robotsReads.set(hit.host, reads + 1);
      const readAtMs = this.#robotsReadAtMs.get(hit.host) ?? hit.finishedAtMs;
      this.#robotsReadAtMs.set(hit.host, Math.min(readAtMs, hit.finishedAtMs));
      return;
    }
    if (!this.#graph.rules.respectsRobots) return;
    this.#robotsNotRead.look();
    const readAtMs = this.#robotsReadAtMs.get(hit.host);
    if (readAtMs === undefined || readAtMs > hit.arrivedAtMs) {
      this.#robotsNotRead.violate(urlOf(hit), () => `fetched at ${timeText(hit.arrivedAtMs)}`);
    }
  }

  #seeRetryAfter(hit: Hit, target: SampleTarget): void {
    const heldUntilMs = this.#heldUntilMs.get(hit.host);
    if (heldUntilMs !== undefined) {
      this.#retryAfter.look();
      if (hit.arrivedAtMs < heldUntilMs - this.#rules.toleranceMs) {
        const shortMs = heldUntilMs - hit.arrivedAtMs;
        this.#retryAfter.violate(urlOf(hit), () => `${shortMs.toFixed(2)} ms too early`);
      }
    }
    if (target.kind !== "page" || (hit.status !== 429 && hit.status !== 503)) return;
    const waitMs = this.#graph.web.options.retryAfterSeconds * msPerSecond;
    this.#heldUntilMs.set(hit.host, Math.max(heldUntilMs ?? 0, hit.finishedAtMs + waitMs));
  }

  #seeSender(hit: Hit): void {
    for (const finding of [this.#wrongAddress, this.#method, this.#userAgent]) finding.look();
    const { names } = this.#graph.web;
    const host = names.findHost(hit.host);
    if (host !== undefined && names.addressOf(host) !== hit.address) {
      this.#wrongAddress.violate(urlOf(hit), () => `asked at ${hit.address}`);
    }
    if (hit.method !== "GET") this.#method.violate(urlOf(hit), () => hit.method);
    if (!this.#rules.userAgentPattern.test(hit.userAgent)) {
      this.#userAgent.violate(urlOf(hit), () => `User-Agent: ${hit.userAgent || "(none)"}`);
    }
  }
}
