import type { Millis } from "../../src/core/units.ts";
import type { Hit } from "../sample-web/hit-log.ts";
import type { SampleTarget } from "../sample-web/sample-web.ts";
import type { TrueGraph } from "../sample-web/true-graph.ts";
import { Finding, onTheWayMs, timeText, type AuditCheck, type AuditRules } from "./audit-rules.ts";

/** What is remembered of a page: its last request, and whether one was final. */
interface PageState {
  attempts: number;
  wasAnswered: boolean;
  lastAtMs: Millis;
  lastEndMs: Millis;
  lastMayBeRetried: boolean;
  /** Of a loop, whether it was asked for by its own URL, not in another spelling alone. */
  wasNamed: boolean;
}

/** What the page checks count besides their violations. */
export interface PageTotals {
  /** Pages that had to be fetched. */
  readonly mustFetch: number;
  /** Of these, pages with a final answer. */
  readonly fetched: number;
  /** Requests that followed a 429, a 5xx, a reset or an unfinished answer. */
  readonly retries: number;
  /** Pages of traps. */
  readonly trapPages: number;
  /** Requests whose answer the client did not wait for. */
  readonly unfinished: number;
}

const tooManyRequests = 429;
const serverErrors = 500;

/**
 * Checks what was fetched: everything that must be, once, and nothing else.
 *
 * A page is known by its number in the web, whatever spelling or session id was in the URL that named it. Hits must be
 * given in order of arrival.
 */
export class PageAudit {
  readonly #graph: TrueGraph;
  readonly #rules: AuditRules;
  readonly #pages = new Map<number, PageState>();
  readonly #trapUrls = new Map<string, Set<string>>();
  readonly #lost: Finding;
  readonly #duplicate: Finding;
  readonly #attempts: Finding;
  readonly #disallowed: Finding;
  readonly #nofollow: Finding;
  readonly #scope: Finding;
  readonly #unreachable: Finding;
  readonly #unknown: Finding;
  readonly #trap: Finding;
  #explainedRefetches = 0;
  #retries = 0;
  #unfinished = 0;

  constructor(graph: TrueGraph, rules: AuditRules) {
    this.#graph = graph;
    this.#rules = rules;
    this.#lost = new Finding("lost", rules);
    this.#duplicate = new Finding("duplicate", rules);
    this.#attempts = new Finding("attempts", rules);
    this.#disallowed = new Finding("disallowed", rules);
    this.#nofollow = new Finding("nofollow", rules);
    this.#scope = new Finding("out-of-scope", rules);
    this.#unreachable = new Finding("unreachable", rules);
    this.#unknown = new Finding("unknown-url", rules);
    this.#trap = new Finding("trap", rules);
  }

  see(hit: Hit, target: SampleTarget): void {
    if (!hit.complete) this.#unfinished += 1;
    this.#unknown.look();
    switch (target.kind) {
      case "page":
        this.#seePage(hit, target.id);
        return;
      case "trap":
        this.#seeTrap(hit);
        return;
      case "nothing":
        this.#unknown.violate(urlOf(hit), () => `status ${hit.status}`);
        return;
      case "robots":
        return;
    }
  }

  /** Results and totals, after the last hit. */
  finish(): { readonly checks: readonly AuditCheck[]; readonly totals: PageTotals } {
    let mustFetch = 0;
    let fetched = 0;
    for (const id of this.#graph.ids("must")) {
      mustFetch += 1;
      const state = this.#pages.get(id);
      if (state?.wasAnswered === true) fetched += 1;
      else {
        this.#lost.violate(this.#graph.web.urlOf(id), () =>
          state === undefined
            ? `never requested (${this.#graph.web.kindOf(id)})`
            : `${state.attempts} requests, the last at ${timeText(state.lastAtMs)}, none with a final answer`,
        );
      }
    }
    let trapPages = 0;
    for (const urls of this.#trapUrls.values()) trapPages += urls.size;
    this.#lost.look(mustFetch);
    const forbidden = [this.#disallowed, this.#nofollow, this.#scope, this.#unreachable];
    return {
      checks: [
        this.#lost.result(),
        this.#duplicate.result(this.#rules.refetchesAllowed + this.#explainedRefetches),
        this.#attempts.result(),
        ...forbidden.map((finding) => finding.result()),
        this.#unknown.result(),
        this.#trap.result(),
      ],
      totals: {
        mustFetch,
        fetched,
        retries: this.#retries,
        trapPages,
        unfinished: this.#unfinished,
      },
    };
  }

  #seePage(hit: Hit, id: number): void {
    this.#seeVerdict(hit, id);
    for (const finding of [this.#duplicate, this.#attempts]) finding.look();
    const state = this.#pages.get(id);
    const kind = this.#graph.web.kindOf(id);
    const mayBeRetried = isRetryable(hit);
    const isAnswer = !mayBeRetried || kind === "failing" || kind === "reset";
    const isNamed = kind === "loop" && this.#isNamed(hit, id);
    if (state === undefined) {
      this.#pages.set(id, {
        attempts: 1,
        wasAnswered: isAnswer,
        lastAtMs: hit.arrivedAtMs,
        lastEndMs: hit.finishedAtMs,
        lastMayBeRetried: mayBeRetried,
        wasNamed: isNamed,
      });
      return;
    }
    // A loop that is entered by another spelling leads back to its own, which is then asked as well.
    const isLedBack = isNamed && !state.wasNamed;
    if (state.lastMayBeRetried) this.#retries += 1;
    else if (!isLedBack) {
      const beforeAtMs = state.lastAtMs;
      if (this.#wasInterrupted(state, hit)) this.#explainedRefetches += 1;
      this.#duplicate.violate(
        urlOf(hit),
        () =>
          `answered at ${timeText(beforeAtMs)}, requested again at ${timeText(hit.arrivedAtMs)}`,
      );
    }
    state.attempts += 1;
    state.wasAnswered ||= isAnswer;
    state.lastAtMs = hit.arrivedAtMs;
    state.lastEndMs = hit.finishedAtMs;
    state.lastMayBeRetried = mayBeRetried;
    state.wasNamed ||= isNamed;
    if (state.attempts > this.#rules.attemptsMax) {
      this.#attempts.violate(urlOf(hit), () => `request number ${state.attempts}`);
    }
  }

  #isNamed({ path }: Hit, id: number): boolean {
    const { pathname, search } = new URL(this.#graph.web.urlOf(id));
    return path === pathname + search;
  }

  /** Whether the last answer may have been lost with a peer that knew of it alone. */
  #wasInterrupted({ lastAtMs, lastEndMs }: PageState, { arrivedAtMs }: Hit): boolean {
    const { interruptedAtMs, inFlightMs } = this.#rules;
    return interruptedAtMs.some(
      (atMs) =>
        lastAtMs - onTheWayMs <= atMs && atMs <= lastEndMs + inFlightMs && atMs <= arrivedAtMs,
    );
  }

  #seeVerdict(hit: Hit, id: number): void {
    const verdict = this.#graph.verdictOf(id);
    const findings = {
      robots: this.#disallowed,
      nofollow: this.#nofollow,
      scope: this.#scope,
      unreachable: this.#unreachable,
      "redirect-limit": this.#unreachable,
    };
    for (const finding of new Set(Object.values(findings))) finding.look();
    if (verdict === "must") return;
    findings[verdict].violate(urlOf(hit), () => `fetched at ${timeText(hit.arrivedAtMs)}`);
  }

  #seeTrap(hit: Hit): void {
    const urls = this.#trapUrls.get(hit.host) ?? new Set<string>();
    this.#trapUrls.set(hit.host, urls);
    this.#trap.look();
    if (urls.has(hit.path)) {
      this.#duplicate.violate(
        urlOf(hit),
        () => `a page of a trap, again at ${timeText(hit.arrivedAtMs)}`,
      );
    }
    urls.add(hit.path);
    if (urls.size > this.#rules.trapPagesPerHostMax) {
      this.#trap.violate(urlOf(hit), () => `page number ${urls.size} of this host's traps`);
    }
  }
}

export function urlOf(hit: Hit): string {
  return `http://${hit.host}${hit.path}`;
}

/** Whether another request for the URL is in order after this answer. */
function isRetryable(hit: Hit): boolean {
  if (!hit.complete || hit.status === 0) return true;
  return hit.status === tooManyRequests || hit.status >= serverErrors;
}
