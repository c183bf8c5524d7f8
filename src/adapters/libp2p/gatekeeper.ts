import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, MultiaddrConnection, PeerId } from "@libp2p/interface";
import type { MemberId, Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { JoinOutcome } from "../../ports/overlay.ts";
import { readable } from "./address.ts";
import { Conduct } from "./conduct.ts";
import type { Violation } from "./incoming-stream.ts";
import { ownKeyDetail } from "./dialer.ts";
import { memberAt } from "./links.ts";
import { Newcomers } from "./newcomers.ts";
import { limitAnswers } from "./opening-limits.ts";

/** A peer of another swarm is told why once in so long; its operator may have set things right by then. */
const refusedForMs = 10_000;

/** A peer that misbehaves is kept out for long enough that it costs nothing. */
const offendedForMs = 300_000;

/** One line in so long about those who come before anybody knows who they are. */
const lineEveryMs = 10_000;

/** Within that time whoever reaches itself has been called, however busy it is. */
const ownCallMs = 1_000;

/** Connections of others on which nobody has greeted yet: a whole swarm that comes back at once. */
export const newcomersMax = 512;

type Line = "handshake" | "own-key" | "refusal";

/** Decides who is kept out, counts it, and says so in one line each. */
export class Gatekeeper {
  readonly #ports: { readonly logger: Logger; readonly metrics: Metrics; readonly clock: Clock };
  readonly #conduct = new Conduct();
  readonly #newcomers = new Newcomers(newcomersMax);
  readonly #secured = new WeakSet<MultiaddrConnection>();
  readonly #lines = new Map<Line, Millis>();
  #ownCalls = 0;

  constructor(ports: {
    readonly logger: Logger;
    readonly metrics: Metrics;
    readonly clock: Clock;
  }) {
    this.#ports = ports;
  }

  /** Why a peer is kept out; undefined where it is not. */
  denialOf(peer: MemberId | string | undefined): string | undefined {
    if (peer === undefined) return undefined;
    return this.#conduct.denialOf(peer as MemberId, this.#nowMs);
  }

  /** Records that a connection is refused; with `isKeptOut`, its peer may not come back at once. */
  refused(connection: Connection, detail: string, isKeptOut: boolean): void {
    const peer = memberAt(connection);
    this.#ports.metrics.count("overlay_refused_total");
    const isNew = isKeptOut
      ? this.#conduct.deny(peer, detail, refusedForMs, this.#nowMs)
      : this.#isLineDue("refusal");
    if (!isNew) return;
    const { direction, remoteAddr } = connection;
    const address = readable(remoteAddr.toString());
    this.#ports.logger.warn("peer-refused", { peer, address, direction, detail });
  }

  /** Records an offence. Whether the peer is to be dropped. */
  violated(peer: MemberId, violation: Violation): boolean {
    this.#ports.metrics.count("overlay_violations_total", 1, { reason: violation });
    const isTooMany = this.#conduct.offend(peer, this.#nowMs);
    if (isTooMany) {
      this.#conduct.deny(peer, "it broke the protocol", offendedForMs, this.#nowMs);
      this.#ports.logger.warn("peer-dropped", { peer, detail: `${violation} frames` });
    }
    return isTooMany;
  }

  /** Watches a connection that somebody has opened, for one that ends before both ends know each other. */
  accepted(connection: MultiaddrConnection): void {
    const isFull = this.#newcomers.came(connection);
    if (isFull) this.#ports.metrics.count("queue_full_total", 1, { queue: "newcomers" });
    limitAnswers(connection, () => this.#secured.has(connection));
    connection.addEventListener(
      "close",
      () => {
        if (this.#secured.has(connection) || !this.#isLineDue("handshake")) return;
        const address = readable(connection.remoteAddr.toString());
        const detail =
          "another swarm key, or none, or no peer at all, or one that has found its swarm elsewhere meanwhile";
        this.#ports.logger.info("handshake-failed", { address, detail });
      },
      { once: true },
    );
  }

  /** Whether a peer that has proved its key is kept out. */
  isDenied(peer: PeerId, connection?: MultiaddrConnection): boolean {
    if (connection) {
      this.#secured.add(connection);
      this.#newcomers.proved(connection, peer);
    }
    return this.denialOf(peer.toString()) !== undefined;
  }

  /** A peer has greeted, and is a member. */
  greeted(peer: MemberId): void {
    this.#newcomers.greeted(peer);
  }

  /** How often somebody with this member's own key has called. */
  get ownCalls(): number {
    return this.#ownCalls;
  }

  /** Somebody with this member's own key has called. */
  calledByOwnKey(): void {
    this.#ownCalls += 1;
    this.#metOwnKey(undefined);
  }

  /**
   * Somebody with this member's own key was reached; before that it had been called `ownCallsBefore` times by such. A
   * member may have addresses that it does not know of: who reaches itself is called at the same time.
   */
  async reachedOwnKey(address: string, ownCallsBefore: number): Promise<JoinOutcome> {
    await sleep(ownCallMs);
    if (this.#ownCalls > ownCallsBefore) {
      return { kind: "unreachable", detail: "that is this member itself" };
    }
    this.#metOwnKey(address);
    return { kind: "refused", detail: ownKeyDetail, hasOwnKey: true };
  }

  #metOwnKey(address: string | undefined): void {
    // Its handshake ends here, too, and that needs no line of its own.
    this.#lines.set("handshake", this.#nowMs);
    if (!this.#isLineDue("own-key")) return;
    const detail =
      "another process runs with this member's key; each needs a data directory of its own";
    this.#ports.metrics.count("overlay_refused_total");
    this.#ports.logger.warn("same-key", { address, detail });
  }

  #isLineDue(kind: Line): boolean {
    if (this.#nowMs - (this.#lines.get(kind) ?? -Infinity) < lineEveryMs) return false;
    this.#lines.set(kind, this.#nowMs);
    return true;
  }

  get #nowMs(): Millis {
    return this.#ports.clock.nowMs();
  }
}
