import type { Connection } from "@libp2p/interface";
import type { MemberId } from "../../core/units.ts";
import { noGreeting, refused, type Greeting } from "./greeter.ts";

/** Connections to one peer: one of each direction, twice, since the ends do not learn of an end together. */
const connectionsPerPeerMax = 4;

/** What is done about connections. */
export interface LinkKeeper {
  /** Greets the peer that this member has dialled. */
  greet(connection: Connection): Promise<Greeting>;
  /** Called when a connection is refused, before it is closed. */
  onRefused(connection: Connection, detail: string, isKeptOut: boolean): void;
  onLinked(connection: Connection): void;
  onBroken(member: MemberId): void;
}

/** A peer that has dialled speaks first, and so soon. It may come back: perhaps it was this process that stood still. */
const helloWithinMs = 5_000;

const brokenGreeting: Greeting = { kind: "unreachable", detail: "the connection broke" };

interface Link {
  /** Greeted connections that are open. */
  readonly connections: Set<Connection>;
  instance: string;
}

/**
 * The connections to other members, and which of them may be used: a connection is one to a member only after the two
 * have greeted each other.
 *
 * Invariant: a member is linked while at least one greeted connection to it is open.
 */
export class Links {
  readonly #keeper: LinkKeeper;
  readonly #links = new Map<MemberId, Link>();
  readonly #open = new Set<Connection>();
  readonly #greetings = new WeakMap<Connection, PromiseWithResolvers<Greeting>>();

  constructor(keeper: LinkKeeper) {
    this.#keeper = keeper;
  }

  /** Members that are linked. */
  get size(): number {
    return this.#links.size;
  }

  /** A connection to the member that can be used. */
  connectionTo(member: MemberId): Connection | undefined {
    for (const connection of this.#links.get(member)?.connections ?? []) {
      if (connection.status === "open") return connection;
    }
    return undefined;
  }

  /** The process at the other end of the connections to a member. */
  instanceOf(member: MemberId): string | undefined {
    return this.#links.get(member)?.instance;
  }

  /** Resolves when the two ends of a connection have greeted each other, or will not. */
  greeted(connection: Connection): Promise<Greeting> {
    return this.#greetings.get(connection)?.promise ?? Promise.resolve(brokenGreeting);
  }

  /** Takes in a connection that libp2p has opened, in either direction. */
  opened(connection: Connection): void {
    // What came right behind the handshake may have ended it before it could tell of its end; it would be kept for good.
    if (connection.status !== "open") return;
    const greeting = Promise.withResolvers<Greeting>();
    this.#greetings.set(connection, greeting);
    this.#open.add(connection);
    connection.addEventListener("close", () => this.#closed(connection), { once: true });
    if (this.#connectionsTo(connection) > connectionsPerPeerMax) {
      this.greetingEnded(connection, refused("too many connections", false));
    } else if (connection.direction === "outbound") {
      this.#keeper.greet(connection).then(
        (outcome) => this.greetingEnded(connection, outcome),
        () => this.greetingEnded(connection, brokenGreeting),
      );
    } else this.#awaitGreeting(connection, greeting.promise);
  }

  /** Records how a greeting over a connection has ended. A refusal counts though the connection broke over it. */
  greetingEnded(connection: Connection, outcome: Greeting): void {
    const isOpen = connection.status === "open";
    if (outcome.kind === "greeted" && isOpen) this.#link(connection, outcome.hello.instance);
    this.#greetings
      .get(connection)
      ?.resolve(outcome.kind === "greeted" && !isOpen ? brokenGreeting : outcome);
    if (outcome.kind === "greeted") return;
    if (outcome.kind === "refused") {
      this.#keeper.onRefused(connection, outcome.detail, outcome.isKeptOut);
    }
    connection.abort(new Error(outcome.detail));
  }

  /** Closes all connections to a peer, but for the one given. */
  drop(member: MemberId, detail: string, kept?: Connection): void {
    for (const connection of [...this.#open]) {
      const isOther = memberAt(connection) === member && connection !== kept;
      if (isOther) connection.abort(new Error(detail));
    }
  }

  #connectionsTo(connection: Connection): number {
    const member = memberAt(connection);
    let count = 0;
    for (const other of this.#open) if (memberAt(other) === member) count += 1;
    return count;
  }

  #link(connection: Connection, instance: string): void {
    const member = memberAt(connection);
    const link = this.#links.get(member) ?? { connections: new Set(), instance };
    link.instance = instance;
    link.connections.add(connection);
    this.#links.set(member, link);
    this.#keeper.onLinked(connection);
  }

  #awaitGreeting(connection: Connection, greeting: Promise<Greeting>): void {
    const giveUp = (): void => this.greetingEnded(connection, refused(noGreeting, false));
    const timer = setTimeout(giveUp, helloWithinMs);
    void greeting.finally(() => clearTimeout(timer));
  }

  #closed(connection: Connection): void {
    this.#open.delete(connection);
    // A greeting that this member has begun ends by itself, and may still tell why the connection was closed.
    if (connection.direction === "inbound") {
      this.#greetings.get(connection)?.resolve(brokenGreeting);
    }
    const member = memberAt(connection);
    const link = this.#links.get(member);
    if (!link?.connections.delete(connection) || link.connections.size > 0) return;
    this.#links.delete(member);
    this.#keeper.onBroken(member);
  }
}

export function memberAt(connection: Connection): MemberId {
  return connection.remotePeer.toString() as MemberId;
}
