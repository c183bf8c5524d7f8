import type { Workbench } from "../../core/frontier/workbench.ts";
import type { PolitenessOptions } from "../../core/politeness/politeness-options.ts";
import type { JobId } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StoreOp } from "../../ports/store.ts";
import type { Journal } from "../durability/journal.ts";
import type { HostAddresses } from "../fetching/host-addresses.ts";
import { isRunnable, jobHold, type JobRegistry } from "../jobs/job-registry.ts";
import type { Doubts } from "./doubts.ts";
import type { ActiveHosts } from "./active-hosts.ts";
import type { FrontierEvents } from "./frontier-options.ts";
import { setPace } from "./host-pace.ts";
import type { Host } from "./host.ts";
import type { PutOffUrls } from "./put-off-urls.ts";
import type { QueueReader } from "./queue-reader.ts";
import type { WaitingHosts } from "./waiting-hosts.ts";

interface PreparerParts {
  readonly addresses: HostAddresses;
  readonly doubts: Doubts;
  readonly hosts: ActiveHosts;
  readonly jobs: JobRegistry;
  readonly journal: Pick<Journal, "flushed">;
  readonly putOff: PutOffUrls;
  readonly reader: QueueReader;
  readonly waiting: WaitingHosts;
  readonly workbench: Workbench;
}

/** Does what an active host needs next: reads its head, resolves its name, places it, or lets its place go. */
export class HostPreparer {
  readonly #clock: Clock;
  readonly #parts: PreparerParts;
  readonly #politeness: PolitenessOptions;
  readonly #isCrawled: (host: Host) => boolean;
  readonly #events: FrontierEvents & { readonly onLeft: () => void };

  /** @param events.onLeft called when a host has been forgotten that is not crawled here any more */
  constructor(
    clock: Clock,
    parts: PreparerParts,
    options: {
      readonly politeness: PolitenessOptions;
      readonly isCrawled: (host: Host) => boolean;
    },
    events: FrontierEvents & { readonly onLeft: () => void },
  ) {
    this.#clock = clock;
    this.#parts = parts;
    this.#politeness = options.politeness;
    this.#isCrawled = options.isCrawled;
    this.#events = events;
  }

  readonly isRunnable = (id: JobId): boolean => isRunnable(this.#parts.jobs.get(id));

  /** Of a job that is held back nothing is read: it may have a million URLs, and never run again. */
  readonly #isWanted = (id: JobId): boolean => jobHold(this.#parts.jobs.get(id)) === undefined;

  /**
   * Whether the host, whose turn has come, was placed so long ago that its name may have another address by now: as one that
   * was closed for hours. Not twice in a row, so that its turn comes, however short an answer holds.
   */
  isAddressOld(host: Host): boolean {
    const isOld = !host.wasAddressOld && this.#parts.addresses.isOutdated(host);
    host.wasAddressOld = isOld;
    return isOld;
  }

  prepare(host: Host): void {
    const { addresses, hosts } = this.#parts;
    if (host.preparing || this.#events.signal.aborted) return;
    hosts.rouse(host);
    host.unloadHeld();
    const { queue } = host.visit;
    if (!this.#isCrawled(host)) {
      if (queue.pendingCount === 0) void this.#leave(host);
      return;
    }
    const needsRefill = host.isUnread || queue.refillsNeeded(this.#isWanted).length > 0;
    const ready = !host.isUnread && queue.hasReady(this.isRunnable);
    const needsAddress = ready && addresses.isWanted(host);
    if (needsAddress) this.#parts.workbench.remove(host.visit);
    else if (ready) this.#place(host);
    if (needsRefill || needsAddress) {
      host.preparing = true;
      void this.#prepareSlowly(host);
    } else this.#idle(host, ready);
  }

  /** Gives the host the pace that its jobs and its robots.txt want now. */
  setPace(host: Host): void {
    setPace(host, this.#politeness);
    const { visit } = host;
    if (visit.openRequests >= visit.connectionsMax) this.#parts.workbench.remove(visit);
  }

  async #prepareSlowly(host: Host): Promise<void> {
    const { addresses, reader } = this.#parts;
    try {
      if (host.isUnread) await reader.findJobs(host);
      for (const job of host.visit.queue.refillsNeeded(this.#isWanted))
        await reader.refill(host, job);
      if (host.visit.queue.hasReady(this.isRunnable) && addresses.isWanted(host)) {
        await addresses.find(host, this.#events.signal);
      }
    } catch (error) {
      this.#events.onFailure(error);
      return;
    } finally {
      host.preparing = false;
    }
    this.prepare(host);
  }

  #place(host: Host): void {
    const { visit } = host;
    this.setPace(host);
    this.#parts.doubts.heed(host);
    this.#parts.workbench.place(visit, this.#clock.nowMs());
    this.#events.onDue();
  }

  /**
   * The host's queue is read: where nothing is to be done for long, its place is for others. As long as one of its requests is
   * open, so is the lease of that, which is pending.
   */
  #idle(host: Host, ready: boolean): void {
    const { hosts, putOff, waiting } = this.#parts;
    const { queue } = host.visit;
    const { pendingCount } = queue;
    if (ready || (pendingCount > 0 && !queue.hasWork)) {
      // What is put off comes back from disk with the others.
      const opensAtMs = ready ? 0 : putOff.backAtMs(host);
      if (pendingCount > putOff.countOf(host) || !hosts.close(host, opensAtMs)) return;
    } else if (pendingCount > 0) return;
    else if (queue.hasWork) this.#rest(host);
    else this.#forget(host, waiting.forget(host));
    void waiting.look();
  }

  #rest(host: Host): void {
    this.#parts.workbench.remove(host.visit);
    this.#parts.hosts.rest(host);
  }

  #forget(host: Host, ops?: readonly StoreOp[]): void {
    this.#parts.workbench.remove(host.visit);
    this.#parts.hosts.delete(host, ops);
  }

  /** Forgets a host that is not crawled here any more, once its last changes can be read from the database. */
  async #leave(host: Host): Promise<void> {
    host.preparing = true;
    // Where that fails, the journal has reported it, and the peer is on its way down.
    await this.#parts.journal.flushed().catch(() => undefined);
    host.preparing = false;
    if (!this.#isCrawled(host)) {
      this.#forget(host);
      this.#events.onLeft();
      void this.#parts.waiting.look();
    } else this.prepare(host);
  }
}
