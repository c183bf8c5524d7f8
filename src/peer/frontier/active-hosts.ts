import type { GateHold } from "../../core/politeness/host-gate.ts";
import type { PolitenessOptions } from "../../core/politeness/politeness-options.ts";
import type { HostRecord } from "../../core/record/record.pb.ts";
import type { HostName, Millis, SiteName } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store, StoreOp } from "../../ports/store.ts";
import type { ClosedHosts } from "./closed-hosts.ts";
import type { FrontierOptions } from "./frontier-options.ts";
import { HeadShares } from "./head-shares.ts";
import { HostLoader } from "./host-loader.ts";
import type { Host } from "./host.ts";
import { LongClosed } from "./long-closed.ts";
import { isRunnable, type Job } from "../jobs/job-registry.ts";
import type { Journal } from "../durability/journal.ts";

/**
 * The hosts whose queues are in memory, as many as the options allow. One of which nothing may be fetched until a job changes
 * gives its place to the next that wants one: the hosts of a paused job must not keep out those of others. So does one that
 * is closed for long, as those do that are out of order, or whose URLs are all put off: until it opens it is among the
 * {@link ClosedHosts}.
 *
 * Invariant: at any time there is one object of a host, as far as the database does not have the latest of it.
 */
export class ActiveHosts {
  readonly #max: number;
  readonly #hosts = new Map<HostName, Host>();
  readonly #shares: HeadShares;
  readonly #loader: HostLoader;
  readonly #journal: Pick<Journal, "append" | "flushed">;
  readonly #clock: Clock;
  /** Those that give their places away, who rests longest first. */
  readonly #resting = new Set<Host>();
  readonly #longClosed = new LongClosed();
  readonly #closed: ClosedHosts;
  readonly #onDisplaced: (host: Host) => void;
  /** Those of the hosts that gave their places away as they rested: they wait on disk. */
  readonly #displacedJobs = new Set<Job>();

  constructor(
    ports: { readonly clock: Clock; readonly store: Store },
    parts: { readonly closed: ClosedHosts; readonly journal: Pick<Journal, "append" | "flushed"> },
    options: { readonly frontier: FrontierOptions; readonly politeness: PolitenessOptions },
    onDisplaced: (host: Host) => void,
  ) {
    this.#journal = parts.journal;
    this.#closed = parts.closed;
    this.#onDisplaced = onDisplaced;
    this.#clock = ports.clock;
    this.#max = options.frontier.activeHostsMax;
    this.#shares = new HeadShares(options.frontier, this.#hosts);
    this.#loader = new HostLoader(ports, options.politeness, this.#shares);
  }

  get size(): number {
    return this.#hosts.size;
  }

  /** Hosts that would get a place. */
  get room(): number {
    const closed = Math.min(this.#longClosed.count(this.#clock.nowMs()), this.#closed.room);
    return this.#max - this.#hosts.size + this.#resting.size + closed;
  }

  get(name: HostName): Host | undefined {
    return this.#hosts.get(name);
  }

  has(host: Host): boolean {
    return this.#hosts.has(host.visit.host);
  }

  values(): Iterable<Host> {
    return this.#hosts.values();
  }

  /** The hosts of these names, active or as the database has them. */
  loadAll(names: ReadonlyMap<HostName, SiteName>): Promise<Map<HostName, Host>> {
    return this.#loader.loadAll(names, this.#hosts);
  }

  /**
   * What another member has learnt of a host is in the journal, and counts from now on. Returns the host where it is active.
   */
  heed(record: HostRecord, durable: Promise<void>): Host | undefined {
    const host = this.#hosts.get(record.host as HostName);
    if (host) this.#loader.heed(host, record);
    else this.#loader.hear(record, durable);
    return host;
  }

  /** The host's row is in the journal: until that is durable, whoever asks for the host gets this one, active or not. */
  saved(host: Host, durable: Promise<void>): void {
    if (this.has(host)) return;
    this.#loader.hold(host, durable);
    this.#closed.moved(host);
  }

  /** False where there is no room. */
  add(host: Host): boolean {
    if (this.#hosts.size >= this.#max && !this.#displace()) return false;
    this.#loader.heedHeard(host);
    this.#hosts.set(host.visit.host, host);
    this.#closed.delete(host.visit.host);
    host.visit.queue.setHeadMax(this.#shares.size);
    this.#shares.hostsChanged();
    return true;
  }

  /** Forgets the host; `ops` are written with what its row does not say yet. */
  delete(host: Host, ops: readonly StoreOp[] = []): void {
    this.rouse(host);
    this.#hosts.delete(host.visit.host);
    this.#shares.hostsChanged();
    const all = [...ops, ...host.leave(this.#clock.nowMs())];
    if (all.length > 0) this.saved(host, this.#journal.append(all));
  }

  /** Nothing of the host is under way, and nothing of it may be until a job changes. */
  rest(host: Host): void {
    if (this.has(host)) this.#resting.add(host);
  }

  /** Those that are {@link rest}ing, who rests longest first. */
  resting(): Iterable<Host> {
    return this.#resting;
  }

  /** Nothing of the host is under way, and nothing of it may be until then and until its gate opens; whether that takes long. */
  close(host: Host, opensAtMs: Millis): boolean {
    return this.has(host) && this.#longClosed.add(host, opensAtMs, this.#clock.nowMs());
  }

  /** The host may have something to do. */
  rouse(host: Host): void {
    this.#resting.delete(host);
    this.#longClosed.delete(host);
  }

  /** How many of them each reason keeps back, and how many have given their places up until they open. */
  countHeld(nowMs: Millis): Record<Exclude<GateHold, "politeness"> | "closed", number> {
    const counts = { backoff: 0, breaker: 0, halted: 0, closed: this.#closed.size };
    for (const { visit } of this.values()) {
      const hold = visit.gate.hold(nowMs);
      if (hold !== undefined && hold !== "politeness") counts[hold] += 1;
    }
    return counts;
  }

  /** Whether there are hosts with work for this job, and all of them are halted. */
  areHalted(job: Job, nowMs: Millis): boolean {
    const areOthers = this.#closed.areHalted(job);
    if (areOthers === false) return false;
    let some = areOthers === true;
    for (const host of this.values()) {
      if (!host.mayHave(job)) continue;
      if (host.visit.gate.hold(nowMs) !== "halted") return false;
      some = true;
    }
    return some;
  }

  /**
   * Whether hosts that gave their places away may have something to do now, as a job of theirs is to run again; told once. To
   * look through those of jobs that are over at each change of any job would take seconds where there are tens of thousands.
   */
  takeDisplaced(): boolean {
    const mayRun = [...this.#displacedJobs].some(isRunnable);
    if (mayRun) this.#displacedJobs.clear();
    return mayRun;
  }

  #displace(): boolean {
    const [resting] = this.#resting;
    const closed = resting ? undefined : this.#closedForLongest();
    const host = resting ?? closed?.host;
    if (!host) return false;
    if (closed) this.#closed.add(host, closed.opensAtMs);
    else this.#noteJobs(host);
    this.delete(host, closed ? host.close() : []);
    this.#loader.hold(host, this.#journal.flushed());
    this.#onDisplaced(host);
    return true;
  }

  #noteJobs(host: Host): void {
    for (const job of host.jobs) if (host.mayHave(job)) this.#displacedJobs.add(job);
  }

  #closedForLongest(): LongClosed["last"] {
    const count = this.#longClosed.count(this.#clock.nowMs());
    return count > 0 && this.#closed.room > 0 ? this.#longClosed.last : undefined;
  }
}
