import type { Cancel, Clock } from "../../ports/clock.ts";
import { isRunnable, type Job } from "../jobs/job-registry.ts";
import type { ActiveHosts } from "./active-hosts.ts";
import type { Host } from "./host.ts";

/** Hosts that are roused at once for a request more: some may turn out to have nothing, or no address. */
const rousedMax = 32;

/** Time for those to use it, for each active host. */
const restMsPerHost = 1;

/**
 * A job at its limit of pages has all hosts rest that have nothing else. A request of it that ended without a page lets one
 * more go out, which one host takes: were all of ten thousand placed for it, and taken out again when it is gone, each such
 * end would take a quarter of a second.
 *
 * Invariant: while the job may have requests, all of its hosts are roused in the end.
 */
export class FreedPlaces {
  readonly #clock: Clock;
  readonly #hosts: Pick<ActiveHosts, "resting" | "size">;
  readonly #rouse: (host: Host) => void;
  readonly #rouseAll: () => void;
  readonly #signal: AbortSignal;
  readonly #rousing = new Map<Job, Cancel>();

  constructor(
    clock: Clock,
    hosts: Pick<ActiveHosts, "resting" | "size">,
    events: {
      readonly signal: AbortSignal;
      readonly rouse: (host: Host) => void;
      readonly rouseAll: () => void;
    },
  ) {
    this.#clock = clock;
    this.#hosts = hosts;
    this.#rouse = events.rouse;
    this.#rouseAll = events.rouseAll;
    this.#signal = events.signal;
    events.signal.addEventListener("abort", () => {
      for (const cancel of this.#rousing.values()) cancel();
      this.#rousing.clear();
    });
  }

  /** Whether hosts of the job are still to be roused: those too, then, that have given their places away. */
  isRousing(job: Job): boolean {
    return this.#rousing.has(job);
  }

  /**
   * A lease of the job has ended.
   *
   * @param couldRun whether the job could have another request before
   */
  leaseEnded(job: Job, couldRun: boolean): void {
    // Those that are cut off as the peer stops end after that: no timer may outlive it.
    if (this.#signal.aborted || !isRunnable(job)) return;
    if (couldRun && !this.#rousing.has(job)) return;
    if (this.#hosts.size <= rousedMax) {
      this.#rouseAll();
      return;
    }
    // First: a host that is roused may be sent out at once.
    const some = this.#openHostsOf(job);
    if (!this.#rousing.has(job)) {
      const restMs = this.#hosts.size * restMsPerHost;
      const cancel = this.#clock.call(restMs, () => {
        this.#rousing.delete(job);
        if (isRunnable(job)) this.#rouseAll();
      });
      this.#rousing.set(job, cancel);
    }
    for (const host of some) this.#rouse(host);
  }

  #openHostsOf(job: Job): Host[] {
    const nowMs = this.#clock.nowMs();
    const hosts: Host[] = [];
    for (const host of this.#hosts.resting()) {
      if (host.visit.gate.nextFetchAtMs > nowMs || !host.mayHave(job)) continue;
      hosts.push(host);
      if (hosts.length >= rousedMax) break;
    }
    return hosts;
  }
}
