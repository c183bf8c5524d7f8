import { isIP } from "node:net";
import type { HostName, IpAddress, Millis, OriginName } from "../../src/core/units.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type {
  FetchFailed,
  FetchOutcome,
  FetchRequest,
  FetchResponse,
  Fetcher,
  Truncation,
} from "../../src/ports/fetcher.ts";
import type { HostProbe } from "../../src/ports/host-probe.ts";
import type { ResolveOutcome, Resolver } from "../../src/ports/resolver.ts";

/** What a URL of a {@link TableWeb} answers. */
export interface TablePage {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Why the body is no more than the beginning of what there is. */
  readonly truncation?: Truncation;
  /** With a body, this is how it breaks off after all that there is of it here. */
  readonly failure?: FetchFailed["failure"];
}

/** One request, as the server saw it. */
export interface TableHit {
  readonly url: string;
  readonly host: string;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
}

/** A web that is a table: URL to page, or a function of the URL and of how often it was asked. */
export type Pages = (url: string, asked: number) => TablePage | undefined;

/** An HTML page with these links. */
export function htmlPage(...links: string[]): TablePage {
  const anchors = links.map((link) => `<a href="${link}">x</a>`).join("");
  return {
    headers: { "content-type": "text/html; charset=utf-8" },
    body: `<!doctype html><title>page</title>${anchors}`,
  };
}

const latencyMs = 20;

/** Fetcher, resolver and probe over a table; what is not in it answers 404, and logs every hit. */
export class TableWeb implements Fetcher, HostProbe, Resolver {
  readonly hits: TableHit[] = [];
  readonly requests: FetchRequest[] = [];
  /** Names that were looked up without finding an address, as often as they were. */
  readonly notFound: HostName[] = [];
  /** Names that cannot be resolved at present. */
  readonly lostNames = new Set<string>();
  /** Addresses that a name has beside its own, before it. */
  readonly addressesBefore = new Map<HostName, readonly IpAddress[]>();
  /** How every request ends, and that no name is resolved, while the machine that asks has no network. */
  down: FetchFailed["failure"] | undefined;
  /** While true, no name can be looked up. */
  nameServerIsDown = false;
  /** Addresses that answer nothing. */
  readonly unreached = new Map<IpAddress, FetchFailed["failure"]>();
  /** How long a look at a host takes. */
  readonly lookMs = new Map<string, Millis>();
  /** Origins that have been looked at without a request, in their order. */
  readonly lookedAt: OriginName[] = [];
  readonly #clock: Clock;
  readonly #pages: Pages;
  readonly #asked = new Map<string, number>();

  constructor(clock: Clock, pages: Pages) {
    this.#clock = clock;
    this.#pages = pages;
  }

  async fetch(request: FetchRequest, signal: AbortSignal): Promise<FetchOutcome> {
    const { url } = request;
    this.requests.push(request);
    const startedAtMs = this.#clock.nowMs();
    await this.#clock.sleep(latencyMs, signal);
    const finishedAtMs = this.#clock.nowMs();
    const asked = this.#asked.get(url) ?? 0;
    this.#asked.set(url, asked + 1);
    this.hits.push({ url, host: new URL(url).host, startedAtMs, finishedAtMs });
    if (signal.aborted) {
      return { kind: "failure", failure: "aborted", detail: "", startedAtMs, finishedAtMs };
    }
    const page = this.#pages(url, asked) ?? { status: 404 };
    const unreached = this.down ?? this.unreached.get(request.address);
    const failure = unreached ?? page.failure;
    const { status = 200, body } = page;
    const hasPart = !unreached && (body !== undefined || status >= 300);
    if (failure && hasPart && !request.wantsBody(status, page.headers?.["content-type"])) {
      return responseOf(request, page, { startedAtMs, finishedAtMs });
    }
    if (failure && hasPart && request.wantsPart?.(failure, status) === true) {
      const part: TablePage = { ...page, truncation: "disconnect" };
      return responseOf(request, part, { startedAtMs, finishedAtMs });
    }
    if (failure) {
      return { kind: "failure", failure, detail: "", startedAtMs, finishedAtMs };
    }
    return responseOf(request, page, { startedAtMs, finishedAtMs });
  }

  resolve(host: HostName): Promise<ResolveOutcome> {
    if (host.endsWith(".invalid")) {
      return Promise.resolve({ kind: "failure", failure: "dns-not-found", detail: host });
    }
    if (this.#isLost(host)) {
      this.notFound.push(host);
      return Promise.resolve({ kind: "failure", failure: "dns-error", detail: host });
    }
    const own = `addr-${host}` as IpAddress;
    const addresses = [...(this.addressesBefore.get(host) ?? []), own];
    const expiresAtMs = this.#clock.nowMs() + 3_600_000;
    return Promise.resolve({ kind: "addresses", addresses, expiresAtMs });
  }

  async reaches(origin: OriginName, signal: AbortSignal): Promise<boolean> {
    const { hostname } = new URL(origin);
    this.lookedAt.push(origin);
    await this.#clock.sleep(this.lookMs.get(hostname) ?? latencyMs, signal);
    const isReached = !this.unreached.has(`addr-${hostname}` as IpAddress);
    return isReached && !this.#isLost(hostname) && !signal.aborted;
  }

  async resolves(origin: OriginName, signal: AbortSignal): Promise<boolean | undefined> {
    const isAddress = isIP(new URL(origin).hostname) !== 0;
    return isAddress ? undefined : this.reaches(origin, signal);
  }

  async hasNameServer(signal: AbortSignal): Promise<boolean> {
    await this.#clock.sleep(latencyMs, signal);
    return !this.nameServerIsDown && this.down === undefined && !signal.aborted;
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  #isLost(host: string): boolean {
    return this.lostNames.has(host) || this.nameServerIsDown || this.down !== undefined;
  }

  /** How often each page was asked for, robots.txt apart. */
  counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { url } of this.hits) {
      if (!url.endsWith("/robots.txt")) counts.set(url, (counts.get(url) ?? 0) + 1);
    }
    return counts;
  }
}

function responseOf(
  request: FetchRequest,
  page: TablePage,
  times: { readonly startedAtMs: number; readonly finishedAtMs: number },
): FetchResponse {
  const status = page.status ?? 200;
  const headers = Object.entries(page.headers ?? {});
  const type = page.headers?.["content-type"];
  const wanted = request.wantsBody(status, type);
  const body = new TextEncoder().encode(wanted ? (page.body ?? "") : "");
  return {
    kind: "response",
    status,
    httpVersion: "1.1",
    statusText: "",
    headers: headers.flat(),
    requestHeaders: Object.entries(request.headers).flat(),
    encodedBody: body,
    body,
    bodyRead: wanted,
    ...(page.truncation && { truncation: page.truncation }),
    startedAtMs: times.startedAtMs,
    headAtMs: times.finishedAtMs,
    finishedAtMs: times.finishedAtMs,
  };
}
