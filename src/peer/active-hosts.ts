import type { PolitenessOptions } from "../core/politeness/politeness-options.ts";
import type { HostName, SiteName } from "../core/units.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { FrontierOptions } from "./frontier-options.ts";
import { HeadShares } from "./head-shares.ts";
import { HostLoader } from "./host-loader.ts";
import type { Host } from "./host.ts";

/**
 * The hosts whose queues are in memory, as many as the options allow.
 *
 * Invariant: at any time there is one object of a host, as far as the database does not have the latest of it.
 */
export class ActiveHosts {
  readonly #max: number;
  readonly #hosts = new Map<HostName, Host>();
  readonly #shares: HeadShares;
  readonly #loader: HostLoader;

  constructor(
    ports: { readonly clock: Clock; readonly store: Store },
    options: { readonly frontier: FrontierOptions; readonly politeness: PolitenessOptions },
  ) {
    this.#max = options.frontier.activeHostsMax;
    this.#shares = new HeadShares(options.frontier, this.#hosts);
    this.#loader = new HostLoader(ports, options.politeness, this.#shares);
  }

  get size(): number {
    return this.#hosts.size;
  }

  /** Hosts for which there is a place. */
  get room(): number {
    return this.#max - this.#hosts.size;
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
    if (this.room <= 0) return false;
    this.#hosts.set(host.visit.host, host);
    host.visit.queue.setHeadMax(this.#shares.size);
    this.#shares.hostsChanged();
    return true;
  }

  delete(host: Host): void {
    this.#hosts.delete(host.visit.host);
    this.#shares.hostsChanged();
  }
}
