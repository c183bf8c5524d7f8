import { invariant } from "../errors.ts";
import { notLent, type AddressUse, type LoanSpan } from "../politeness/address-borrower.ts";
import type { PolitenessOptions } from "../politeness/politeness-options.ts";
import type { IpAddress, Millis } from "../units.ts";
import { AddressEntry } from "./address-entry.ts";
import { BinaryHeap } from "./binary-heap.ts";
import type { HostVisit } from "./host-visit.ts";

export type WorkbenchOptions = Pick<PolitenessOptions, "addressDelayMs">;

/** How a request ended, as far as the clocks are concerned. */
export interface RequestEnd {
  /** Whose turn the request took: the host's address may be another one by now. */
  readonly address: IpAddress;
  /** When the response's head arrived; absent where none came. */
  readonly headAtMs?: Millis;
  readonly finishedAtMs: Millis;
  /** The host's delay. */
  readonly delayMs: Millis;
}

/** Where addresses are lent by other members. */
export interface AddressLoans {
  /** When requests to an address may start. */
  spanOf(address: IpAddress): LoanSpan;
  /** A host waits for an address that is not lent. */
  wanted(address: IpAddress): void;
  /** A request ended whose end was asked for, or the address is not lent any more. */
  ended(address: IpAddress): void;
}

/** Where a placed visit stands. */
interface Placement {
  readonly entry: AddressEntry;
  /** When it began to wait: nobody who comes later may pass it. */
  readonly sinceMs: Millis;
}

/**
 * Addresses at rest that are looked at in one call, at most: the work of a call stays small, and is done in
 * the end.
 */
const SWEPT_MAX = 4;

/**
 * The in-memory part of the frontier: hosts ordered by when they may next be asked.
 *
 * A frontier has two levels of queues, as Mercator's has (Heydon and Najork 1999, "The URL Frontier"; front
 * and back queues in Najork and Heydon 2001). Which URL of a host comes next is decided by the host's queue,
 * most important first, on disk but for a bounded head ({@link HostQueue}). Which host comes next is decided
 * here, by time alone. Mercator ties each of its back queues to one host at a time and keeps a heap of them
 * by the time of their next request. Memory is larger now, so every active host has a place of its own, and
 * only URLs wait on disk.
 *
 * From BUbiNG (Boldi, Marino, Santini and Vigna 2018, "The Workbench") comes the second politeness: hosts are
 * grouped by address, a group is ordered by its hosts' times, and a heap on top orders the groups by the
 * later one of the address's own clock and its first host's time. So ten thousand hosts on one address cost a
 * logarithm each, and no one looks through those that the address holds up.
 *
 * Unlike there, a host's time lives in its gate, which backoff and breaker move on at any moment. Gates only
 * move forward, so a time in a heap is at worst too early: {@link Workbench.take} looks at the gate, and
 * moves the host to where it belongs. A gate that was released moves back: such a host is to be placed again.
 *
 * A life in the frontier: the queue has something ready and the name has an address: `place`; its time comes:
 * `take`, which opens a request and takes the host out unless more connections are allowed; the request ends:
 * `release`, then `place` again if there is more.
 *
 * Invariant: a host is handed out only if its gate and its address's clock are open and both have a
 * connection free.
 * Invariant: no host with a delay is handed out outside the span in which its address is lent to this peer.
 * Invariant: of hosts that could be asked, the one that has waited longest comes first, but for those whose turn goes on
 * ({@link HostVisit.mayGoOn}), which is bounded: so none starves.
 * Invariant: `#due` holds exactly the addresses on which some host may be asked, now or later, without a
 * request ending first; waiting hosts cost nothing.
 *
 * The number of visits is the caller's to bound; addresses are forgotten when they have no host and their
 * clock is open.
 */
export class Workbench {
  readonly #options: WorkbenchOptions;
  readonly #entries = new Map<IpAddress, AddressEntry>();
  readonly #placements = new Map<HostVisit, Placement>();
  /** Visits in place whose turn may go on. */
  readonly #inTurn = new Set<HostVisit>();
  /** Addresses of each visit's open requests, oldest first. */
  readonly #open = new Map<HostVisit, AddressEntry[]>();
  /** Addresses by when their next request may start. */
  readonly #due = new BinaryHeap<AddressEntry>();
  /** Addresses that are kept for their clock alone. */
  readonly #resting = new BinaryHeap<AddressEntry>();
  #openRequests = 0;
  #loans: AddressLoans | undefined;

  constructor(options: WorkbenchOptions) {
    this.#options = options;
  }

  /** Requests open on all hosts. */
  get openRequests(): number {
    return this.#openRequests;
  }

  /** Addresses remembered: those with hosts in place or open requests, and those whose clock still runs. */
  get addressCount(): number {
    return this.#entries.size;
  }

  /** Visits in place. */
  get size(): number {
    return this.#placements.size;
  }

  /**
   * From now on addresses are lent; until then all are this peer's own. Returns those that are in use: they are not
   * lent any more.
   */
  borrowFrom(loans: AddressLoans): IpAddress[] {
    this.#loans = loans;
    for (const [address, entry] of this.#entries) {
      entry.lend(loans.spanOf(address));
      this.#rekey(entry);
    }
    return [...this.#entries.keys()];
  }

  /** Requests to the address may start within this span. */
  lend(address: IpAddress, span: LoanSpan): void {
    const entry = this.#entries.get(address);
    if (entry === undefined) return;
    entry.lend(span);
    this.#rekey(entry);
  }

  /** What the address is used for; absent when there is nothing to say of it. */
  useOf(address: IpAddress): AddressUse | undefined {
    return this.#entries.get(address)?.use;
  }

  /**
   * Puts a visit in its place: it has an address and something ready, and is eligible from its gate's time
   * on. Placing again takes up what changed of it, and it keeps its turn. A visit that has all its
   * connections open is not put in; it is to be placed after {@link release}.
   */
  place(visit: HostVisit, nowMs: Millis): void {
    const { address } = visit;
    invariant(address !== undefined, "a visit is placed when it has an address");
    const before = this.#placements.get(visit);
    if (visit.openRequests >= visit.connectionsMax) {
      this.remove(visit);
      return;
    }
    const entry = this.#entryOf(address);
    if (before !== undefined && before.entry !== entry) this.remove(visit);
    this.#stand(visit, entry, before?.sinceMs ?? nowMs);
    this.#rekey(entry);
  }

  /** Takes a visit out; its open requests stay counted. Idempotent. */
  remove(visit: HostVisit): void {
    const placement = this.#placements.get(visit);
    if (placement === undefined) return;
    this.#unplace(visit, placement.entry);
    this.#rekey(placement.entry);
  }

  /**
   * The next host to ask, with one request opened on it and on its address. A visit that may have more
   * requests open stays in place, and its gate is armed at once. When it turns out that there is nothing to
   * ask, the request is released with a delay of 0.
   */
  take(nowMs: Millis): HostVisit | undefined {
    this.#forgetRested(nowMs);
    const next = this.#takeInTurn(nowMs);
    if (next !== undefined) return next;
    for (;;) {
      const entry = this.#due.peek();
      const dueAtMs = this.#due.peekKey();
      if (entry === undefined || dueAtMs === undefined || dueAtMs > nowMs) return undefined;
      const isDue = entry.dueAtMs() === dueAtMs;
      if (isDue && entry.mayStart(nowMs)) return this.#openFirst(entry, nowMs);
      if (isDue) entry.lend(notLent);
      this.#rekey(entry);
    }
  }

  /** Opens a request of this visit, where it is the one that its address has next and its time has come. */
  takeThis(visit: HostVisit, nowMs: Millis): boolean {
    const entry = this.#placements.get(visit)?.entry;
    const dueAtMs = entry?.dueAtMs();
    if (entry === undefined || dueAtMs === undefined || dueAtMs > nowMs) return false;
    if (entry.first() !== visit || !entry.mayStart(nowMs)) return false;
    this.#openFirst(entry, nowMs);
    return true;
  }

  /** The address whose turn the visit's latest request took. */
  openedAt(visit: HostVisit): IpAddress {
    const entry = this.#open.get(visit)?.at(-1);
    invariant(entry !== undefined, "a visit that was taken has a request open");
    return entry.address;
  }

  /**
   * Closes one request of the visit and arms the address's clock: counted, like the host's, from when the
   * server has surely seen the request. Does not place the visit again.
   */
  release(visit: HostVisit, end: RequestEnd): void {
    const open = this.#open.get(visit) ?? [];
    const at = open.findIndex(({ address }) => address === end.address);
    const [entry] = at < 0 ? [] : open.splice(at, 1);
    invariant(entry !== undefined, "a request was released that was never taken");
    if (open.length === 0) this.#open.delete(visit);
    visit.requestClosed();
    this.#openRequests -= 1;
    const seenAtMs = end.headAtMs ?? end.finishedAtMs;
    entry.closed(seenAtMs + this.#addressDelayMs(end.delayMs));
    this.#rekey(entry);
    if (entry.isWatched(end.finishedAtMs)) this.#loans?.ended(entry.address);
  }

  /**
   * When {@link take} may next succeed, at the earliest, as long as no request ends and no visit is placed
   * before.
   */
  nextDueAtMs(): Millis | undefined {
    return this.#due.peekKey();
  }

  #openFirst(entry: AddressEntry, nowMs: Millis): HostVisit {
    const visit = entry.first();
    invariant(visit !== undefined, "an address that is due has a host in place");
    visit.turnBegan(nowMs);
    return this.#startRequest(entry, visit, nowMs);
  }

  #takeInTurn(nowMs: Millis): HostVisit | undefined {
    for (const visit of this.#inTurn) {
      this.#inTurn.delete(visit);
      const entry = this.#placements.get(visit)?.entry;
      if (entry?.isOpenFor(visit, nowMs) && visit.mayGoOn(nowMs)) {
        return this.#startRequest(entry, visit, nowMs);
      }
    }
    return undefined;
  }

  #startRequest(entry: AddressEntry, visit: HostVisit, nowMs: Millis): HostVisit {
    visit.requestOpened();
    // Where only one may be open, its end arms the gate, and a request that is not made after all costs no delay.
    if (visit.connectionsMax > 1) visit.gate.opened(nowMs, visit.delayMs);
    entry.opened(nowMs + this.#addressDelayMs(visit.delayMs));
    this.#openRequests += 1;
    const open = this.#open.get(visit);
    if (open === undefined) this.#open.set(visit, [entry]);
    else open.push(entry);

    // Out first, so that it stands behind those that wait for the same moment.
    this.#unplace(visit, entry);
    if (visit.openRequests < visit.connectionsMax) this.#stand(visit, entry, nowMs);
    this.#rekey(entry);
    return visit;
  }

  #stand(visit: HostVisit, entry: AddressEntry, sinceMs: Millis): void {
    this.#placements.set(visit, { entry, sinceMs });
    if (visit.mayGoOn(sinceMs)) this.#inTurn.add(visit);
    entry.place(visit, Math.max(visit.gate.nextFetchAtMs, sinceMs));
  }

  #unplace(visit: HostVisit, entry: AddressEntry): void {
    this.#placements.delete(visit);
    this.#inTurn.delete(visit);
    entry.remove(visit);
  }

  #addressDelayMs(hostDelayMs: Millis): Millis {
    return Math.min(this.#options.addressDelayMs, hostDelayMs);
  }

  #entryOf(address: IpAddress): AddressEntry {
    const known = this.#entries.get(address);
    if (known !== undefined) return known;
    const entry = new AddressEntry(address, this.#loans?.spanOf(address));
    this.#entries.set(address, entry);
    return entry;
  }

  /** Puts an address where its clock, its hosts and its open requests say that it belongs. */
  #rekey(entry: AddressEntry): void {
    const dueAtMs = entry.dueAtMs();
    if (dueAtMs === undefined) this.#due.remove(entry);
    else this.#due.set(entry, dueAtMs);
    if (dueAtMs === undefined && entry.isHeldBack) this.#loans?.wanted(entry.address);
    if (entry.isIdle) this.#resting.set(entry, entry.clockAtMs);
    else this.#resting.remove(entry);
  }

  #forgetRested(nowMs: Millis): void {
    for (let swept = 0; swept < SWEPT_MAX; swept += 1) {
      const restedAtMs = this.#resting.peekKey();
      if (restedAtMs === undefined || restedAtMs > nowMs) return;
      const entry = this.#resting.pop();
      if (entry !== undefined) this.#entries.delete(entry.address);
    }
  }
}
