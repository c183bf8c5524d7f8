import { invariant } from "../errors.ts";
import type { HostGate } from "../politeness/host-gate.ts";
import type { HostName, IpAddress, Millis, SiteName } from "../units.ts";
import type { HostQueue } from "./host-queue.ts";

/**
 * Requests of one turn, and how long it lasts, at most. More spare connections, of which most turns open one; fewer let
 * others wait less. Servers close connections that have been idle for as long.
 */
const turnRequestsMax = 16;
const turnMsMax: Millis = 5_000;

/** What a visit is made of. */
export interface HostVisitParts {
  readonly host: HostName;
  readonly site: SiteName;
  readonly gate: HostGate;
  readonly queue: HostQueue;
  readonly connectionsMax: number;
  readonly delayMs: Millis;
}

/** A host with queued URLs, as the workbench sees it (BUbiNG's visit state). */
export class HostVisit {
  readonly host: HostName;
  readonly site: SiteName;
  readonly gate: HostGate;
  readonly queue: HostQueue;
  /**
   * Where its next request goes; absent until the name is resolved. A change counts from the next placing on.
   */
  address: IpAddress | undefined;
  /**
   * Requests that may be open to the host, and to its address while this host is asked. A change counts from
   * the next placing on.
   */
  connectionsMax: number;
  /**
   * The host's delay at present, for requests that are open at the same time: their starts are as far apart.
   */
  delayMs: Millis;
  #openRequests = 0;
  #requestsInTurn = 0;
  #turnUntilMs: Millis = 0;

  constructor(parts: HostVisitParts) {
    this.host = parts.host;
    this.site = parts.site;
    this.gate = parts.gate;
    this.queue = parts.queue;
    this.connectionsMax = parts.connectionsMax;
    this.delayMs = parts.delayMs;
  }

  get openRequests(): number {
    return this.#openRequests;
  }

  /** Its turn has come, as the one that has waited longest: for the workbench alone. */
  turnBegan(nowMs: Millis): void {
    this.#requestsInTurn = 0;
    this.#turnUntilMs = nowMs + turnMsMax;
  }

  /**
   * Whether the host may be asked again before those that have waited longer. One without a delay may, some times: the
   * requests of a turn share a connection, as with BUbiNG's `keepAliveTime`. Ten thousand hosts in strict rotation were
   * measured to take a connection for each request, and a fourth more of the processor.
   */
  mayGoOn(nowMs: Millis): boolean {
    if (this.delayMs > 0 || this.connectionsMax > 1) return false;
    return this.#requestsInTurn < turnRequestsMax && nowMs < this.#turnUntilMs;
  }

  /** Counts a request that starts: for the workbench alone. */
  requestOpened(): void {
    this.#openRequests += 1;
    this.#requestsInTurn += 1;
  }

  /** Counts a request that ended: for the workbench alone. */
  requestClosed(): void {
    invariant(this.#openRequests > 0, "a request was closed that was never opened");
    this.#openRequests -= 1;
  }
}
