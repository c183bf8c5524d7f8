import type { CanonicalUrl, IpAddress, Millis } from "../core/units.ts";
import type { FetchFailure } from "../core/politeness/retry-table.ts";

/** Header fields in the order and spelling of the wire: name, value, name, value. */
export type RawHeaders = readonly string[];

/**
 * Why a body is shorter than what the server had: never a failure, always marked.
 *
 * `length` and `time` are limits of ours. `disconnect` is a body without a marked end whose connection was reset, or one
 * whose content coding ends early. A body that breaks off although the server announced more is a failure, because asking
 * again may give all of it; where it is not asked again, `wantsPart` makes it a `disconnect` too.
 */
export type Truncation = "length" | "time" | "disconnect";

export interface FetchLimits {
  /** Longest decoded body kept; the rest is cut off and marked `length`. @default 10 MiB */
  readonly bodyBytesMax: number;
  /** Highest ratio of decoded to received bytes once a body is over 1 MiB; above it the fetch fails as `decompression-bomb`. @default 100 */
  readonly compressionRatioMax: number;
  /** Largest response head. @default 32 KiB */
  readonly headBytesMax: number;
  /** Time to a connection, TLS included. @default 10_000 */
  readonly connectTimeoutMs: Millis;
  /** Time from the request's last byte to the response head. @default 15_000 */
  readonly headTimeoutMs: Millis;
  /** Longest silence inside a body. @default 10_000 */
  readonly idleTimeoutMs: Millis;
  /** Time for the whole exchange, so that a server that drips one byte a second ends too. @default 60_000 */
  readonly totalTimeoutMs: Millis;
  /**
   * Time that a body may wait until its {@link BodyAccount} has room, in all; then what there is of it is taken, marked `time`.
   * Such a wait is none of the server's, and counts for no other time here. @default 600_000
   */
  readonly roomTimeoutMs: Millis;
}

export const defaultFetchLimits: FetchLimits = Object.freeze({
  bodyBytesMax: 10 * 1024 * 1024,
  compressionRatioMax: 100,
  headBytesMax: 32 * 1024,
  connectTimeoutMs: 10_000,
  headTimeoutMs: 15_000,
  idleTimeoutMs: 10_000,
  totalTimeoutMs: 60_000,
  roomTimeoutMs: 600_000,
});

/** Counts the bytes of one response's bodies towards what those of all responses may take together. */
export interface BodyAccount {
  /** Counts `bytes` more. False: no more is to be read until {@link whenRoom} says so. */
  take(bytes: number): boolean;
  /** Counts `bytes` less, of what is not kept. */
  giveBack(bytes: number): void;
  /** Calls `goOn` once, as soon as more may be read. */
  whenRoom(goOn: () => void): void;
}

export interface FetchRequest {
  readonly url: CanonicalUrl;
  /** The address to connect to, resolved and chosen by the caller; no other is ever used for this request. */
  readonly address: IpAddress;
  /** Extra header fields, for instance `if-none-match`; the fetcher adds User-Agent, Accept and Accept-Encoding. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: FetchLimits;
  /** False: the head alone decides, and the body is not read. Asked with the response's head. */
  readonly wantsBody: (status: number, contentType: string | undefined) => boolean;
  /**
   * Asked with the response's status and the failure of its body: one that breaks off, or of whose server nothing more is
   * heard, after some of it has come; with a status of 300 or above, which says all there is to say without a body, any
   * failure at any time. True gives what has come, marked `disconnect` or `time`, in place of the failure. Without it no part
   * of a body is given.
   */
  readonly wantsPart?: (failure: FetchFailure, status: number) => boolean;
  /**
   * Asked when there is a connection and the request is about to be written: true ends it as `aborted`, unsent. A process
   * may have stood still since it was asked for.
   */
  readonly isLate?: () => boolean;
  /**
   * True: it goes out on a connection that is opened for it. Many servers close an idle connection at the very moment at
   * which it is used again, and a URL must not lose all of its attempts that way. @default false
   */
  readonly needsNewConnection?: boolean;
  /**
   * Is told of the bodies' bytes as they come, those received and those decoded from them, and can have the reading pause.
   * They are the caller's from the outcome on, also where that is a failure. @default the limits alone bound a body
   */
  readonly account?: BodyAccount;
}

export interface FetchResponse {
  readonly kind: "response";
  readonly status: number;
  /** As the status line names it: `1.1`, or `1.0`. */
  readonly httpVersion: string;
  readonly statusText: string;
  readonly headers: RawHeaders;
  /** The request's head as sent: name, value, name, value. */
  readonly requestHeaders: RawHeaders;
  /**
   * Body as received, transfer coding removed, content coding kept: what the archive stores. Where a limit cut a coded
   * body it is a prefix of what was sent, and `body` is the beginning of what that prefix decodes to.
   */
  readonly encodedBody: Uint8Array<ArrayBuffer>;
  /**
   * Body with its content coding removed; the same array as `encodedBody` when there was none. Plain content under a
   * Content-Encoding is taken as it is, since many servers send that; a coding that breaks, or ends before it yields
   * anything, is `bad-encoding`, or, with a status of 300 or above, a body of no bytes.
   *
   * Invariant: both arrays own the whole of their buffers, so that these can be moved to another thread.
   */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly truncation?: Truncation;
  /** False when `wantsBody` declined it. */
  readonly bodyRead: boolean;
  readonly startedAtMs: Millis;
  /** When the response's head arrived: the server has seen the request by then. */
  readonly headAtMs: Millis;
  readonly finishedAtMs: Millis;
}

export interface FetchFailed {
  readonly kind: "failure";
  readonly failure: FetchFailure;
  readonly detail: string;
  readonly startedAtMs: Millis;
  readonly finishedAtMs: Millis;
}

/** Every way a fetch can end; a fetch never throws for what the network or the server did. */
export type FetchOutcome = FetchResponse | FetchFailed;

/**
 * One HTTP exchange: one URL, one address, no redirect followed, no cookie kept.
 *
 * A request is sent once, whatever becomes of it: when a host may be asked again is the caller's business. An aborted
 * signal ends the exchange with the failure `aborted`. Idle connections are kept for reuse within the
 * fetcher's bound; an address that the fetcher's policy forbids ends with `address-forbidden`, judged when connecting.
 */
export interface Fetcher {
  fetch(request: FetchRequest, signal: AbortSignal): Promise<FetchOutcome>;
  /** Closes idle connections and ends those in use; idempotent. */
  stop(): Promise<void>;
}
