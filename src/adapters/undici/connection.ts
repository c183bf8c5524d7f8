import { connect as connectTcp, isIP } from "node:net";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Client, Dispatcher, buildConnector } from "undici";
// The package's own entry loads all its dispatchers, fetch and more: 35 ms of a start.
import UndiciClient from "undici/lib/dispatcher/client.js";
import { errorCode } from "../../core/errors.ts";
import { isPublicAddress } from "../../core/net/address-policy.ts";
import type { IpAddress, Millis } from "../../core/units.ts";
import { addressForbiddenCode } from "./failure-table.ts";
import { parseLeniently } from "./lenient-parsing.ts";
import type { TlsSessions } from "./tls-sessions.ts";

export interface ConnectionOptions {
  readonly allowPrivate: boolean;
  readonly acceptInvalidCertificates: boolean;
  readonly keepAliveTimeoutMs: Millis;
  readonly keepAliveTimeoutMsMax: Millis;
}

/** What a connection is to, and for which requests it may be reused. */
export interface ConnectionTarget {
  /** `scheme://host[:port]` as in a canonical URL. */
  readonly origin: string;
  readonly address: IpAddress;
  /** The reason phrase, and the names and values of all fields, of a response head together. */
  readonly headBytesMax: number;
}

/** What ends the request of a connection that is destroyed. One for all: undici's own costs a stack trace each time. */
const destroyedError = Object.assign(new Error("the connection was destroyed"), {
  code: "UND_ERR_DESTROYED",
});

/** Bytes read ahead from a socket before it waits for the parser; Node's own choice for files. */
const readAheadBytes = 64 * 1024;

/**
 * One HTTP/1.1 connection for one request at a time, opened when a request needs it.
 *
 * It is a client of undici whose connector dials `target.address` and nothing else: the host name of the origin is
 * used for TLS and for the Host field only, and is never resolved here.
 *
 * Invariant: no socket is opened to an address that the policy forbids, however often the connection is reopened.
 */
export class Connection {
  readonly key: string;
  readonly secure: boolean;
  readonly #target: ConnectionTarget;
  readonly #options: ConnectionOptions;
  readonly #sessions: TlsSessions;
  readonly #client: Client;
  #dialled: Socket | undefined;
  #dials = 0;
  #destroyed: Promise<void> | undefined;
  #wasReset = false;
  #tlsError: Error | undefined;
  #httpVersion = "1.1";

  /** `onDisconnect` is called when the socket is gone: an idle connection has no use any more then. */
  constructor(
    key: string,
    target: ConnectionTarget,
    options: ConnectionOptions,
    sessions: TlsSessions,
    onDisconnect: (connection: Connection) => void,
  ) {
    this.key = key;
    this.secure = target.origin.startsWith("https:");
    this.#target = target;
    this.#options = options;
    this.#sessions = sessions;
    this.#client = new UndiciClient(target.origin, {
      allowH2: false,
      // The exchange has its own deadlines; timers of undici would be paid for twice.
      bodyTimeout: 0,
      connect: (where, callback) => this.#dial(where, callback),
      headersTimeout: 0,
      keepAliveMaxTimeout: options.keepAliveTimeoutMsMax,
      keepAliveTimeout: options.keepAliveTimeoutMs,
      maxHeaderSize: target.headBytesMax,
      pipelining: 1,
      useMilo: false,
    });
    this.#client.on("connect", () => {
      if (this.#dialled === undefined) return;
      parseLeniently(this.#dialled, (version) => (this.#httpVersion = version));
    });
    this.#client.on("disconnect", () => onDisconnect(this));
  }

  /** How many sockets it has opened so far; unchanged during a request means that an earlier socket served it. */
  get dials(): number {
    return this.#dials;
  }

  /** Whether the latest socket ended with a reset, not with an orderly close. */
  get wasReset(): boolean {
    return this.#wasReset;
  }

  /** With what TLS failed on the latest socket, also behind its handshake: undici goes by how the socket ended after it. */
  get tlsError(): Error | undefined {
    return this.#tlsError;
  }

  /** The version of HTTP that the latest response names; `1.1` where that cannot be read. */
  get httpVersion(): string {
    return this.#httpVersion;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  /** Closes the socket at once; a request under way ends with an error. Idempotent; resolves when it is closed. */
  destroy(): Promise<void> {
    this.#destroyed ??= this.#destroy();
    return this.#destroyed;
  }

  async #destroy(): Promise<void> {
    const closed = this.#client.destroy(destroyedError);
    // The client does not know a socket that is still connecting.
    const dialled = this.#dialled;
    if (dialled !== undefined) {
      await new Promise((resolve) => dialled.once("close", resolve).destroy());
    }
    await closed;
  }

  #dial(where: buildConnector.Options, callback: buildConnector.Callback): void {
    const { address } = this.#target;
    const refusal = this.#refusal(address);
    if (refusal !== undefined) {
      callback(refusal, null);
      return;
    }
    this.#dials += 1;
    this.#wasReset = false;
    this.#tlsError = undefined;
    const socket = this.secure ? this.#dialTls(where, address) : this.#dialTcp(where, address);
    this.#dialled = socket;
    let waiting = true;
    const settle = (error: Error | undefined): void => {
      if (!waiting) return;
      waiting = false;
      if (error === undefined) callback(null, socket);
      else callback(error, null);
    };
    socket.setNoDelay(true);
    socket.once(this.secure ? "secureConnect" : "connect", () => settle(undefined));
    socket.on("error", (error) => {
      this.#wasReset ||= errorCode(error) === "ECONNRESET";
      if (errorCode(error)?.startsWith("ERR_SSL_") === true) this.#tlsError ??= error;
      settle(error);
    });
    socket.once("close", () => {
      if (this.#dialled === socket) this.#dialled = undefined;
      settle(new Error("closed while connecting"));
    });
  }

  #refusal(address: IpAddress): Error | undefined {
    if (isIP(address) !== 0 && (this.#options.allowPrivate || isPublicAddress(address))) {
      return undefined;
    }
    const error = new Error(`${address} is not a public address`);
    return Object.assign(error, { code: addressForbiddenCode });
  }

  #dialTcp(where: buildConnector.Options, address: IpAddress): Socket {
    // A variable, because the type of the call does not know the option of the stream below.
    const options = {
      highWaterMark: readAheadBytes,
      host: address,
      port: Number(where.port === "" ? "80" : where.port),
    };
    return connectTcp(options);
  }

  #dialTls(where: buildConnector.Options, address: IpAddress): Socket {
    const name = where.hostname;
    const { origin } = this.#target;
    const session = this.#sessions.get(origin);
    const socket = connectTls({
      ALPNProtocols: ["http/1.1"],
      host: address,
      port: Number(where.port === "" ? "443" : where.port),
      rejectUnauthorized: !this.#options.acceptInvalidCertificates,
      // An IP address is not a server name (RFC 6066, section 3); the certificate is then checked against the address.
      ...(isIP(name) === 0 ? { servername: name } : {}),
      ...(session === undefined ? {} : { session }),
    });
    socket.on("session", (issued) => this.#sessions.set(origin, issued));
    if (session !== undefined) {
      // Some servers end the handshake that offers them a session which they cannot resume, each time it is offered.
      const drop = (): void => this.#sessions.drop(origin, session);
      socket.once("error", drop).once("close", drop);
      socket.once("secureConnect", () => socket.off("error", drop).off("close", drop));
    }
    return socket;
  }
}
