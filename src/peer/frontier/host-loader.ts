import { HostQueue } from "../../core/frontier/host-queue.ts";
import { HostVisit } from "../../core/frontier/host-visit.ts";
import { believableClocks } from "../../core/politeness/believable-clocks.ts";
import { HostGate } from "../../core/politeness/host-gate.ts";
import type { PolitenessOptions } from "../../core/politeness/politeness-options.ts";
import { hostAddress, hostKey } from "../../core/record/host-keys.ts";
import type { HostAddress } from "../../core/record/host-keys.ts";
import { HostRecord } from "../../core/record/record.pb.ts";
import type { HostName, SiteName } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import type { HeadShares } from "./head-shares.ts";
import { heedRow } from "./host-pace.ts";
import { Host } from "./host.ts";

/** Hosts by their names. */
type Hosts = ReadonlyMap<HostName, Host>;

/** What is known of a host without its row. */
interface Known {
  readonly host: HostName;
  readonly site: SiteName;
  readonly keys: HostAddress;
}

/** Makes hosts from what the database keeps of them; who asks for one that is being read gets the same. */
export class HostLoader {
  readonly #clock: Clock;
  readonly #store: Store;
  readonly #politeness: PolitenessOptions;
  readonly #shares: HeadShares;
  /** Those that are being read, with the batch that they come with. */
  readonly #loading = new Map<HostName, Promise<Hosts>>();
  /**
   * Those whose latest row the database may not have yet, with what tells when it has; and those that were handed out a moment
   * ago.
   */
  readonly #held = new Map<HostName, { readonly host: Host; readonly durable: Promise<void> }>();
  /** Their names, by that: a commit has the rows of many. */
  readonly #heldUntil = new Map<Promise<void>, HostName[]>();
  /** What other members have learnt of hosts, for as long as one that is read may be without it. */
  readonly #heard = new Map<HostName, Set<HostRecord>>();

  constructor(
    ports: { readonly clock: Clock; readonly store: Store },
    politeness: PolitenessOptions,
    shares: HeadShares,
  ) {
    this.#clock = ports.clock;
    this.#store = ports.store;
    this.#politeness = politeness;
    this.#shares = shares;
  }

  /** The hosts of these names: those that are active, and the others as the database has them. */
  async loadAll(
    names: ReadonlyMap<HostName, SiteName>,
    active: Hosts,
  ): Promise<Map<HostName, Host>> {
    const found = new Map<HostName, Host>();
    const missing: [HostName, SiteName][] = [];
    for (const [name, site] of names) {
      const host = active.get(name) ?? this.#held.get(name)?.host;
      if (host) found.set(name, host);
      else missing.push([name, site]);
    }
    if (missing.length === 0) return found;
    for (const batch of await Promise.all(this.#batchesOf(missing))) {
      for (const [name, host] of batch) {
        if (names.has(name) && !found.has(name)) found.set(name, host);
      }
    }
    const handedOut = Promise.resolve();
    // One of those found before may have been dropped meanwhile.
    for (const [name, host] of found) {
      const latest = active.get(name) ?? this.#held.get(name)?.host;
      if (latest) found.set(name, latest);
      else {
        this.heedHeard(host);
        // Who has read it apart, and has waited for the same batch, gets this one too: neither has made it active yet.
        this.hold(host, handedOut);
      }
    }
    return found;
  }

  /** Keeps a host that is not active until its row is durable, and whoever may have read an older one has this instead. */
  hold(host: Host, durable: Promise<void>): void {
    const { host: name } = host.visit;
    // Who crawls it meanwhile may delete the row by which it is found.
    host.waitingRow = undefined;
    this.#held.set(name, { host, durable });
    const known = this.#heldUntil.get(durable);
    if (known) {
      known.push(name);
      return;
    }
    const names = [name];
    this.#heldUntil.set(durable, names);
    const release = (): void => {
      this.#heldUntil.delete(durable);
      for (const one of names) if (this.#held.get(one)?.durable === durable) this.#held.delete(one);
    };
    durable.then(this.#areRead).then(release, release);
  }

  /** What another member has learnt of a host that is not active: until it is durable, the database has an older row. */
  hear(record: HostRecord, durable: Promise<void>): void {
    const name = record.host as HostName;
    const held = this.#held.get(name)?.host;
    if (held) this.heed(held, record);
    const records = this.#heard.get(name) ?? new Set();
    this.#heard.set(name, records.add(record));
    const forget = (): void => {
      records.delete(record);
      if (records.size === 0 && this.#heard.get(name) === records) this.#heard.delete(name);
    };
    void durable.then(this.#areRead).then(forget, forget);
  }

  /** The host is about to be active. */
  heedHeard(host: Host): void {
    for (const record of this.#heard.get(host.visit.host) ?? []) this.heed(host, record);
  }

  heed(host: Host, record: HostRecord): void {
    heedRow(host, record, this.#politeness, this.#clock.nowMs());
  }

  /**
   * Resolves when all that is being read has been. Who began to read before a row was durable may have an older one, and gets
   * it later: with the last of those that it asked for with it.
   */
  readonly #areRead = (): Promise<unknown> => Promise.allSettled(new Set(this.#loading.values()));

  /** What brings these hosts: batches that are under way, and one for all others. */
  #batchesOf(wanted: readonly [HostName, SiteName][]): ReadonlySet<Promise<Hosts>> {
    const fresh = wanted.filter(([name]) => !this.#loading.has(name));
    const batches = new Set(wanted.flatMap(([name]) => this.#loading.get(name) ?? []));
    if (fresh.length === 0) return batches;
    const batch = this.#load(fresh).finally(() => {
      for (const [name] of fresh) this.#loading.delete(name);
    });
    for (const [name] of fresh) this.#loading.set(name, batch);
    return batches.add(batch);
  }

  async #load(names: readonly [HostName, SiteName][]): Promise<Hosts> {
    const hosts = names.map(([host, site]) => ({ host, site, keys: hostAddress(site, host) }));
    const values = await this.#store.getMany(hosts.map(({ keys }) => hostKey("host", keys)));
    return new Map(hosts.map((known, at) => [known.host, this.#newHost(known, values[at])]));
  }

  #newHost({ host, site, keys }: Known, value: Uint8Array | undefined): Host {
    const record = value && HostRecord.decode(value);
    const nowMs = this.#clock.nowMs();
    const kept = record && believableClocks(record, this.#politeness, nowMs);
    const gate = new HostGate(this.#politeness, kept);
    const queue = new HostQueue(this.#shares.size);
    const visit = new HostVisit({ host, site, gate, queue, connectionsMax: 1, delayMs: 0 });
    const made = new Host(visit, record, keys);
    this.heedHeard(made);
    return made;
  }
}
