import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { RequestListener, Server as HttpServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo, Server as TcpServer, Socket } from "node:net";
import {
  UndiciFetcher,
  defaultUndiciFetcherOptions,
} from "../../../src/adapters/undici/undici-fetcher.ts";
import type { UndiciFetcherOptions } from "../../../src/adapters/undici/undici-fetcher.ts";
import type { IpAddress, Millis } from "../../../src/core/units.ts";
import type { FetchOutcome, FetchRequest } from "../../../src/ports/fetcher.ts";
import type { ServedOrigin } from "../../contracts/fetcher.ts";

export const loopback = "127.0.0.1" as IpAddress;

/** What a raw server does with a connection once the whole head of its first request has come. */
export type Script = (socket: Socket, head: string) => void;

/** A real fetcher and real servers on loopback; `stop` closes all of them. */
export class HttpHarness {
  readonly fetcher: UndiciFetcher;
  readonly #servers: (HttpServer | TcpServer)[] = [];
  readonly #sockets = new Set<Socket>();

  constructor(
    changes: Partial<UndiciFetcherOptions> = {},
    nowMs = (): Millis => performance.timeOrigin + performance.now(),
  ) {
    this.fetcher = new UndiciFetcher(
      { clock: { nowMs } },
      {
        ...defaultUndiciFetcherOptions,
        userAgent: "orbweaver/0.0.0 (+https://crawler.test/)",
        allowPrivate: true,
        sweepIntervalMs: 5,
        ...changes,
      },
    );
  }

  /** Sockets that the servers see open. */
  get openSockets(): number {
    return this.#sockets.size;
  }

  fetch(request: FetchRequest, signal = new AbortController().signal): Promise<FetchOutcome> {
    return this.fetcher.fetch(request, signal);
  }

  async http(listener: RequestListener): Promise<ServedOrigin> {
    const server = createHttpServer((request, response) => {
      response.sendDate = false;
      listener(request, response);
    });
    return this.listen(server);
  }

  /** A server that speaks as `script` says, right or wrong. */
  async raw(script: Script): Promise<ServedOrigin> {
    const server = createTcpServer((socket) => {
      let head = "";
      socket.on("error", () => socket.destroy());
      socket.on("data", (data) => {
        head += data.toString("latin1");
        if (!head.endsWith("\r\n\r\n")) return;
        const whole = head;
        head = "";
        script(socket, whole);
      });
    });
    return this.listen(server);
  }

  /** A server that writes `bytes` to every request and closes the connection. */
  async says(...bytes: readonly (string | Uint8Array)[]): Promise<ServedOrigin> {
    return this.raw((socket) => {
      for (const part of bytes) socket.write(part);
      socket.end();
    });
  }

  async listen(server: HttpServer | TcpServer, scheme = "http"): Promise<ServedOrigin> {
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    server.listen(0, loopback);
    await once(server, "listening");
    this.#servers.push(server);
    return { origin: `${scheme}://127.0.0.1:${portOf(server)}`, address: loopback };
  }

  async unserved(): Promise<ServedOrigin> {
    const server = createTcpServer();
    server.listen(0, loopback);
    await once(server, "listening");
    const origin = `http://127.0.0.1:${portOf(server)}`;
    server.close();
    await once(server, "close");
    return { origin, address: loopback };
  }

  async stop(): Promise<void> {
    await this.fetcher.stop();
    for (const socket of this.#sockets) socket.destroy();
    for (const server of this.#servers.splice(0)) {
      server.close();
      await once(server, "close");
    }
  }
}

function portOf(server: TcpServer): number {
  return (server.address() as AddressInfo).port;
}
