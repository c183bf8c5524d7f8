import { readFile } from "node:fs/promises";
import { request, type IncomingMessage, type RequestOptions } from "node:http";
import { json } from "node:stream/consumers";
import { defaultHttpApiOptions } from "../src/adapters/http-api/http-api-options.ts";
import type { HeadDocument } from "../src/adapters/http-api/content-headers.ts";
import type { WaitDocument } from "../src/adapters/http-api/job-routes.ts";
import type {
  HealthDocument,
  LeaveDocument,
  MemberDocument,
  StatsDocument,
} from "../src/adapters/http-api/peer-routes.ts";
import { isDatabaseOpen } from "../src/adapters/level/is-database-open.ts";
import { CrawlError, type CrawlErrorCode, errorCode } from "../src/core/errors.ts";
import type { JobOptions } from "../src/core/jobs/job-definition.ts";
import type {
  HostStatus,
  InjectReport,
  JobChange,
  SwarmJobReport,
  UrlList,
  UrlStatus,
} from "../src/ports/peer-control.ts";
import { formatDuration } from "../src/core/text/human.ts";
import type { Millis } from "../src/core/units.ts";
import type { Clock } from "../src/ports/clock.ts";
import { addressText, dataLayout, type ListenAddress } from "./config/peer-config.ts";
import { adviceByCode } from "./error-line.ts";
import { readingFile, systemReason } from "./system-reason.ts";
import { shellWord } from "./text/terminal-text.ts";

/** What a running peer writes into its data directory, for commands that are given the directory. */
export interface ApiFile {
  readonly pid: number;
  /** Who listens there: one that was killed leaves the file behind, and its address to others. */
  readonly peer: string;
  readonly url: string;
}

/** Where a command looks for the peer. */
export interface PeerAddress {
  readonly data?: string | undefined;
  readonly api?: ListenAddress | undefined;
}

/** Longest time for an answer where none is set: twice what a swarm takes for an injection before it says that it is busy. */
export const answerMsMaxDefault: Millis = 60_000;

/**
 * A running peer, seen through its HTTP API. Failures are `CrawlError`s: the peer's own, `API_UNREACHABLE` where nothing
 * answers, or not in time, `CONFIG_INVALID` where the peer refuses what it was asked.
 */
export class ApiClient {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #answerMsMax: Millis;
  #found: HealthDocument | undefined;

  private constructor(url: string, clock: Clock, answerMsMax: Millis) {
    this.#url = url;
    this.#clock = clock;
    this.#answerMsMax = answerMsMax;
  }

  /** Finds the peer by the data directory it runs in, or by its address. It has `answerMsMax` for each answer. */
  static async find(
    { data, api }: PeerAddress,
    clock: Clock,
    answerMsMax: Millis = answerMsMaxDefault,
  ): Promise<ApiClient> {
    const clientOf = (url: string): ApiClient => new ApiClient(url, clock, answerMsMax);
    if (api !== undefined || data === undefined) {
      const client = clientOf(`http://${addressText(api ?? defaultHttpApiOptions)}`);
      // Whoever else listens there may answer anything well, and what it says would be taken for the peer's.
      await client.health();
      return client;
    }
    const { peer, url } = await apiFileIn(data);
    const client = clientOf(url);
    const found = await client.health().catch((error: unknown) => {
      if (!isRefused(error)) throw error;
    });
    if (found?.peer !== peer) throw await nobodyIn(data);
    return client;
  }

  inject(
    job: string,
    urls: readonly string[],
    options?: Partial<JobOptions>,
  ): Promise<InjectReport> {
    return this.#json("POST", "/inject", { job, urls, options });
  }

  async status(urls: readonly string[], job?: string): Promise<readonly UrlStatus[]> {
    const answer = await this.#json<{ urls: UrlStatus[] }>("POST", "/status", { urls, job });
    return answer.urls;
  }

  /** The job's URLs that the filter lets through, as they are found. */
  async *urls(
    job: string,
    filter: { readonly state?: string; readonly http?: string; readonly broken?: string },
    signal?: AbortSignal,
  ): AsyncGenerator<readonly UrlStatus[]> {
    let from: string | undefined;
    do {
      const path = `/urls?${query({ job, ...filter, from })}`;
      const part = await this.#json<UrlList>("GET", path, undefined, signal);
      yield part.urls;
      from = part.next;
    } while (from !== undefined);
  }

  /**
   * The archived body as it arrives, which takes what it takes once it has begun, and fails where it breaks off;
   * `truncated`: its end was not kept.
   */
  async content(
    url: string,
    job?: string,
  ): Promise<{ readonly body: AsyncIterable<Uint8Array>; readonly truncated: boolean }> {
    const path = `/content?${query({ url, job })}`;
    const response = await this.#within(this.#answerMsMax, (end) =>
      this.#request("GET", path, undefined, end),
    );
    const truncated = response.headers["x-archive-truncated"] === "true";
    return { body: this.#wholeOf(response), truncated };
  }

  async *#wholeOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (cause) {
      throw this.#unreachable("the answer broke off", cause);
    }
  }

  contentHead(url: string, job?: string): Promise<HeadDocument> {
    return this.#json("GET", `/content/head?${query({ url, job })}`);
  }

  async jobs(signal?: AbortSignal): Promise<readonly SwarmJobReport[]> {
    const answer = await this.#json<{ jobs: SwarmJobReport[] }>("GET", "/jobs", undefined, signal);
    return answer.jobs;
  }

  job(id: string, signal?: AbortSignal): Promise<SwarmJobReport> {
    return this.#json("GET", `/jobs/${encodeURIComponent(id)}`, undefined, signal);
  }

  changeJob(id: string, change: JobChange): Promise<SwarmJobReport> {
    return this.#json("POST", `/jobs/${encodeURIComponent(id)}/${change}`);
  }

  /** The job at its end, or as it stands after a while. */
  waitForJob(id: string, signal: AbortSignal): Promise<WaitDocument> {
    const path = `/jobs/${encodeURIComponent(id)}/wait`;
    const waitMs = defaultHttpApiOptions.waitMsMax + this.#answerMsMax;
    return this.#json("GET", path, undefined, signal, waitMs);
  }

  stats(signal?: AbortSignal): Promise<StatsDocument> {
    return this.#json("GET", "/stats", undefined, signal);
  }

  async members(): Promise<readonly MemberDocument[]> {
    return (await this.#json<{ members: MemberDocument[] }>("GET", "/members")).members;
  }

  host(name: string, signal?: AbortSignal): Promise<HostStatus> {
    return this.#json("GET", `/hosts/${encodeURIComponent(name)}`, undefined, signal);
  }

  releaseHost(name: string): Promise<HostStatus> {
    return this.#json("POST", `/hosts/${encodeURIComponent(name)}/release`);
  }

  /** Which peer was found here, asked for once. Errors: `API_UNREACHABLE` where what answers is none. */
  async health(): Promise<HealthDocument> {
    if (this.#found !== undefined) return this.#found;
    const answer = await this.#json<unknown>("GET", "/healthz");
    if (!isHealth(answer)) throw this.#notPeer("something else");
    this.#found = answer;
    return answer;
  }

  /**
   * Makes the peer leave. Whether it has handed over everything, when it has, and false where it is gone before it says so;
   * nothing where it is in no swarm.
   */
  async leave(msMax: Millis): Promise<boolean | undefined> {
    try {
      const path = "/leave?wait";
      return (await this.#json<LeaveDocument>("POST", path, undefined, undefined, msMax))
        .handedOver;
    } catch (error) {
      if (!(error instanceof CrawlError) || error.code !== "API_UNREACHABLE") throw error;
      return (await this.health()).swarm === undefined ? undefined : false;
    }
  }

  /** Whether `peer` still takes questions here. Errors: `API_UNREACHABLE` where one is taken and not answered in time. */
  isThere(peer: string): Promise<boolean> {
    return this.#within(this.#answerMsMax, async (end) => {
      try {
        const answer = await json(await answerTo(`${this.#url}/v1/healthz`, { signal: end }));
        return isObject(answer) && answer["peer"] === peer;
      } catch (error) {
        if (end.aborted) throw error;
        return false;
      }
    });
  }

  #json<T>(
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
    msMax = this.#answerMsMax,
  ): Promise<T> {
    const ask = async (end: AbortSignal): Promise<T> => {
      const response = await this.#request(method, path, body, end);
      try {
        return (await json(response)) as T;
      } catch (cause) {
        if (cause instanceof SyntaxError) throw this.#notPeer("no JSON");
        throw this.#unreachable("the answer broke off", cause);
      }
    };
    return this.#within(msMax, ask, signal);
  }

  /** What `ask` resolves to, whose signal aborts after `msMax`, or when `signal` does. */
  async #within<T>(
    msMax: Millis,
    ask: (end: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const late = new AbortController();
    const answered = new AbortController();
    void this.#clock.sleep(msMax, answered.signal).then(() => {
      if (!answered.signal.aborted) late.abort();
    });
    try {
      return await ask(AbortSignal.any([late.signal, ...(signal ? [signal] : [])]));
    } catch (error) {
      throw late.signal.aborted ? this.#tooLate(msMax, error) : error;
    } finally {
      answered.abort();
    }
  }

  async #request(
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const options = { method, headers, signal };
    let response: IncomingMessage;
    try {
      response = await answerTo(`${this.#url}/v1${path}`, options, body);
    } catch (cause) {
      throw this.#unreachable("nothing answers", cause);
    }
    const { statusCode: status = 0 } = response;
    if (status >= 200 && status < 300) return response;
    throw await this.#failure(response, status);
  }

  #tooLate(msMax: Millis, cause: unknown): CrawlError {
    const message =
      `the peer at ${this.#url} has not answered within ${formatDuration(msMax)}; ` +
      "it is busy or hangs: ask again, or give it longer with --timeout SECONDS";
    return new CrawlError("API_UNREACHABLE", message, { url: this.#url }, { cause });
  }

  #unreachable(what: string, cause: unknown): CrawlError {
    const message =
      `no peer can be reached at ${this.#url} (${what}); start one with "peer --data DIR", ` +
      `or say where it is with --api HOST:PORT or --data DIR`;
    return new CrawlError("API_UNREACHABLE", message, { url: this.#url }, { cause });
  }

  #notPeer(answer: string): CrawlError {
    return new CrawlError(
      "API_UNREACHABLE",
      `what answers at ${this.#url} is not a peer (${answer}); say where the peer is with --api HOST:PORT`,
    );
  }

  async #failure(response: IncomingMessage, status: number): Promise<CrawlError> {
    const answer: unknown = await json(response).catch(() => undefined);
    const { code, message } = errorIn(answer);
    if (message === undefined) return this.#notPeer(`HTTP ${status}`);
    if (code !== undefined && code in adviceByCode)
      return new CrawlError(code as CrawlErrorCode, message);
    if (status < 500) return new CrawlError("CONFIG_INVALID", `the peer refuses this: ${message}`);
    return new CrawlError("API_UNREACHABLE", `the peer at ${this.#url} failed: ${message}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isHealth(value: unknown): value is HealthDocument {
  return isObject(value) && typeof value["peer"] === "string" && typeof value["pid"] === "number";
}

/**
 * The answer as it begins. Not by `fetch`, which asks at no port that belongs to another protocol (Fetch Standard, section 2.9,
 * "port blocking"): a peer may listen there.
 */
function answerTo(url: string, options: RequestOptions, body?: unknown): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    request(url, options, resolve).on("error", reject).end(text);
  });
}

/** Whether nobody listens where a peer was asked. */
function isRefused(error: unknown): boolean {
  return error instanceof CrawlError && errorCode(error.cause) === "ECONNREFUSED";
}

async function apiFileIn(dataDir: string): Promise<Omit<ApiFile, "pid">> {
  const text = await apiTextIn(dataDir);
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === "object" && content !== null && "url" in content && "peer" in content) {
      const { peer, url } = content;
      const isAddress = typeof url === "string" && /^http:\/\/[^/]+$/.test(url);
      if (isAddress && typeof peer === "string") return { peer, url };
    }
  } catch {
    // Absent or half written: no peer is running there.
  }
  throw await nobodyIn(dataDir);
}

/** Nothing where there is no such file. Whether one is there that cannot be read, nobody knows. */
async function apiTextIn(dataDir: string): Promise<string> {
  const { apiFile } = dataLayout(dataDir);
  try {
    return await readFile(apiFile, "utf8");
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return "";
    const reason = systemReason(cause, readingFile);
    const message = `${apiFile} cannot be read (${reason}); say where the peer is with --api HOST:PORT`;
    throw new CrawlError("DATA_DIR_UNUSABLE", message, { apiFile }, { cause });
  }
}

/** Why nobody is found in `dataDir`: nothing runs there, or what runs there takes no questions. */
async function nobodyIn(dataDir: string): Promise<CrawlError> {
  const message = (await isDatabaseOpen(dataLayout(dataDir).stateDir))
    ? `what runs in ${dataDir} takes no questions (a crawl without --api, or a peer that begins or ends); ask again, or stop it with Ctrl-C where it runs`
    : `no peer runs in ${dataDir}; start one with "peer --data ${shellWord(dataDir)}"`;
  return new CrawlError("API_UNREACHABLE", message);
}

function query(parts: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(parts).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return new URLSearchParams(pairs).toString();
}

function errorIn(answer: unknown): { code?: string; message?: string } {
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return {};
  const { error } = answer;
  if (typeof error !== "object" || error === null) return {};
  const { code, message } = error as Readonly<Record<string, unknown>>;
  return typeof code === "string" && typeof message === "string" ? { code, message } : {};
}
