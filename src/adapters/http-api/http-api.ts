import { lookup } from "node:dns/promises";
import fastify from "fastify";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { CrawlError, errorCode, errorText, InvariantError } from "../../core/errors.ts";
import type { PeerControl } from "../../ports/peer-control.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import { type ApiFailure, failure, failureOf } from "./api-error.ts";
import { ConnectionPlaces } from "./connection-places.ts";
import { dropRest } from "./drop-rest.ts";
import type { HttpApiOptions } from "./http-api-options.ts";
import { jobRoutes } from "./job-routes.ts";
import { answerNoRequest, refuseExpectation } from "./no-request.ts";
import { otherMethods } from "./other-methods.ts";
import { pageRoutes, type SwarmPages } from "./page-routes.ts";
import { peerRoutes } from "./peer-routes.ts";
import { readPlainJson } from "./plain-body.ts";
import { isLoopback, refusal } from "./request-guard.ts";
import { schemaProblem } from "./schema-problem.ts";
import { SharedStats } from "./shared-stats.ts";
import { urlRoutes } from "./url-routes.ts";

/** What a scraper reads. */
export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

/** What the API stands on. */
export interface HttpApiParts {
  readonly control: PeerControl;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: MetricsText;
  /** What a browser is shown. */
  readonly pages?: SwarmPages;
  readonly version: string;
  /** Name of the swarm that the peer is a member of; absent where it crawls alone. */
  readonly swarm?: string;
  /**
   * Asks the peer to hand over and to stop; idempotent. Resolves before it stops to whether everything was handed over:
   * nothing where there is no swarm.
   */
  readonly leave: () => Promise<boolean | undefined>;
  /** Ends the process: a bug was met while a request was served. */
  readonly stopForBug: (bug: InvariantError) => void;
}

/**
 * The peer's local control port: {@link PeerControl} as JSON over HTTP.
 *
 * There is no password: whoever can reach the port and is no web page ({@link refusal}) may command the peer. Every
 * failure is answered with `{ error: { code, message } }`, but that of a page, which is told in a page.
 */
export class HttpApi {
  readonly #parts: HttpApiParts;
  readonly #options: HttpApiOptions;
  readonly #stopping = new AbortController();
  #app: FastifyInstance | undefined;
  #url: string | undefined;

  constructor(parts: HttpApiParts, options: HttpApiOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** `http://HOST:PORT` with the real port, once started. */
  get url(): string {
    if (this.#url === undefined) throw new InvariantError("the API has not been started");
    return this.#url;
  }

  /** Listens; idempotent. Fails with `LISTEN_FAILED`. */
  async start(): Promise<void> {
    if (this.#app !== undefined) return;
    const { host, port } = this.#options;
    const app = this.#build();
    this.#app = app;
    try {
      this.#url = await app.listen({ host: await addressOf(host), port });
    } catch (cause) {
      this.#app = undefined;
      await app.close();
      const message = `cannot listen to ${host}:${port}: ${listenFailure(cause)}`;
      throw new CrawlError("LISTEN_FAILED", message, { host, port }, { cause });
    }
    if (isLoopback(host)) return;
    const detail =
      "whoever reaches it can command the peer; listen to 127.0.0.1 unless that is meant";
    this.#parts.logger.warn("api-open-to-other-machines", {
      host,
      port: portOf(this.#url),
      detail,
    });
  }

  /** Answers what can be answered in time, then closes every connection; idempotent. */
  async stop(): Promise<void> {
    const app = this.#app;
    if (app === undefined || this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    const inTime = new AbortController();
    const closed = app.close().then(() => inTime.abort());
    await this.#parts.clock.sleep(this.#options.stopMsMax, inTime.signal);
    app.server.closeAllConnections();
    await closed;
  }

  #build(): FastifyInstance {
    const { bodyBytesMax, connectionsMax, headBytesMax, host, silenceMsMax } = this.#options;
    const app: FastifyInstance = fastify({
      bodyLimit: bodyBytesMax,
      connectionTimeout: silenceMsMax,
      // A request that comes as the API stops is refused in the form of all others.
      return503OnClosing: false,
      // A request without a Host header is answered as others that are refused.
      http: { maxHeaderSize: headBytesMax, requireHostHeader: false },
      // The longest name of a host.
      routerOptions: { maxParamLength: 255 },
      // A path that cannot be decoded reaches no route.
      frameworkErrors: (error, _request, { raw }) => {
        const { status, body } = failureOf(error);
        raw.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      },
      clientErrorHandler: answerNoRequest,
      ajv: { customOptions: { removeAdditional: false, coerceTypes: false, verbose: true } },
      schemaErrorFormatter: schemaProblem,
    });
    app.server.on("checkExpectation", refuseExpectation);
    new ConnectionPlaces(connectionsMax).watch(app.server);
    app.addHook("onRequest", (request, reply, done) => {
      const refused = refusal(request.headers, host);
      const isStopping = this.#stopping.signal.aborted;
      if (refused === undefined && !isStopping) {
        done();
        return;
      }
      const code = request.headers.host === undefined ? "BAD_REQUEST" : "FORBIDDEN";
      const { status, body } =
        refused === undefined
          ? failure("PEER_STOPPED", "this peer stops, and takes nothing any more")
          : failure(code, refused);
      void reply.code(status).send(body);
    });
    app.addHook("onSend", async ({ raw }, reply, payload) => {
      // A client that keeps it open for its next question would be waited for.
      if (this.#stopping.signal.aborted) reply.header("connection", "close");
      else if (isLast(reply)) await dropRest(raw, this.#parts.clock, this.#options);
      return payload;
    });
    app.setErrorHandler((error: FastifyError, request, reply) => {
      const { status, body } = this.#judged(error, request);
      return reply.code(status).send(body);
    });
    app.setNotFoundHandler((request, reply) => {
      const { status, body } = failure(
        "NOT_FOUND",
        `no such route: ${request.method} ${pathOf(request.url)}`,
      );
      return reply.code(status).send(body);
    });
    readPlainJson(app, this.#options.bodyValuesMax);
    const { control, pages } = this.#parts;
    const stats = new SharedStats(control);
    const stopping = this.#stopping.signal;
    const context = { ...this.#parts, options: this.#options, stats, stopping };
    const others = otherMethods(app);
    const judged = this.#judged.bind(this);
    if (pages !== undefined) app.register(pageRoutes({ control, stats, judged }, pages));
    for (const prefix of ["", "/v1"]) app.register(peerRoutes(context), { prefix });
    app.register(urlRoutes(context), { prefix: "/v1" });
    app.register(jobRoutes(context), { prefix: "/v1" });
    app.register(others);
    return app;
  }

  /** What a request that failed is answered with; the log has told of it then. */
  #judged(error: FastifyError, request: FastifyRequest): ApiFailure {
    const { logger, stopForBug } = this.#parts;
    const route = request.routeOptions.url;
    if (error === request.raw.errored || error.name === "AbortError") {
      logger.debug("api-request-broken-off", { route });
      // Nobody is there to read it.
      return failure("BAD_REQUEST", "the request was broken off");
    }
    if (error instanceof InvariantError) stopForBug(error);
    const failed = failureOf(error);
    if (failed.status < 500) return failed;
    // 503 is what passes by itself: a swarm that is busy or partly away, a peer that stops.
    const level = failed.status === 503 ? "warn" : "error";
    const { code } = failed.body.error;
    logger[level]("api-request-failed", {
      route,
      code,
      message: error.message,
      stack: code === "INTERNAL" ? error.stack : undefined,
    });
    return failed;
  }
}

/**
 * One address of `localhost`, the one where commands look. By its name Fastify would listen to all of them, with a server
 * for each, but bound and end the first one alone.
 */
async function addressOf(host: string): Promise<string> {
  return host === "localhost" ? (await lookup(host, { order: "ipv4first" })).address : host;
}

/** Whether the connection ends with this answer. */
function isLast(reply: FastifyReply): boolean {
  return !reply.raw.shouldKeepAlive || reply.getHeader("connection") === "close";
}

/** What the groups of routes share. */
export interface RouteContext extends HttpApiParts {
  readonly options: HttpApiOptions;
  readonly stats: SharedStats;
  /** Aborts when the API stops: open questions are answered with what is known. */
  readonly stopping: AbortSignal;
}

function pathOf(url: string): string {
  return (url.split("?", 1)[0] ?? "").slice(0, 200);
}

/** Of `http://HOST:PORT`, in which 80 is written out too. */
function portOf(url: string): number {
  return Number(url.slice(url.lastIndexOf(":") + 1));
}

function listenFailure(cause: unknown): string {
  switch (errorCode(cause)) {
    case "EADDRINUSE":
      return "the port is in use";
    case "EACCES":
      return "this user may not listen on that port";
    case "EADDRNOTAVAIL":
      return "this machine has no such address";
    case undefined:
    default:
      return errorText(cause);
  }
}
