import { invariant } from "../errors.ts";
import type { AddressUse, LoanSpan } from "../politeness/address-borrower.ts";
import type { IpAddress, Millis } from "../units.ts";
import { BinaryHeap } from "./binary-heap.ts";
import type { HostVisit } from "./host-visit.ts";

/** Nobody else asks this address. */
export const ownForEver: LoanSpan = Object.freeze({
  fromMs: 0,
  untilMs: Infinity,
  watched: false,
});

/**
 * One IP address of the workbench: its clock, its open requests, and the hosts in place on it.
 *
 * A host that allows several connections may find the address open when one that allows fewer would not.
 * Still nobody passes the host that has waited longest: the address then takes no request until enough of the
 * open ones have ended. Else a busy host with many connections would shut out its neighbours for ever.
 *
 * In a swarm it may be lent to this peer for a span, and starts no request outside it. A host without a delay needs no
 * loan: its pace is its owner's business alone.
 */
export class AddressEntry {
  readonly address: IpAddress;
  readonly #hosts = new BinaryHeap<HostVisit>();
  #clockAtMs: Millis = 0;
  /** The delay of the latest open request, counted from its start: its end arms the clock itself. */
  #openClockAtMs: Millis = 0;
  #openRequests = 0;
  #span: LoanSpan;

  constructor(address: IpAddress, span = ownForEver) {
    this.address = address;
    this.#span = span;
  }

  /** Requests may start within this span from now on. */
  lend(span: LoanSpan): void {
    this.#span = span;
  }

  /** What the address is used for, whether it is lent or not. */
  get use(): AddressUse {
    const readyAtMs = this.#readyAtMs();
    const visit = this.#hosts.peek();
    return {
      busy: this.#openRequests > 0,
      nextAtMs: visit && needsLoan(visit) ? readyAtMs : undefined,
      clockAtMs: Math.max(this.#clockAtMs, this.#openClockAtMs),
    };
  }

  /** The first host could be asked if the address were lent. */
  get isHeldBack(): boolean {
    const readyAtMs = this.#readyAtMs();
    const visit = this.#hosts.peek();
    if (readyAtMs === undefined || visit === undefined || !needsLoan(visit)) return false;
    return Math.max(readyAtMs, this.#span.fromMs) >= this.#span.untilMs;
  }

  /** Whether the end of a request that ended at `atMs` is to be told. */
  isWatched(atMs: Millis): boolean {
    return this.#span.watched || atMs >= this.#span.untilMs;
  }

  /** Whether the first host's time has not run out while it was due. */
  mayStart(nowMs: Millis): boolean {
    const visit = this.#hosts.peek();
    return nowMs < this.#span.untilMs || visit === undefined || !needsLoan(visit);
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

  /** Whether this host, which is in place and has no delay, may be asked now, be it the first or not. */
  isOpenFor(visit: HostVisit, nowMs: Millis): boolean {
    const clockAtMs = Math.max(this.#clockAtMs, this.#openClockAtMs, visit.gate.nextFetchAtMs);
    return clockAtMs <= nowMs && this.#openRequests < visit.connectionsMax;
  }

  /** When the next request may start; absent where one must end first, or no host is in place. */
  dueAtMs(): Millis | undefined {
    const readyAtMs = this.#readyAtMs();
    const visit = this.#hosts.peek();
    if (readyAtMs === undefined || visit === undefined || !needsLoan(visit)) return readyAtMs;
    const atMs = Math.max(readyAtMs, this.#span.fromMs);
    return atMs < this.#span.untilMs ? atMs : undefined;
  }

  #readyAtMs(): Millis | undefined {
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

function needsLoan({ delayMs }: HostVisit): boolean {
  return delayMs > 0;
}
