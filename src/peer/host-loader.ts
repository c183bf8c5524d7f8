import { HostQueue } from "../core/frontier/host-queue.ts";
import { HostVisit } from "../core/frontier/host-visit.ts";
import { HostGate } from "../core/politeness/host-gate.ts";
import type { PolitenessOptions } from "../core/politeness/politeness-options.ts";
import { hostAddress, hostKey } from "../core/record/keys.ts";
import { HostRecord } from "../core/record/record.pb.ts";
import type { HostName, SiteName } from "../core/units.ts";
import type { Store } from "../ports/store.ts";
import { Host } from "./host.ts";

/** Makes hosts from what the database keeps of them; who asks for one that is being read gets the same. */
export class HostLoader {
  readonly #store: Store;
  readonly #politeness: PolitenessOptions;
  readonly #headSize: () => number;
  readonly #loading = new Map<HostName, Promise<Host>>();

  constructor(store: Store, politeness: PolitenessOptions, headSize: () => number) {
    this.#store = store;
    this.#politeness = politeness;
    this.#headSize = headSize;
  }

  async load(name: HostName, site: SiteName): Promise<Host> {
    const loading = this.#loading.get(name);
    if (loading) return loading;
    const load = this.#store.get(hostKey("host", hostAddress(site, name))).then((value) => {
      const record = value && HostRecord.decode(value);
      const gate = new HostGate(this.#politeness, record);
      const queue = new HostQueue(this.#headSize());
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
