import { invariant } from "../errors.ts";
import type { IpAddress, Millis } from "../units.ts";
import { BinaryHeap } from "./binary-heap.ts";
import type { HostVisit } from "./host-visit.ts";

/**
 * One IP address of the workbench: its clock, its open requests, and the hosts in place on it.
 *
 * A host that allows several connections may find the address open when one that allows fewer would not.
 * Still nobody passes the host that has waited longest: the address then takes no request until enough of the
 * open ones have ended. Else a busy host with many connections would shut out its neighbours for ever.
 */
export class AddressEntry {
  readonly address: IpAddress;
  readonly #hosts = new BinaryHeap<HostVisit>();
  #clockAtMs: Millis = 0;
  /** The delay of the latest open request, counted from its start: its end arms the clock itself. */
  #openClockAtMs: Millis = 0;
  #openRequests = 0;

  constructor(address: IpAddress) {
    this.address = address;
  }

  /** No request to the address may start before. */
  get clockAtMs(): Millis {
    return this.#clockAtMs;
  }

  /** Nothing is in place and nothing is open: only the clock is worth keeping. */
  get isIdle(): boolean {
    return this.#openRequests === 0 && this.#hosts.size === 0;
  }

  /** Puts the host where it is eligible from `atMs` on. */
  place(visit: HostVisit, atMs: Millis): void {
    this.#hosts.set(visit, atMs);
  }

  remove(visit: HostVisit): void {
    this.#hosts.remove(visit);
  }

  /** The host that is next. */
  first(): HostVisit | undefined {
    return this.#hosts.peek();
  }

  /** When the next request may start; absent where one must end first, or no host is in place. */
  dueAtMs(): Millis | undefined {
    for (;;) {
      const visit = this.#hosts.peek();
      const placedAtMs = this.#hosts.peekKey();
      if (visit === undefined || placedAtMs === undefined) return undefined;
      const gateAtMs = visit.gate.nextFetchAtMs;
      if (gateAtMs <= placedAtMs) {
        const hasRoom = this.#openRequests < visit.connectionsMax;
        return hasRoom ? Math.max(placedAtMs, this.#clockAtMs, this.#openClockAtMs) : undefined;
      }
      // The gate has moved on since the host was placed.
      this.#hosts.set(visit, gateAtMs);
    }
  }

  /** A request starts; while it is open, no other one may start before `untilMs`. */
  opened(untilMs: Millis): void {
    this.#openRequests += 1;
    this.#openClockAtMs = Math.max(this.#openClockAtMs, untilMs);
  }

  /** A request ended; the next one may not start before `untilMs`. */
  closed(untilMs: Millis): void {
    invariant(this.#openRequests > 0, "an address closed a request that it never opened");
    this.#openRequests -= 1;
    if (this.#openRequests === 0) this.#openClockAtMs = 0;
    this.#clockAtMs = Math.max(this.#clockAtMs, untilMs);
  }
}
