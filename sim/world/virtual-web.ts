import type { FetchFailure } from "../../src/core/politeness/retry-table.ts";
import type { CanonicalUrl, Millis } from "../../src/core/units.ts";
import { hostOf } from "../../src/core/url/site-of.ts";
import type { SampleTarget, SampleWeb } from "../sample-web/sample-web.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { Dice } from "./dice.ts";
import { VirtualPages, type VirtualPage } from "./virtual-pages.ts";

export interface VirtualWebOptions {
  /** Median of the time from a peer to a host and back; each host has its own, from a quarter to four times. @default 60 */
  readonly roundTripMedianMs: Millis;
  /** Deviation of the logarithm of one request's time. @default 0.2 */
  readonly roundTripTail: number;
  /** Time a server works on a request. @default 5 */
  readonly serveMs: Millis;
}

export const defaultVirtualWebOptions: VirtualWebOptions = Object.freeze({
  roundTripMedianMs: 60,
  roundTripTail: 0.2,
  serveMs: 5,
});

/** A request as it reaches the web; times are true times, not a peer's. */
export interface VirtualHit {
  readonly sentAtMs: Millis;
  /** When it arrived. */
  readonly atMs: Millis;
  /** When the server has answered. */
  readonly endMs: Millis;
  readonly peer: string;
  readonly generation: number;
  readonly host: string;
  readonly address: string;
  readonly url: string;
  /** 0: the connection was reset, or no answer was given. */
  readonly status: number;
  readonly isRobots: boolean;
  /** Number of the page in the sample web; -1 for anything else. */
  readonly page: number;
  /** Size that the page would have on the wire; what is really sent is a few bytes. */
  readonly bytes: number;
  /** Seconds to keep away, where the answer said so. */
  readonly retryAfterSeconds?: number;
}

/** Who asks for what, and when it arrives. */
export interface WebRequest {
  readonly url: CanonicalUrl;
  readonly host: string;
  readonly address: string;
  readonly peer: string;
  readonly generation: number;
  readonly sentAtMs: Millis;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a rule does instead of the page's own answer. */
export type WebInterference =
  | { readonly kind: "status"; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "failure"; readonly failure: FetchFailure }
  | { readonly kind: "delay"; readonly ms: Millis };

/** Judges requests on arrival; the first rule with an opinion has it. */
export type WebRule = (request: WebRequest, atMs: Millis) => WebInterference | undefined;

/** What leaves the server. */
export interface WebReply {
  readonly endMs: Millis;
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Uint8Array<ArrayBuffer>;
  readonly failure?: FetchFailure;
}

const noBytes = new Uint8Array(0);

/**
 * All servers of the virtual web.
 *
 * Its only state is how often each throttled page was asked for.
 */
export class VirtualWeb {
  readonly pages: VirtualPages;
  readonly clock: VirtualClock;
  readonly options: VirtualWebOptions;
  readonly #dice: Dice;
  readonly #throttled = new Map<number, number>();
  readonly #cutOff = new Set<string>();
  readonly #listeners = new Set<(hit: VirtualHit) => void>();
  #rules: readonly WebRule[] = [];

  constructor(
    web: SampleWeb,
    clock: VirtualClock,
    dice: Dice,
    options: Partial<VirtualWebOptions> = {},
  ) {
    this.pages = new VirtualPages(web);
    this.clock = clock;
    this.options = { ...defaultVirtualWebOptions, ...options };
    this.#dice = dice;
  }

  /** Calls `listener` for each request as it arrives. */
  onHit(listener: (hit: VirtualHit) => void): void {
    this.#listeners.add(listener);
  }

  /** Puts a rule behind the others, until the returned function is called. */
  addRule(rule: WebRule): () => void {
    this.#rules = [...this.#rules, rule];
    return () => {
      this.#rules = this.#rules.filter((other) => other !== rule);
    };
  }

  /** The peers' machines have no way to the web, nor to a name server, until the returned function is called. */
  cutOff(peers: readonly string[]): () => void {
    for (const peer of peers) this.#cutOff.add(peer);
    return () => {
      for (const peer of peers) this.#cutOff.delete(peer);
    };
  }

  isReachedBy(peer: string): boolean {
    return !this.#cutOff.has(peer);
  }

  /** Time on the way to a host and back, for one request. */
  roundTripMs(url: CanonicalUrl): Millis {
    const { roundTripMedianMs, roundTripTail } = this.options;
    return this.#dice.lognormal(
      roundTripMedianMs * 4 ** (2 * spreadOf(hostOf(url)) - 1),
      roundTripTail,
    );
  }

  /** Answers a request that arrives now. */
  receive(request: WebRequest): WebReply {
    const atMs = this.clock.nowMs();
    const target = this.pages.locate(request.url);
    const interference = this.#interference(request, atMs);
    const page = this.pages.page(target, request.url);
    const delayMs = interference?.kind === "delay" ? interference.ms : page.delayMs;
    const endMs = atMs + this.options.serveMs + delayMs;
    const shown = shownPage(page, interference, this.#isSentAway(target, page), this.pages.web);
    const isKnown = isUnchanged(shown, request);
    const reply: WebReply = isKnown
      ? { ...shown, status: 304, body: noBytes, endMs }
      : { ...shown, endMs };
    this.#tell(request, target, reply, atMs);
    return reply;
  }

  #interference(request: WebRequest, atMs: Millis): WebInterference | undefined {
    for (const rule of this.#rules) {
      const interference = rule(request, atMs);
      if (interference !== undefined) return interference;
    }
    return undefined;
  }

  #isSentAway(target: SampleTarget, { throttle }: VirtualPage): boolean {
    if (throttle === undefined || target.kind !== "page") return false;
    const count = (this.#throttled.get(target.id) ?? 0) + 1;
    this.#throttled.set(target.id, count);
    return count <= throttle.hits;
  }

  #tell(request: WebRequest, target: SampleTarget, reply: WebReply, atMs: Millis): void {
    const { url, host, address, peer, generation, sentAtMs } = request;
    const retryAfter = reply.headers[reply.headers.indexOf("retry-after") + 1];
    const isAway = reply.headers.includes("retry-after");
    const hit: VirtualHit = {
      sentAtMs,
      atMs,
      endMs: reply.endMs,
      peer,
      generation,
      host,
      address,
      url,
      status: reply.failure === undefined ? reply.status : 0,
      isRobots: target.kind === "robots",
      page: target.kind === "page" ? target.id : -1,
      bytes: reply.status === 200 ? this.pages.web.options.bytesPerPage : reply.body.length,
      ...(isAway && { retryAfterSeconds: Number(retryAfter) }),
    };
    for (const listener of this.#listeners) listener(hit);
  }
}

type Shown = Omit<WebReply, "endMs">;

function shownPage(
  page: VirtualPage,
  interference: WebInterference | undefined,
  isSentAway: boolean,
  web: SampleWeb,
): Shown {
  switch (interference?.kind) {
    case "failure":
      return { status: 0, headers: [], body: noBytes, failure: interference.failure };
    case "redirect":
      return { status: 302, headers: ["location", interference.location], body: noBytes };
    case "status": {
      const { status, retryAfterSeconds: seconds } = interference;
      return seconds === undefined ? { status, headers: [], body: noBytes } : away(status, seconds);
    }
    case "delay":
    case undefined:
  }
  if (page.resets) {
    return { status: 0, headers: [], body: noBytes, failure: "connection-reset" };
  }
  if (isSentAway) return away(page.throttle?.status ?? 503, web.options.retryAfterSeconds);
  return { status: page.status, headers: page.headers, body: page.body };
}

function away(status: number, retryAfterSeconds: number): Shown {
  const headers = ["content-type", "text/plain", "retry-after", String(retryAfterSeconds)];
  return { status, headers, body: noBytes };
}

function isUnchanged({ status, headers }: Shown, request: WebRequest): boolean {
  const wanted = request.headers["if-none-match"];
  return wanted !== undefined && status === 200 && headers.includes(wanted);
}

/** A number in [0, 1) that belongs to a host (FNV-1a, Fowler, Noll and Vo). */
function spreadOf(host: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < host.length; at += 1) {
    hash = Math.imul(hash ^ host.charCodeAt(at), 0x01000193);
  }
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}
