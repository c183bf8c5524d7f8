import { Connection } from "./connection.ts";
import type { ConnectionOptions, ConnectionTarget } from "./connection.ts";
import { TlsSessions } from "./tls-sessions.ts";

export interface ConnectionPoolOptions extends ConnectionOptions {
  readonly idleConnectionsMax: number;
  readonly tlsSessionsMax: number;
}

/**
 * Keeps connections for reuse, each by its origin and address.
 *
 * A connection is either leased to one request or idle. Idle ones are bounded in number and the one that has been
 * idle longest goes first; leased ones are as many as the caller has requests open.
 *
 * Invariant: a connection that is leased is never closed by the pool, except by `stop`.
 */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #sessions: TlsSessions;
  readonly #leased = new Set<Connection>();
  /** Oldest first. */
  readonly #idle = new Set<Connection>();
  readonly #idleByKey = new Map<string, Connection[]>();
  readonly #onDisconnect = (connection: Connection): void => this.#dropIdle(connection);
  readonly #closing = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#sessions = new TlsSessions(options.tlsSessionsMax);
  }

  get idleCount(): number {
    return this.#idle.size;
  }

  get leasedCount(): number {
    return this.#leased.size;
  }

  /** The connection of this target that was used last; a new one where none is idle, or where it has to be new. */
  lease(target: ConnectionTarget, needsNew = false): Connection {
    const key = `${target.origin} ${target.address} ${target.headBytesMax}`;
    const reused = needsNew ? undefined : this.#idleByKey.get(key)?.at(-1);
    if (reused !== undefined) this.#forgetIdle(reused);
    const connection =
      reused ?? new Connection(key, target, this.#options, this.#sessions, this.#onDisconnect);
    this.#leased.add(connection);
    return connection;
  }

  /** Takes back a connection whose response has been read to its end. */
  release(connection: Connection): void {
    if (!this.#leased.delete(connection)) return;
    if (this.#stopped) {
      this.#close(connection);
      return;
    }
    this.#idle.add(connection);
    const sameKey = this.#idleByKey.get(connection.key);
    if (sameKey === undefined) this.#idleByKey.set(connection.key, [connection]);
    else sameKey.push(connection);
    if (this.#idle.size <= this.#options.idleConnectionsMax) return;
    for (const oldest of this.#idle) {
      this.#dropIdle(oldest);
      return;
    }
  }

  /** Takes back a connection that cannot be used again. */
  discard(connection: Connection): void {
    this.#leased.delete(connection);
    this.#close(connection);
  }

  /** Closes all connections and waits until they are closed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const connections = [...this.#leased, ...this.#idle];
    this.#leased.clear();
    this.#idle.clear();
    this.#idleByKey.clear();
    for (const connection of connections) this.#close(connection);
    await Promise.all(this.#closing);
  }

  #close(connection: Connection): void {
    const closed = connection.destroy();
    this.#closing.add(closed);
    void closed.then(() => this.#closing.delete(closed));
  }

  #dropIdle(connection: Connection): void {
    if (!this.#idle.has(connection)) return;
    this.#forgetIdle(connection);
    this.#close(connection);
  }

  #forgetIdle(connection: Connection): void {
    this.#idle.delete(connection);
    const rest = (this.#idleByKey.get(connection.key) ?? []).filter((one) => one !== connection);
    if (rest.length === 0) this.#idleByKey.delete(connection.key);
    else this.#idleByKey.set(connection.key, rest);
  }
}
