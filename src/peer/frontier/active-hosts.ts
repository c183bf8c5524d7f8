import type { PolitenessOptions } from "../../core/politeness/politeness-options.ts";
import type { HostName, Millis, SiteName } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store, StoreOp } from "../../ports/store.ts";
import type { FrontierOptions } from "./frontier-options.ts";
import { HeadShares } from "./head-shares.ts";
import { HostLoader } from "./host-loader.ts";
import type { Host } from "./host.ts";
import type { Job } from "../jobs/job-registry.ts";
import type { Journal } from "../durability/journal.ts";

/**
 * The hosts whose queues are in memory, as many as the options allow. One of which nothing may be fetched until a job changes
 * gives its place to the next that wants one: the hosts of a paused job must not keep out those of others.
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
  #hasDisplaced = false;

  constructor(
    ports: { readonly clock: Clock; readonly store: Store },
    journal: Pick<Journal, "append" | "flushed">,
    options: { readonly frontier: FrontierOptions; readonly politeness: PolitenessOptions },
  ) {
    this.#journal = journal;
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
    return this.#max - this.#hosts.size + this.#resting.size;
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

  /** The host's row is in the journal: until that is durable, whoever asks for the host gets this one, active or not. */
  saved(host: Host, durable: Promise<void>): void {
    if (!this.has(host)) this.#loader.hold(host, durable);
  }

  /** False where there is no room. */
  add(host: Host): boolean {
    if (this.#hosts.size >= this.#max && !this.#displace()) return false;
    this.#hosts.set(host.visit.host, host);
    host.visit.queue.setHeadMax(this.#shares.size);
    this.#shares.hostsChanged();
    return true;
  }

  /** Forgets the host; `ops` are written with what its row does not say yet. */
  delete(host: Host, ops: readonly StoreOp[] = []): void {
    this.#resting.delete(host);
    this.#hosts.delete(host.visit.host);
    this.#shares.hostsChanged();
    const all = [...ops, ...host.leave(this.#clock.nowMs())];
    if (all.length > 0) this.saved(host, this.#journal.append(all));
  }

  /** Nothing of the host is under way, and nothing of it may be until a job changes. */
  rest(host: Host): void {
    if (this.has(host)) this.#resting.add(host);
  }

  /** The host may have something to do. */
  rouse(host: Host): void {
    this.#resting.delete(host);
  }

  /** Whether there are hosts with work for this job, and all of them are halted. */
  areHalted(job: Job, nowMs: Millis): boolean {
    let some = false;
    for (const { jobs, visit } of this.values()) {
      if (!jobs.has(job) || visit.queue.liveCount === 0) continue;
      if (visit.gate.hold(nowMs) !== "halted") return false;
      some = true;
    }
    return some;
  }

  /** Whether hosts have given their places away since the last call: they wait on disk. */
  takeDisplaced(): boolean {
    const hasDisplaced = this.#hasDisplaced;
    this.#hasDisplaced = false;
    return hasDisplaced;
  }

  #displace(): boolean {
    const [host] = this.#resting;
    if (!host) return false;
    this.delete(host);
    this.#loader.hold(host, this.#journal.flushed());
    this.#hasDisplaced = true;
    return true;
  }
}
