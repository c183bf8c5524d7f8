import { QueuedRow, type StoredRow } from "../../core/frontier/queued-row.ts";
import { Workbench } from "../../core/frontier/workbench.ts";
import type { PolitenessOptions } from "../../core/politeness/politeness-options.ts";
import type { HostRecord } from "../../core/record/record.pb.ts";
import type { HostName, JobId, Millis, SiteName } from "../../core/units.ts";
import { ArcSet } from "../../core/ring/arc-set.ts";
import { positionOf } from "../../core/ring/ring-position.ts";
import { siteOfHost } from "../../core/url/site-of.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StoreOp } from "../../ports/store.ts";
import { ActiveHosts } from "./active-hosts.ts";
import { AddressTurns } from "./address-turns.ts";
import { ClosedHosts } from "./closed-hosts.ts";
import { FreedPlaces } from "./freed-places.ts";
import type { FrontierEvents, FrontierOptions } from "./frontier-options.ts";
import { HostAddresses } from "../fetching/host-addresses.ts";
import { HostPreparer } from "./host-preparer.ts";
import { Doubts } from "./doubts.ts";
import type { Host } from "./host.ts";
import { isRunnable, jobHold, type Job, type JobRegistry } from "../jobs/job-registry.ts";
import type { Journal } from "../durability/journal.ts";
import type { Lease } from "./lease.ts";
import type { PeerPorts } from "../peer-ports.ts";
import { Pulse } from "../pulse.ts";
import { PutOffUrls } from "./put-off-urls.ts";
import { QueueReader } from "./queue-reader.ts";
import { WaitingHosts } from "./waiting-hosts.ts";

/**
 * The queue of all queued URLs: on disk every entry, in memory the workbench with a bounded head of each active host.
 *
 * The life of a host: the first URL admitted for it makes it active; its head is read from disk, its name resolved, and it
 * is placed on the workbench under its address. When its gate and its address are open, it is taken, one URL is leased
 * from it, and it is placed again. When it runs dry it is dropped, and a host that waits on disk takes its place. One
 * whose jobs are all held back rests, and its place is for others, too; so is that of a host that is closed for long, which
 * waits on disk until it opens.
 *
 * Only hosts of the arcs that this peer crawls are in memory; what the others have queued stays on disk.
 *
 * Of a job that is held back nothing is in memory but that its hosts have something of it. What a cancelled one has queued
 * stays on disk to be told of, and is no work: hosts that have nothing else are forgotten.
 *
 * Invariant: a host has a `waiting` row as long as it may have queue entries of jobs that are not cancelled, so a start finds
 * every host that may have something to do.
 */
export class Frontier {
  /** When the hosts were last asked may be unknown. */
  readonly doubts: Doubts;
  readonly turns: AddressTurns;
  readonly #clock: Clock;
  readonly #jobs: JobRegistry;
  readonly #workbench: Workbench;
  readonly #hosts: ActiveHosts;
  readonly #closed: ClosedHosts;
  readonly #signal: AbortSignal;
  readonly #waiting: WaitingHosts;
  readonly #preparer: HostPreparer;
  readonly #onFailure: (error: unknown) => void;
  /** The arcs whose hosts are crawled here. */
  #crawled = ArcSet.whole;
  readonly #pulse = new Pulse();
  readonly #putOff: PutOffUrls;
  readonly #freed: FreedPlaces;

  constructor(
    ports: Pick<PeerPorts, "clock" | "resolver" | "store">,
    parts: { readonly jobs: JobRegistry; readonly journal: Journal },
    options: { readonly frontier: FrontierOptions; readonly politeness: PolitenessOptions },
    events: FrontierEvents,
  ) {
    const { clock, store } = ports;
    const { jobs, journal } = parts;
    const { politeness } = options;
    const { signal } = events;
    this.#clock = clock;
    this.#jobs = jobs;
    this.#signal = signal;
    this.doubts = new Doubts(clock, (arcs) => this.#prepareWithin(arcs));
    this.#closed = new ClosedHosts(clock, options.frontier.activeHostsMax, {
      signal,
      onOpen: (names, hasForgotten) => this.#bringBack(names, hasForgotten),
    });
    const workbench = new Workbench(politeness);
    this.#workbench = workbench;
    this.turns = new AddressTurns(workbench, clock, politeness, events);
    const onBack = (host: Host): void => this.#preparer.prepare(host);
    const putOff = new PutOffUrls(clock, { signal, onBack });
    this.#putOff = putOff;
    const hosts = new ActiveHosts(ports, { closed: this.#closed, journal }, options, (host) => {
      workbench.remove(host.visit);
      putOff.recall(host);
    });
    this.#hosts = hosts;
    const rouseAll = (): void => this.jobsChanged();
    this.#freed = new FreedPlaces(clock, hosts, { signal, rouse: onBack, rouseAll });
    this.#waiting = new WaitingHosts(
      { store, journal },
      {
        room: () => hosts.room,
        isWanted: (name, position) =>
          this.#crawled.contains(position) && !hosts.get(name) && !this.#closed.has(name),
        mayHaveMore: () => jobs.hasUnread,
        activate: (names) => this.#activate(names),
      },
      events.onFailure,
    );
    this.#preparer = new HostPreparer(
      clock,
      {
        addresses: new HostAddresses(ports, politeness.backoffBaseMs),
        doubts: this.doubts,
        hosts,
        jobs,
        journal,
        putOff,
        reader: new QueueReader(store, parts),
        waiting: this.#waiting,
        workbench,
      },
      { politeness, isCrawled: (host) => this.#isCrawled(host) },
      { ...events, onLeft: () => this.#pulse.fire() },
    );
    this.#onFailure = events.onFailure;
    signal.addEventListener("abort", () => this.#pulse.fire());
  }

  get activeHosts(): number {
    return this.#hosts.size;
  }

  /** Hosts that are kept back, by what does so; see {@link ActiveHosts.countHeld}. */
  countHeld(): ReturnType<ActiveHosts["countHeld"]> {
    return this.#hosts.countHeld(this.#clock.nowMs());
  }

  get openRequests(): number {
    return this.#workbench.openRequests;
  }

  /** Begins to bring in the hosts that wait on disk. */
  start(): void {
    this.doubts.begin();
    void this.#waiting.look();
  }

  /** Crawls these arcs and no others from now on. What is under way in others goes on to its end: {@link Frontier.left}. */
  crawl(arcs: ArcSet): void {
    const gained = arcs.subtract(this.#crawled);
    if (gained.isEmpty && arcs.covers(this.#crawled)) return;
    this.#crawled = arcs;
    this.#closed.keepWithin(arcs);
    this.#pulse.fire();
    for (const host of this.#hosts.values()) {
      // Another member that crawls it, or did so meanwhile, may delete its row.
      host.waitingRow = undefined;
      if (!arcs.contains(host.position)) {
        this.#workbench.remove(host.visit);
        this.#putOff.recall(host);
      } else if (gained.contains(host.position)) host.expectOnDisk();
      this.#preparer.prepare(host);
    }
    if (!gained.isEmpty) this.#waiting.lookAgain();
  }

  /**
   * Resolves when nothing of these arcs is under way or in memory any more; with false when some of it is to be crawled
   * here after all, or the peer stops.
   */
  async left(arcs: ArcSet): Promise<boolean> {
    const isCrawled = (): boolean => !this.#crawled.intersect(arcs).isEmpty;
    const isLeft = (): boolean => {
      for (const host of this.#hosts.values()) if (arcs.contains(host.position)) return false;
      return true;
    };
    await this.#pulse.until(() => this.#signal.aborted || isCrawled() || isLeft());
    return !this.#signal.aborted && !isCrawled();
  }

  /** Whether no other member asks the host. */
  crawls(name: HostName): boolean {
    return this.#crawled.contains(positionOf(siteOfHost(name)));
  }

  /** The active host of this name. */
  hostNamed(name: HostName): Host | undefined {
    return this.#hosts.get(name);
  }

  /** The hosts of these names, active or, where there is no room, for this one use. */
  hostsFor(names: ReadonlyMap<HostName, SiteName>): Promise<Map<HostName, Host>> {
    return this.#hosts.loadAll(names);
  }

  /** The host's row was put into the journal: what it says counts from now on, though the host is not active. */
  saved(host: Host, durable: Promise<void>): void {
    this.#hosts.saved(host, durable);
  }

  /** What another member has learnt of a host, put into the journal with its row, counts from now on. */
  heed(record: HostRecord, durable: Promise<void>): void {
    const host = this.#hosts.heed(record, durable);
    if (host) this.#preparer.prepare(host);
  }

  /** Rows of a queue were put into the journal: a refill that begins after this call flushes the journal first. */
  added(host: Host, rows: readonly StoredRow[]): void {
    if (!this.#isCrawled(host)) return;
    const { host: name, queue } = host.visit;
    const isActive = this.#hosts.has(host);
    const jobs = rows.map(({ job }) => job);
    if (!isActive && this.#closed.queued(name, jobs)) return;
    if (!isActive && !this.#admitActive(host)) {
      this.#waiting.leave();
      return;
    }
    for (const row of rows) {
      host.jobs.add(this.#jobs.get(row.job));
      if (queue.isLeft(row.job, row.key)) continue;
      for (const url of QueuedRow.urlsOf(row)) queue.add(url);
    }
    this.#preparer.prepare(host);
  }

  /** A row of another member's was put into the journal, with the row by which its host is found. */
  arrived(name: HostName, row: StoredRow): void {
    const host = this.#hosts.get(name);
    if (host) {
      host.waitingRow = "written";
      this.added(host, [row]);
    } else if (!this.#closed.queued(name, [row.job])) this.#waiting.lookAgain();
  }

  /** The row by which a start finds the host. */
  keepWaiting(host: Host): readonly StoreOp[] {
    return this.#waiting.keep(host);
  }

  /** What belongs into the batch that ends a lease of the host, where that is all that it has queued. */
  lastEnds(host: Host): readonly StoreOp[] {
    if (!this.#isCrawled(host) || host.isUnread || host.visit.queue.liveCount > 1) return [];
    return [...this.#waiting.forget(host), ...host.leave(this.#clock.nowMs())];
  }

  /** A URL that may be fetched now, if there is one: its host and its address count an open request from here on. */
  take(): Lease | undefined {
    for (;;) {
      const turn = this.turns.take();
      if (!turn) return undefined;
      const { visit, address } = turn;
      const host = this.#hosts.get(visit.host);
      const isOld = host && this.#preparer.isAddressOld(host);
      const url = isOld ? undefined : visit.queue.take(this.#preparer.isRunnable, this.#priorityOf);
      const job = url && this.#jobs.get(url.job);
      if (host && url && job) {
        job.leases += 1;
        return { host, job, url, address };
      }
      // Nothing of it may run now, or not there; it is placed again when something may.
      this.#workbench.remove(visit);
      this.turns.close(turn);
      if (host) this.#preparer.prepare(host);
    }
  }

  nextDueAtMs(): Millis | undefined {
    return this.#workbench.nextDueAtMs();
  }

  /** The lease's request has ended, or none was made; the lease lasts until `putBack` or `settle`. */
  closeRequest({ host, address }: Lease, end?: { headAtMs?: Millis; finishedAtMs: Millis }): void {
    this.turns.close({ visit: host.visit, address }, end);
    this.#preparer.prepare(host);
  }

  /** Ends a lease whose URL stays queued as it was. */
  putBack(lease: Lease): void {
    lease.host.visit.queue.putBack(lease.url);
    this.#leaseEnded(lease);
  }

  /** When the first of the host's URLs comes back, where all are put off. */
  allPutOffUntilMs(name: HostName): Millis | undefined {
    const host = this.#hosts.get(name);
    if (!host) return this.#closed.backAtMs(name);
    return this.#putOff.areAllOf(host) ? this.#putOff.backAtMs(host) : undefined;
  }

  /** Whether others of its host may go before the URL until its time comes. */
  mayPutOff({ host }: Lease): boolean {
    return !this.#signal.aborted && this.#isCrawled(host) && this.#putOff.mayAdd(host);
  }

  /** Ends a lease whose URL stays queued and is not leased again before then; to be asked for just before. */
  putOff(lease: Lease, untilMs: Millis): void {
    this.#putOff.add(lease.host, lease.url, untilMs);
    this.#leaseEnded(lease);
  }

  /** Ends a lease whose row is deleted by the batch that `durable` stands for. */
  settle(lease: Lease, durable: Promise<void>): void {
    const { queue } = lease.host.visit;
    queue.settle(lease.url);
    this.#leaseEnded(lease);
    durable.then(
      () => {
        queue.committed(lease.url);
        this.#preparer.prepare(lease.host);
      },
      // The journal has reported the failure, and the peer is on its way down.
      () => undefined,
    );
  }

  /** Whether nothing of the job can be fetched before halted hosts are let back: then nobody should wait for its end. */
  isStalled(job: Job): boolean {
    if (job.leases > 0 || this.#freed.isRousing(job)) return false;
    if (this.#waiting.mayWait || this.#closed.hasForgotten) return false;
    return this.#hosts.areHalted(job, this.#clock.nowMs());
  }

  /**
   * A job has changed: hosts that had nothing to do may have now. To be called in the same turn: a host with nothing but URLs
   * of a job that is cancelled is forgotten when it is looked at next, which must not be while another job brings it some.
   */
  jobsChanged(): void {
    if (this.#jobs.takeFoundQueued()) {
      for (const host of this.#hosts.values()) host.expectOnDisk();
      this.#waiting.lookAgain();
    }
    for (const host of this.#hosts.values()) this.#preparer.prepare(host);
    if (this.#hosts.takeDisplaced()) this.#waiting.lookAgain();
  }

  readonly #priorityOf = (id: JobId): number => this.#jobs.get(id).definition.options.priority;

  #leaseEnded({ host, job }: Lease): void {
    const wasRunnable = isRunnable(job);
    job.leases -= 1;
    // It may have come to its limit, of which the hosts that came to rest before do not know.
    if (job.leases === 0 && jobHold(job)) for (const one of this.#hosts.values()) one.unloadHeld();
    this.#freed.leaseEnded(job, wasRunnable);
    this.#preparer.prepare(host);
  }

  #admitActive(host: Host): boolean {
    if (!this.#hosts.add(host)) return false;
    // What an earlier time left on disk is found before it is placed.
    host.expectOnDisk();
    return true;
  }

  #isCrawled(host: Host): boolean {
    return this.#crawled.contains(host.position);
  }

  /** Gives the host the pace that its jobs and its robots.txt want now. */
  setPace(host: Host): void {
    this.#preparer.setPace(host);
  }

  #prepareWithin(arcs: ArcSet): void {
    const hosts = [...this.#hosts.values()].filter((host) => arcs.contains(host.position));
    // All of them before the first is placed, which may send out whoever is due.
    for (const host of hosts) this.doubts.heed(host);
    for (const host of hosts) this.#preparer.prepare(host);
  }

  async #activate(names: readonly HostName[]): Promise<void> {
    const sites = new Map<HostName, SiteName>(names.map((name) => [name, siteOfHost(name)]));
    for (const [name, host] of await this.hostsFor(sites)) {
      if (this.#hosts.get(name) || !this.#isCrawled(host)) continue;
      if (this.#admitActive(host)) this.#preparer.prepare(host);
      else this.#leaveOnDisk(name);
    }
  }

  /** In this order: a pass that sees it among the closed ones would pass over it. */
  #leaveOnDisk(name: HostName): void {
    this.#closed.delete(name);
    this.#waiting.leave();
  }

  /** Hosts that had given their places up are open, and there may be others of which nobody knows. */
  async #bringBack(names: readonly HostName[], hasForgotten: boolean): Promise<void> {
    const back = names.slice(0, Math.max(0, this.#hosts.room));
    for (const name of names.slice(back.length)) this.#leaveOnDisk(name);
    try {
      await this.#activate(back);
    } catch (error) {
      this.#onFailure(error);
    }
    if (hasForgotten) this.#waiting.lookAgain();
    else void this.#waiting.look();
  }
}
