import { idOf } from "../../../core/record/id-of.ts";
import { isTerritorial } from "../../../core/record/key-tags.ts";
import { positionOfKey, type RingPosition } from "../../../core/ring/ring-position.ts";
import type { StoreOp } from "../../../ports/store.ts";
import { SiteWrites } from "./site-writes.ts";

/** A key with its {@link idOf}, which is made once for all that is looked up by it. */
export interface NamedKey {
  readonly key: Uint8Array;
  readonly id: string;
}

export function nameKey(key: Uint8Array): NamedKey {
  return { key, id: idOf(key) };
}

/** A row that is being watched, with the latest that is on its way into the database. */
export interface WatchedRow extends NamedKey {
  written: StoreOp | undefined;
}

/** Changes that become visible together. */
interface Commit {
  /** Counts the commits. */
  readonly number: number;
  readonly durable: Promise<void>;
  readonly sites: Set<RingPosition>;
}

/**
 * Tells what a read of the database cannot see: what the journal took in and has not yet made visible, when a row begins to be
 * watched, and what it takes in from then on.
 *
 * Everything that a peer writes comes by here, and little of it is ever asked for: so it is kept by site, and rows are told
 * apart where somebody asks.
 *
 * Invariant: what is read of a row after it began to be watched, or else what is noted as written, is its latest value.
 */
export class RowWatch {
  readonly #watched = new Map<RingPosition, Map<string, WatchedRow[]>>();
  readonly #underWay = new Map<RingPosition, SiteWrites>();
  /** The last one that something was noted of. */
  #commit: Commit | undefined;
  #commits = 0;

  /** Ids of the rows of which the latest is on its way into the database. */
  underWay(): Set<string> {
    const ids = new Set<string>();
    for (const { latest } of this.#underWay.values()) for (const id of latest.keys()) ids.add(id);
    return ids;
  }

  watch(keys: readonly NamedKey[]): WatchedRow[] {
    return keys.map(({ key, id }) => {
      const position = positionOfKey(key);
      const row: WatchedRow = { key, id, written: this.#underWay.get(position)?.latest.get(id) };
      const site = this.#watched.get(position) ?? new Map<string, WatchedRow[]>();
      if (site.size === 0) this.#watched.set(position, site);
      const others = site.get(id);
      if (others) others.push(row);
      else site.set(id, [row]);
      return row;
    });
  }

  unwatch(rows: readonly WatchedRow[]): void {
    for (const row of rows) {
      const position = positionOfKey(row.key);
      const site = this.#watched.get(position);
      const left = site?.get(row.id)?.filter((one) => one !== row) ?? [];
      if (left.length > 0) site?.set(row.id, left);
      else site?.delete(row.id);
      if (site?.size === 0) this.#watched.delete(position);
    }
  }

  /** Called by the journal with each atomic change, and what tells when it is visible: the same for all of one commit. */
  observe(ops: readonly StoreOp[], durable: Promise<void>): void {
    const { number, sites } = this.#commitOf(durable);
    let last: RingPosition | undefined;
    let site: SiteWrites | undefined;
    let watched: ReadonlyMap<string, readonly WatchedRow[]> | undefined;
    for (const op of ops) {
      if (!isTerritorial(op.key)) continue;
      const position = positionOfKey(op.key);
      if (position !== last || !site) {
        site = this.#siteAt(position);
        watched = this.#watched.get(position);
        sites.add(position);
        last = position;
      }
      site.add(op, number);
      if (watched) for (const row of watched.get(idOf(op.key)) ?? []) row.written = op;
    }
  }

  #siteAt(position: RingPosition): SiteWrites {
    const known = this.#underWay.get(position);
    if (known) return known;
    const site = new SiteWrites();
    this.#underWay.set(position, site);
    return site;
  }

  #commitOf(durable: Promise<void>): Commit {
    if (this.#commit?.durable === durable) return this.#commit;
    this.#commits += 1;
    const commit: Commit = { number: this.#commits, durable, sites: new Set() };
    this.#commit = commit;
    durable.then(
      () => this.#forget(commit),
      // The journal has reported the failure, and the peer is on its way down.
      () => undefined,
    );
    return commit;
  }

  #forget(commit: Commit): void {
    if (this.#commit === commit) this.#commit = undefined;
    for (const position of commit.sites) {
      if (this.#underWay.get(position)?.dropUpTo(commit.number) === 0) {
        this.#underWay.delete(position);
      }
    }
  }
}
