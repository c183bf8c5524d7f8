import { HostQueue } from "../core/frontier/host-queue.ts";
import { HostVisit } from "../core/frontier/host-visit.ts";
import { HostGate } from "../core/politeness/host-gate.ts";
import type { PolitenessOptions } from "../core/politeness/politeness-options.ts";
import { hostAddress, hostKey } from "../core/record/keys.ts";
import { HostRecord } from "../core/record/record.pb.ts";
import type { HostName, SiteName } from "../core/units.ts";
import type { Store } from "../ports/store.ts";
import type { HeadShares } from "./head-shares.ts";
import { Host } from "./host.ts";

/** Makes hosts from what the database keeps of them; who asks for one that is being read gets the same. */
export class HostLoader {
  readonly #store: Store;
  readonly #politeness: PolitenessOptions;
  readonly #shares: HeadShares;
  readonly #loading = new Map<HostName, Promise<Host>>();

  constructor(store: Store, politeness: PolitenessOptions, shares: HeadShares) {
    this.#store = store;
    this.#politeness = politeness;
    this.#shares = shares;
  }

  /** The hosts of these names: those that are active, and the others as the database has them. */
  async loadAll(
    names: ReadonlyMap<HostName, SiteName>,
    active: ReadonlyMap<HostName, Host>,
  ): Promise<Map<HostName, Host>> {
    const found = new Map<HostName, Host>();
    const missing: [HostName, SiteName][] = [];
    for (const [name, site] of names) {
      const host = active.get(name);
      if (host) found.set(name, host);
      else missing.push([name, site]);
    }
    if (missing.length === 0) return found;
    const loaded = await Promise.all(missing.map(([name, site]) => this.load(name, site)));
    for (const host of loaded) found.set(host.visit.host, host);
    // One of those found before may have been dropped meanwhile.
    for (const [name, host] of found) found.set(name, active.get(name) ?? host);
    return found;
  }

  async load(name: HostName, site: SiteName): Promise<Host> {
    const loading = this.#loading.get(name);
    if (loading) return loading;
    const load = this.#store.get(hostKey("host", hostAddress(site, name))).then((value) => {
      const record = value && HostRecord.decode(value);
      const gate = new HostGate(this.#politeness, record);
      const queue = new HostQueue(this.#shares.size);
      const parts = { host: name, site, gate, queue, connectionsMax: 1, delayMs: 0 };
      return new Host(new HostVisit(parts), record);
    });
    this.#loading.set(name, load);
    try {
      return await load;
    } finally {
      this.#loading.delete(name);
    }
  }
}
