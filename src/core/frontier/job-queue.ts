import { invariant } from "../errors.ts";
import { LazyMap } from "../lazy-collections.ts";
import type { JobId } from "../units.ts";
import type { QueuedRow, QueuedUrl } from "./queued-row.ts";
import { everything, isKeyWithin, isWithin, nearer, SortedHead } from "./sorted-head.ts";
import type { Horizon } from "./sorted-head.ts";

/** A range scan under way: what to read, and what happened since it began. */
export interface RefillTicket {
  readonly job: JobId;
  /** URLs up to the one of this id, included, need not be read; an empty id is the start of the queue. */
  readonly after: string;
  /** Weight of the URLs that are worth reading; more are ignored. */
  readonly limit: number;
}

interface RefillState {
  readonly ticket: RefillTicket;
  /** Entries beyond the head that were written since the scan began, so that it may have missed them. */
  readonly added: SortedHead;
  /** Rows of entries whose removal became durable since the scan began, so that it may have seen them. */
  readonly changed: Set<QueuedRow>;
}

/** A head with less than this share of its bound is filled up again. */
const LOW_SHARE = 0.25;

/**
 * One job's queue on one host: a bounded head in memory of what is in the database.
 *
 * An entry of the database is `live` until it is settled. Live entries are either leased, or in the head, or
 * beyond the head's horizon, from where a refill fetches them: a range scan of what lies behind the horizon.
 * The scan sees the database as it was some time ago, so three kinds of changes are remembered while they
 * could contradict it: leases, settled entries until their removal is durable (and, when a scan is under way
 * then, until it has ended), and entries added since it began.
 *
 * Invariant: every live entry up to the head's horizon is in the head or leased; so nothing is ever
 * forgotten, because the horizon only moves on over what a scan and the additions since its beginning both
 * account for.
 */
export class JobQueue {
  #headMax: number;
  readonly #head: SortedHead;
  readonly #leased = new LazyMap<string, QueuedUrl>();
  /** Settled entries whose removal is not durable yet. */
  readonly #settled = new LazyMap<string, QueuedUrl>();
  #refill: RefillState | undefined;

  constructor(headMax: number) {
    this.#headMax = headMax;
    this.#head = new SortedHead(headMax);
  }

  /** Holds so many entries from now on; those of a refill under way are bounded by what it began with. */
  setHeadMax(headMax: number): void {
    this.#headMax = headMax;
    this.#head.setEntriesMax(headMax);
  }

  get heldCount(): number {
    return this.#head.size;
  }

  /**
   * Leases, removals that are not durable yet and a refill under way: as long as there are any, the queue
   * must stay.
   */
  get pendingCount(): number {
    return this.#leased.size + this.#settled.size + (this.#refill === undefined ? 0 : 1);
  }

  /** Entries in the head and leased ones; more than any number where the database has others. */
  get liveCount(): number {
    return this.moreOnDisk ? Infinity : this.#head.size + this.#leased.size;
  }

  get moreOnDisk(): boolean {
    return this.#head.horizon !== everything;
  }

  get needsRefill(): boolean {
    return (
      this.moreOnDisk &&
      this.#refill === undefined &&
      this.#head.weight <= this.#headMax * LOW_SHARE
    );
  }

  /** Whether an entry of this key would be left to a refill: to add it changes nothing. */
  isLeft(key: Uint8Array): boolean {
    return this.#refill === undefined && !isKeyWithin(key, this.#head.horizon);
  }

  add(url: QueuedUrl): void {
    if (this.#leased.has(url.id) || this.#settled.has(url.id)) return;
    this.#admit(url);
  }

  take(): QueuedUrl | undefined {
    const url = this.#head.shift();
    if (url !== undefined) this.#leased.set(url.id, url);
    return url;
  }

  putBack(url: QueuedUrl): void {
    invariant(this.#leased.delete(url.id), "an entry was put back that was not leased");
    this.#admit(url);
  }

  settle(url: QueuedUrl): void {
    invariant(this.#leased.delete(url.id), "an entry was settled that was not leased");
    this.#settled.set(url.id, url);
  }

  committed(url: QueuedUrl): void {
    invariant(this.#settled.delete(url.id), "an entry was committed that was not settled");
    this.#refill?.changed.add(url.row);
  }

  expectOnDisk(): void {
    this.#head.clear();
  }

  beginRefill(job: JobId): RefillTicket {
    invariant(this.#refill === undefined, "a queue has one refill at a time");
    const after = this.#head.horizon;
    invariant(after !== undefined, "a refill begins where the database has more");
    const ticket = { job, after, limit: this.#headMax };
    this.#refill = {
      ticket,
      added: new SortedHead(this.#headMax),
      changed: new Set(),
    };
    return ticket;
  }

  endRefill(ticket: RefillTicket, urls: readonly QueuedUrl[], complete: boolean): void {
    const refill = this.#refill;
    invariant(refill?.ticket === ticket, "a refill ends with the ticket that began it");
    this.#refill = undefined;
    // The head fell back behind the scan's start meanwhile: what the scan found does not join on to it. Else its horizon
    // is where it was, because nothing but a refill moves it on.
    if (!isWithin(ticket.after, this.#head.horizon)) return;

    const behind = urls.filter((url) => !isWithin(url.id, ticket.after));
    this.#head.extend(nearer(reachedBy(ticket, urls, complete), refill.added.horizon));
    const known = this.#rowsInMemory(refill);
    for (const url of refill.added.entries) this.#head.add(url);
    for (const url of behind) {
      if (this.#leased.has(url.id)) continue;
      // From the row that is in memory more may have left than from the one that the scan found.
      const row = known.get(url.row.id) ?? url.row;
      if (row.has(url)) this.#head.add(row === url.row ? url : { ...url, row });
    }
  }

  /** Rows that have a URL in memory, or had one when the scan began. */
  #rowsInMemory({ added, changed }: RefillState): ReadonlyMap<string, QueuedRow> {
    const held = [...this.#head.entries, ...added.entries];
    const underWay = [...this.#leased.values(), ...this.#settled.values()];
    const rows = [...held, ...underWay].map(({ row }) => row);
    return new Map([...rows, ...changed].map((row) => [row.id, row]));
  }

  /** Keeps a live entry in the head, or lets it be found by a refill. */
  #admit(url: QueuedUrl): void {
    if (isWithin(url.id, this.#head.horizon)) this.#head.add(url);
    else this.#refill?.added.add(url);
  }
}

/** Up to where a scan tells of every entry. */
function reachedBy(
  { after }: RefillTicket,
  urls: readonly QueuedUrl[],
  complete: boolean,
): Horizon {
  if (complete) return everything;
  const end = urls.at(-1)?.row.endId ?? after;
  return isWithin(end, after) ? after : end;
}
