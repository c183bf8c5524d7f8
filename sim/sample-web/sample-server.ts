import { STATUS_CODES } from "node:http";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers";
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";

import { errorCode } from "../../src/core/errors.ts";
import type { Millis } from "../../src/core/units.ts";
import { HitLog, type Hit } from "./hit-log.ts";
import { parseRequestHead, type RequestHead } from "./request-head.ts";
import { SampleWeb, type ContentCoding, type SamplePage } from "./sample-web.ts";
import type { SampleWebOptions } from "./sample-web-options.ts";

export interface SampleServerOptions {
  /** The same on all addresses; 0 picks one that is free on all. @default 0 */
  readonly port: number;
  /** NDJSON file that hits are appended to. @default none */
  readonly logFile?: string;
  /** Whether hits are kept in memory too. @default true */
  readonly keepHits: boolean;
}

export const defaultSampleServerOptions: SampleServerOptions = Object.freeze({
  port: 0,
  keepHits: true,
});

const headBytesMax = 16_384;
const flushIntervalMs = 200;
/** Another port is tried that often when one is taken on some of the addresses. */
const portAttempts = 20;
const backlog = 1_024;

/**
 * Serves a {@link SampleWeb} over HTTP/1.1 on its addresses, and logs every hit.
 *
 * Written on plain sockets because a load generator must be several times faster than what it measures. It answers one
 * request of a connection after the other, keeps connections open, and binds each address of its own: with the usual
 * `addressBlock` nothing beyond 127.0.0.0/8 can reach it. Its only state is the count of hits on throttled URLs.
 */
export class SampleServer {
  readonly web: SampleWeb;
  readonly #log: HitLog;
  readonly #listeners: readonly Server[];
  readonly #sockets = new Set<Socket>();
  /** Hits on each throttled page so far; bounded by the number of such pages. */
  readonly #throttled = new Map<number, number>();
  readonly #flusher: NodeJS.Timeout;

  private constructor(web: SampleWeb, listeners: readonly Server[], log: HitLog) {
    this.web = web;
    this.#listeners = listeners;
    this.#log = log;
    for (const listener of listeners) listener.on("connection", (socket) => this.#serve(socket));
    this.#flusher = setInterval(() => log.flush(), flushIntervalMs);
    this.#flusher.unref();
  }

  /** Binds all addresses of the web and begins to serve. */
  static async start(
    webOptions: SampleWebOptions,
    options: Partial<SampleServerOptions> = {},
  ): Promise<SampleServer> {
    const { port, logFile, keepHits } = { ...defaultSampleServerOptions, ...options };
    const addresses = new SampleWeb(webOptions, port).names.addresses();
    // First of all, since nobody stops the listeners of a server that has no log.
    const log = new HitLog({ file: logFile, keep: keepHits });
    const listeners = await listenOnAll(addresses, port).catch((error: unknown) => {
      log.close();
      throw error;
    });
    const bound = (listeners[0]?.address() as AddressInfo).port;
    return new SampleServer(new SampleWeb(webOptions, bound), listeners, log);
  }

  get port(): number {
    return this.web.port;
  }

  /** Hits so far in the order in which they finished; empty where they are not kept. */
  get hits(): readonly Hit[] {
    return this.#log.hits;
  }

  /** Closes all connections, finishes the log. Idempotent. */
  async stop(): Promise<void> {
    clearInterval(this.#flusher);
    const closing = this.#listeners.map(
      (listener) => new Promise<void>((resolve) => listener.close(() => resolve())),
    );
    const sockets = [...this.#sockets].map(
      (socket) => new Promise<void>((resolve) => socket.once("close", () => resolve())),
    );
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([...closing, ...sockets]);
    this.#log.close();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    const address = socket.localAddress ?? "";
    const client = socket.remoteAddress ?? "";
    let received = "";
    let isBusy = false;
    const next = (): void => {
      isBusy = false;
      const end = received.indexOf("\r\n\r\n");
      if (end < 0) {
        if (received.length > headBytesMax) socket.destroy();
        return;
      }
      const head = parseRequestHead(received.slice(0, end));
      received = received.slice(end + 4);
      if (head === undefined || head.hasBody) {
        socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
        return;
      }
      isBusy = true;
      this.#answer(socket, { address, client }, head, next);
    };
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      if (!isBusy) next();
      else if (received.length > headBytesMax) socket.destroy();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#sockets.delete(socket));
  }

  #answer(
    socket: Socket,
    ends: Required<Pick<Hit, "address" | "client">>,
    head: RequestHead,
    next: () => void,
  ): void {
    const arrivedAtMs = nowMs();
    const target = this.web.locate(head.host, head.path);
    const page = this.web.pageAt(target, head.path);
    const isSentAway =
      page.throttle !== undefined &&
      target.kind === "page" &&
      this.#countThrottled(target.id) <= page.throttle.hits;
    const record = (status: number, bytes: number, complete: boolean): void => {
      this.#log.add({
        arrivedAtMs,
        finishedAtMs: nowMs(),
        host: head.host,
        ...ends,
        method: head.method,
        path: head.path,
        status,
        bytes,
        userAgent: head.userAgent,
        complete,
      });
    };
    const finish = (): void => {
      if (socket.destroyed) {
        record(0, 0, false);
        return;
      }
      if (page.resets) {
        record(0, 0, true);
        socket.resetAndDestroy();
        return;
      }
      const shown = isSentAway ? sendAway(page) : page;
      send(socket, head, shown, record, next);
    };
    if (page.delayMs === 0) {
      finish();
      return;
    }
    const abandon = (): void => {
      clearTimeout(timer);
      record(0, 0, false);
    };
    const timer = setTimeout(() => {
      socket.off("close", abandon);
      finish();
    }, page.delayMs);
    socket.once("close", abandon);
  }

  #countThrottled(id: number): number {
    const count = (this.#throttled.get(id) ?? 0) + 1;
    this.#throttled.set(id, count);
    return count;
  }
}

/** Now, on a clock that never runs backwards. */
function nowMs(): Millis {
  return performance.timeOrigin + performance.now();
}

function sendAway(page: SamplePage): SamplePage {
  const { status = 503, retryAfterSeconds = 0 } = page.throttle ?? {};
  return {
    status,
    headers: [
      ["content-type", "text/plain"],
      ["retry-after", String(retryAfterSeconds)],
    ],
    body: Buffer.from("Too fast.\n"),
    chunked: false,
    delayMs: 0,
    resets: false,
  };
}

/** Writes one answer and goes on with the connection once the system has taken it. */
function send(
  socket: Socket,
  head: RequestHead,
  page: SamplePage,
  record: (status: number, bytes: number, complete: boolean) => void,
  next: () => void,
): void {
  const etag = page.headers.find(([name]) => name === "etag")?.[1];
  const isKnown = etag !== undefined && etag === head.ifNoneMatch;
  const status = isKnown ? 304 : page.status;
  const accepted = page.coding !== undefined && head.acceptEncoding.includes(page.coding);
  const coding = accepted && !isKnown ? page.coding : undefined;
  const body = coding === undefined ? page.body : encode(page.body, coding);
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;
  for (const [name, value] of page.headers) text += `${name}: ${value}\r\n`;
  if (coding !== undefined) text += `content-encoding: ${coding}\r\nvary: accept-encoding\r\n`;
  if (!head.keepAlive) text += "connection: close\r\n";
  const withBody = head.method !== "HEAD" && !isKnown;
  const chunked = page.chunked && withBody;
  if (chunked) text += `transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`;
  else text += isKnown ? "\r\n" : `content-length: ${body.length}\r\n\r\n`;
  socket.cork();
  socket.write(text, "latin1");
  if (withBody) socket.write(body);
  if (chunked) socket.write("\r\n0\r\n\r\n", "latin1");
  record(status, withBody ? body.length : 0, true);
  socket.uncork();
  if (!head.keepAlive) socket.end();
  else if (socket.writableNeedDrain) socket.once("drain", next);
  else next();
}

/** Fastest levels: the server's own time is not what is measured. */
function encode(body: Uint8Array, coding: ContentCoding): Uint8Array {
  switch (coding) {
    case "gzip":
      return gzipSync(body, { level: 1 });
    case "br":
      return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    case "zstd":
      return zstdCompressSync(body, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  }
}

/** One listener for each address, all on one port. */
async function listenOnAll(addresses: readonly string[], port: number): Promise<Server[]> {
  for (let attempt = 1; ; attempt += 1) {
    const listeners: Server[] = [];
    try {
      let chosen = port;
      for (const address of addresses) {
        const listener = await listen(address, chosen);
        listeners.push(listener);
        chosen = (listener.address() as AddressInfo).port;
      }
      return listeners;
    } catch (error) {
      for (const listener of listeners) listener.close();
      const isTaken = errorCode(error) === "EADDRINUSE";
      if (port !== 0 || !isTaken || attempt >= portAttempts) throw error;
    }
  }
}

function listen(address: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ host: address, port, backlog }, () => {
      server.off("error", reject);
      resolve(server);
    });
  });
}
