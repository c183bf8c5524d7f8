import { invariant } from "../errors.ts";
import type { IpAddress, Millis } from "../units.ts";
import { BinaryHeap } from "./binary-heap.ts";
import type { HostVisit } from "./host-visit.ts";

/**
 * One IP address of the workbench: its clock, its open requests, and the hosts in place on it.
 *
 * Hosts stand in one heap for each number of connections that is allowed to them, since with some requests open the
 * address is closed for hosts that allow fewer, yet open for those that allow more. There are as many numbers as jobs
 * choose different ones: one, as a rule.
 */
export class AddressEntry {
  readonly address: IpAddress;
  readonly #hosts = new Map<number, BinaryHeap<HostVisit>>();
  #clockAtMs: Millis = 0;
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

  place(visit: HostVisit, connectionsMax: number, atMs: Millis): void {
    let heap = this.#hosts.get(connectionsMax);
    if (heap === undefined) {
      heap = new BinaryHeap();
      this.#hosts.set(connectionsMax, heap);
    }
    heap.set(visit, atMs);
  }

  remove(visit: HostVisit, connectionsMax: number): void {
    const heap = this.#hosts.get(connectionsMax);
    heap?.remove(visit);
    if (heap?.size === 0) this.#hosts.delete(connectionsMax);
  }

  /** The host that is next, among those that the open requests leave room for. */
  first(): HostVisit | undefined {
    return this.#firstHeap()?.peek();
  }

  /** When the next request may start; absent where one must end first, or no host is in place. */
  dueAtMs(): Millis | undefined {
    const hostAtMs = this.#firstHeap()?.peekKey();
    return hostAtMs === undefined ? undefined : Math.max(hostAtMs, this.#clockAtMs);
  }

  /** A request starts; the next one may not start before `untilMs`. */
  opened(untilMs: Millis): void {
    this.#openRequests += 1;
    this.#clockAtMs = Math.max(this.#clockAtMs, untilMs);
  }

  /** A request ended; the next one may not start before `untilMs`. */
  closed(untilMs: Millis): void {
    invariant(this.#openRequests > 0, "an address closed a request that it never opened");
    this.#openRequests -= 1;
    this.#clockAtMs = Math.max(this.#clockAtMs, untilMs);
  }

  #firstHeap(): BinaryHeap<HostVisit> | undefined {
    let first: BinaryHeap<HostVisit> | undefined;
    let firstAtMs = Infinity;
    for (const [connectionsMax, heap] of this.#hosts) {
      const atMs = heap.peekKey() ?? Infinity;
      if (connectionsMax <= this.#openRequests || atMs >= firstAtMs) continue;
      first = heap;
      firstAtMs = atMs;
    }
    return first;
  }
}
