import { invariant } from "../../core/errors.ts";
import type { Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Fetcher, FetchOutcome, FetchRequest } from "../../ports/fetcher.ts";
import { AbortRegistry } from "./abort-registry.ts";
import type { Connection } from "./connection.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { DeadlineSweeper } from "./deadline-sweeper.ts";
import { Exchange } from "./exchange.ts";
import type { ExchangeHost, RequestHead } from "./exchange-host.ts";

export interface UndiciFetcherOptions {
  /** Who asks, for the servers' operators: `orbweaver/<version> (+contact)`. */
  readonly userAgent: string;
  /** Accept-Language field. @default "en;q=0.8, *;q=0.5" */
  readonly acceptLanguage: string;
  /** Lets requests reach addresses that are not public. @default false */
  readonly allowPrivate: boolean;
  /** Talks to servers whose certificate proves nothing. @default false */
  readonly acceptInvalidCertificates: boolean;
  /** How long an idle connection is kept; longer than the usual politeness delay, shorter than most servers keep it. @default 4_000 */
  readonly keepAliveTimeoutMs: Millis;
  /** Longest time that a server's Keep-Alive field may ask for. @default 30_000 */
  readonly keepAliveTimeoutMsMax: Millis;
  /** Idle connections kept, each some 20 KiB (TLS: 60 KiB) and one descriptor. @default 1_024 */
  readonly idleConnectionsMax: number;
  /** TLS sessions kept for cheaper handshakes, each some 2 KiB. @default 1_000 */
  readonly tlsSessionsMax: number;
  /** How often deadlines are looked at: a time-out may come so much later. @default 100 */
  readonly sweepIntervalMs: Millis;
}

/** All options but the one that only the operator can know. */
export const defaultUndiciFetcherOptions: Omit<UndiciFetcherOptions, "userAgent"> = {
  acceptLanguage: "en;q=0.8, *;q=0.5",
  allowPrivate: false,
  acceptInvalidCertificates: false,
  keepAliveTimeoutMs: 4_000,
  keepAliveTimeoutMsMax: 30_000,
  idleConnectionsMax: 1_024,
  tlsSessionsMax: 1_000,
  sweepIntervalMs: 100,
};

export interface UndiciFetcherPorts {
  readonly clock: Pick<Clock, "nowMs">;
}

/** Connections of a fetcher at one moment. */
export interface ConnectionCounts {
  readonly leased: number;
  readonly idle: number;
}

/**
 * Fetches over HTTP/1.1 with undici's lowest verb, `dispatch`: the layers above it cost more than the exchange itself.
 *
 * The life of a fetch: an {@link Exchange} leases a {@link Connection} from the {@link ConnectionPool}, which dials the
 * address that the caller chose; the {@link ResponseBody} collects and decodes what comes; the {@link DeadlineSweeper}
 * and the {@link AbortRegistry} can end it at any point. Requests open at one time are bounded by the caller, and so is,
 * by the accounts that he gives, what their bodies take together.
 *
 * Every body array of an outcome owns its buffer, so that it can be moved to another thread.
 */
export class UndiciFetcher implements Fetcher {
  readonly #pool: ConnectionPool;
  readonly #sweeper: DeadlineSweeper;
  readonly #aborts = new AbortRegistry();
  readonly #exchanges = new Set<Exchange>();
  readonly #ownFields: readonly string[];
  readonly #host: ExchangeHost;
  #stopped: Promise<void> | undefined;

  constructor(ports: UndiciFetcherPorts, options: UndiciFetcherOptions) {
    const nowMs = (): Millis => ports.clock.nowMs();
    this.#pool = new ConnectionPool(options);
    this.#sweeper = new DeadlineSweeper(options.sweepIntervalMs, nowMs);
    this.#ownFields = [
      "User-Agent",
      options.userAgent,
      "Accept",
      "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
      "Accept-Encoding",
      "gzip, deflate, br, zstd",
      "Accept-Language",
      options.acceptLanguage,
    ];
    this.#host = {
      nowMs,
      lease: (request) => this.#lease(request),
      release: (connection) => this.#pool.release(connection),
      discard: (connection) => this.#pool.discard(connection),
      onSettled: (exchange) => this.#forget(exchange),
    };
  }

  get connections(): ConnectionCounts {
    return { leased: this.#pool.leasedCount, idle: this.#pool.idleCount };
  }

  fetch(request: FetchRequest, signal: AbortSignal): Promise<FetchOutcome> {
    return new Promise((resolve, reject) => {
      const head = this.#headOf(request);
      const exchange = new Exchange(request, head, signal, this.#host, resolve, reject);
      if (signal.aborted || this.#stopped !== undefined) {
        exchange.abort();
        return;
      }
      this.#exchanges.add(exchange);
      this.#aborts.add(signal, exchange);
      this.#sweeper.watch(exchange);
      exchange.send();
    });
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    for (const exchange of this.#exchanges) exchange.abort();
    this.#sweeper.stop();
    await this.#pool.stop();
  }

  #forget(exchange: Exchange): void {
    this.#exchanges.delete(exchange);
    this.#aborts.remove(exchange.signal, exchange);
    this.#sweeper.unwatch(exchange);
  }

  #lease({ url, address, limits, needsNewConnection }: FetchRequest): Connection {
    const origin = url.slice(0, pathStartOf(url));
    const target = { origin, address, headBytesMax: limits.headBytesMax };
    return this.#pool.lease(target, needsNewConnection);
  }

  #headOf({ url, headers }: FetchRequest): RequestHead {
    const pathStart = pathStartOf(url);
    const authority = url.slice(url.indexOf("//") + 2, pathStart);
    const fields = [...this.#ownFields];
    for (const name of Object.keys(headers)) fields.push(name, headers[name] ?? "");
    const sent = ["host", authority, "connection", "keep-alive", ...fields];
    return { path: url.slice(pathStart), fields, sent };
  }
}

/** Where the path of a canonical URL begins; such a URL always has one, and no fragment. */
function pathStartOf(url: string): number {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  invariant(start > 0 && !url.includes("#"), `not a canonical URL: ${url}`);
  return start;
}
