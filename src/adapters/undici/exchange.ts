import type { Dispatcher } from "undici";
import { errorCode, InvariantError } from "../../core/errors.ts";
import type { FetchFailure } from "../../core/politeness/retry-table.ts";
import type { Millis } from "../../core/units.ts";
import type { FetchOutcome, FetchRequest, Truncation } from "../../ports/fetcher.ts";
import type { Connection } from "./connection.ts";
import type { Expiring } from "./deadline-sweeper.ts";
import type { ExchangeHost, RequestHead } from "./exchange-host.ts";
import { failureOf, isStaleConnection, truncationOf } from "./failure-table.ts";
import { OwnTime } from "./own-time.ts";
import { ResponseBody } from "./response-body.ts";
import type { BodySink, CollectedBody } from "./response-body.ts";
import { codingsOf, contentLengthOf, fieldOf, isChunked, rawHeadersOf } from "./response-head.ts";
import type { HeadFields } from "./response-head.ts";

/** Rest of an unwanted body that is read to its end, because that is cheaper than another connection. */
const drainBytesMax = 16 * 1024;

/**
 * Informational responses before the one that counts, at most: there is seldom more than one, and a server that sends them
 * as fast as it can would keep this thread busy until the head's deadline.
 */
const informationalMax = 32;

/** What some servers send on a connection that has been idle for too long, perhaps as the next request is on its way. */
const requestTimeout = 408;

/** Decoding is bounded work in the thread pool; only a pool that is busy otherwise takes longer. */
const decodeTimeoutMs: Millis = 30_000;

type Phase = "connect" | "head" | "body" | "decode" | "settled";

type Head = Pick<
  Extract<FetchOutcome, { kind: "response" }>,
  "status" | "httpVersion" | "statusText" | "headers" | "headAtMs"
>;

/**
 * One request and its response, from the lease of a connection to the outcome.
 *
 * connect -> head -> body -> decode -> settled, with a deadline for each phase and one for the whole. None of them comes
 * closer while the body waits for room in our memory: that has a limit of its own.
 *
 * A request that was sent on a reused connection which breaks before any byte of a response, or brings a 408, ends as
 * `connection-stale`. RFC 9112, section 9.3.1 would let it be sent again at once; but the server may have seen it, and
 * only the caller knows when that host may be asked again.
 *
 * Invariant: it settles exactly once, and gives its connection back exactly once.
 */
export class Exchange implements Dispatcher.DispatchHandler, Expiring, BodySink {
  readonly signal: AbortSignal;
  readonly #request: FetchRequest;
  readonly #requestHead: RequestHead;
  readonly #host: ExchangeHost;
  readonly #settle: (outcome: FetchOutcome) => void;
  readonly #crash: (error: unknown) => void;
  readonly #startedAtMs: Millis;
  readonly #time = new OwnTime();
  readonly #totalDeadlineAtMs: Millis;
  #phaseDeadlineAtMs: Millis;
  #phase: Phase = "connect";
  #connection: Connection | undefined;
  #dialsBefore = 0;
  #responseBegun = false;
  #informational = 0;
  #head: Head | undefined;
  #contentLength: number | undefined;
  #endsWithConnection = false;
  /** By its transfer alone: what is kept of the body is decoded. */
  #isTransferCoded = false;
  #controller: Dispatcher.DispatchController | undefined;
  /** Undefined while no body is wanted. */
  #body: ResponseBody | undefined;

  constructor(
    request: FetchRequest,
    requestHead: RequestHead,
    signal: AbortSignal,
    host: ExchangeHost,
    settle: (outcome: FetchOutcome) => void,
    crash: (error: unknown) => void,
  ) {
    this.signal = signal;
    this.#request = request;
    this.#requestHead = requestHead;
    this.#host = host;
    this.#settle = settle;
    this.#crash = crash;
    this.#startedAtMs = host.nowMs();
    this.#totalDeadlineAtMs = this.#startedAtMs + request.limits.totalTimeoutMs;
    this.#phaseDeadlineAtMs = this.#startedAtMs + request.limits.connectTimeoutMs;
  }

  send(): void {
    const connection = this.#host.lease(this.#request);
    this.#connection = connection;
    this.#dialsBefore = connection.dials;
    const { path, fields } = this.#requestHead;
    connection.dispatch({ path, method: "GET", headers: fields, blocking: false }, this);
  }

  abort(): void {
    this.#fail("aborted", "the caller has given up");
  }

  expire(nowMs: Millis): void {
    if (this.#time.stands) {
      if (this.#time.stoodMs(nowMs) >= this.#request.limits.roomTimeoutMs) this.#expireWait();
      return;
    }
    const ownMs = this.#time.at(nowMs);
    if (this.#phase !== "decode" && ownMs >= this.#totalDeadlineAtMs) {
      this.#expireTotal();
    } else if (ownMs >= this.#phaseDeadlineAtMs) {
      this.#expirePhase();
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#phase === "settled") return;
    if (this.#request.isLate?.() === true) {
      this.#fail("aborted", "too late for this request");
      // What has settled may still be written.
      controller.abort(new Error("too late"));
      return;
    }
    this.#phase = "head";
    this.#phaseDeadlineAtMs = this.#host.nowMs() + this.#request.limits.headTimeoutMs;
  }

  onResponseStarted(): void {
    this.#responseBegun = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: HeadFields,
    statusText = "",
  ): void {
    if (this.#phase === "settled") return;
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > informationalMax) {
        this.#fail("bad-framing", "too many informational responses");
      }
      return;
    }
    if (status === requestTimeout && this.#isReused) {
      this.#fail("connection-stale", "the server had waited too long for a request");
      return;
    }
    const headAtMs = this.#host.nowMs();
    const raw = rawHeadersOf(controller.rawHeaders);
    const { limits } = this.#request;
    const httpVersion = this.#connection?.httpVersion ?? "1.1";
    this.#head = { status, httpVersion, statusText, headers: raw, headAtMs };
    this.#phase = "body";
    this.#controller = controller;
    this.#phaseDeadlineAtMs = headAtMs + limits.idleTimeoutMs;
    this.#contentLength = contentLengthOf(headers);
    this.#endsWithConnection = this.#contentLength === undefined && !isChunked(headers);
    try {
      this.#beginBody(status, headers);
    } catch (error) {
      this.#bug(error);
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase !== "body") return;
    this.#phaseDeadlineAtMs = this.#ownMs() + this.#request.limits.idleTimeoutMs;
    if (this.#body?.add(chunk) === false) this.#cut(this.#body, "length");
  }

  onResponseEnd(): void {
    if (this.#phase !== "body") return;
    this.#beginDecode();
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) this.#host.release(connection);
    if (this.#body === undefined) {
      this.#deliverUnread();
      return;
    }
    // A body without a marked end that ended with a reset may lack something.
    const reset = this.#endsWithConnection && connection?.wasReset === true;
    this.#body.complete(reset ? "disconnect" : undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#phase === "settled" || this.#phase === "decode") return;
    if (this.#isReused && !this.#responseBegun && isStaleConnection(error)) {
      this.#fail("connection-stale", `${errorCode(error) ?? ""} ${error.message}`.trim());
      return;
    }
    if (errorCode(error) === "UND_ERR_INVALID_ARG") {
      this.#bug(new InvariantError(`a request that cannot be sent: ${error.message}`));
      return;
    }
    if (this.#head !== undefined && this.#body === undefined) {
      this.#deliverUnread();
      return;
    }
    const counted = this.#contentLength !== undefined;
    const secure = this.#connection?.secure === true;
    // With TLS 1.3, a server that wants a certificate says so only when the request is on its way.
    const cause = (this.#responseBegun ? undefined : this.#connection?.tlsError) ?? error;
    const failure = failureOf(cause, this.#phase, secure, counted);
    if (this.#cutBroken(failure)) return;
    this.#fail(failure, `${errorCode(cause) ?? ""} ${cause.message}`.trim());
  }

  onBody(collected: CollectedBody): void {
    const { body } = collected;
    this.#respond(this.#isTransferCoded ? { ...collected, encodedBody: body } : collected, true);
  }

  onBodyFailure(failure: FetchFailure, detail: string, cut: Truncation | undefined): void {
    if (this.#body === undefined || !this.#headSaysAll) {
      this.#fail(failure, detail);
      return;
    }
    const truncation = this.#phase === "body" ? "disconnect" : cut;
    const received = { encodedBody: this.#body.received(), body: new Uint8Array() };
    this.#respond(truncation === undefined ? received : { ...received, truncation }, true);
  }

  onBodyWaits(): void {
    this.#time.stop(this.#host.nowMs());
    if (this.#phase === "body") this.#controller?.pause();
  }

  onBodyGoesOn(): void {
    this.#time.goOn(this.#host.nowMs());
    // Whoever gives room may be called by the parser, which all connections share.
    queueMicrotask(() => {
      if (this.#phase === "body" && !this.#time.stands) this.#controller?.resume();
    });
  }

  /** Whether the request was sent on a connection that had served another. */
  get #isReused(): boolean {
    return this.#dialsBefore > 0 && this.#connection?.dials === this.#dialsBefore;
  }

  /** A redirect or an error: a page's own body is not what the caller needs of it. */
  get #headSaysAll(): boolean {
    return this.#head !== undefined && this.#head.status >= 300;
  }

  #beginBody(status: number, headers: HeadFields): void {
    const { account, limits, wantsBody } = this.#request;
    if (!wantsBody(status, fieldOf(headers, "content-type"))) {
      const length = this.#contentLength;
      if (length === undefined || length > drainBytesMax) this.#deliverUnread();
      return;
    }
    const { content, transfer } = codingsOf(headers);
    // Kept as it comes, as it is read back from the archive.
    const codings = content ?? (this.#headSaysAll ? [] : undefined);
    // Where both are named, that is mostly one and the same, which the content has then.
    this.#isTransferCoded = transfer.length > 0 && codings?.length === 0;
    if (codings === undefined) this.#fail("bad-encoding", "too many content codings");
    else this.#body = new ResponseBody([...codings, ...transfer], limits, this, account);
  }

  #expirePhase(): void {
    const { limits } = this.#request;
    switch (this.#phase) {
      case "connect":
        this.#fail("connect-timeout", `no connection in ${limits.connectTimeoutMs} ms`);
        return;
      case "head":
        this.#fail("head-timeout", `no response head in ${limits.headTimeoutMs} ms`);
        return;
      case "body":
        if (this.#body === undefined) this.#deliverUnread();
        else if (!this.#cutBroken("idle-timeout")) {
          this.#fail("idle-timeout", `silent for ${limits.idleTimeoutMs} ms`);
        }
        return;
      case "decode":
        this.#fail("total-timeout", `not decoded in ${decodeTimeoutMs} ms`);
        return;
      case "settled":
        return;
    }
  }

  #expireTotal(): void {
    if (this.#phase === "body" && this.#body === undefined) {
      this.#deliverUnread();
    } else if (
      this.#phase === "body" &&
      this.#body &&
      (this.#body.bytes > 0 || this.#headSaysAll)
    ) {
      this.#cut(this.#body, "time");
    } else {
      this.#fail("total-timeout", `not done in ${this.#request.limits.totalTimeoutMs} ms`);
    }
  }

  #expireWait(): void {
    this.#beginDecode();
    this.#dropConnection();
    this.#body?.cutShort();
  }

  /** Takes what has come for the body; the rest is not worth the connection. */
  #cut(body: ResponseBody, truncation: Truncation): void {
    this.#beginDecode();
    this.#dropConnection();
    body.cut(truncation);
  }

  /** Takes what has come of a body that broke off, where the caller wants it; returns whether that is so. */
  #cutBroken(failure: FetchFailure): boolean {
    const body = this.#body;
    const status = this.#head?.status ?? 0;
    if (body === undefined) return false;
    const truncation = truncationOf(failure, { bytes: body.bytes, saysAll: this.#headSaysAll });
    if (truncation === undefined) return false;
    if (this.#request.wantsPart?.(failure, status) !== true) return false;
    this.#cut(body, truncation);
    return true;
  }

  /** The exchange itself is over, and its total time counts no more. */
  #beginDecode(): void {
    this.#phase = "decode";
    this.#phaseDeadlineAtMs = this.#ownMs() + decodeTimeoutMs;
  }

  #ownMs(): Millis {
    return this.#time.at(this.#host.nowMs());
  }

  #deliverUnread(): void {
    const body = new Uint8Array();
    this.#respond({ encodedBody: body, body }, false);
  }

  #respond(collected: CollectedBody, bodyRead: boolean): void {
    const head = this.#head;
    if (this.#phase === "settled" || head === undefined) return;
    const truncation: { readonly truncation?: Truncation } =
      collected.truncation === undefined ? {} : { truncation: collected.truncation };
    this.#finish();
    this.#settle({
      kind: "response",
      ...head,
      requestHeaders: this.#requestHead.sent,
      encodedBody: collected.encodedBody,
      body: collected.body,
      bodyRead,
      startedAtMs: this.#startedAtMs,
      finishedAtMs: this.#host.nowMs(),
      ...truncation,
    });
  }

  #fail(failure: FetchFailure, detail: string): void {
    if (this.#phase === "settled") return;
    this.#finish();
    const startedAtMs = this.#startedAtMs;
    this.#settle({
      kind: "failure",
      failure,
      detail,
      startedAtMs,
      finishedAtMs: this.#host.nowMs(),
    });
  }

  /** Something of ours is wrong, not of the server's: the caller gets the error itself. */
  #bug(error: unknown): void {
    if (this.#phase === "settled") return;
    this.#finish();
    this.#crash(error);
  }

  #finish(): void {
    this.#phase = "settled";
    this.#dropConnection();
    this.#body?.destroy();
    this.#host.onSettled(this);
  }

  #dropConnection(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) this.#host.discard(connection);
  }
}
