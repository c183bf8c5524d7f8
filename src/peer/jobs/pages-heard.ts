import { CrawlError } from "../../core/errors.ts";
import type { PastPageCount } from "../../core/messages/claim.ts";
import { nameOfKey, namedKey } from "../../core/record/named-keys.ts";
import { tagRange } from "../../core/record/key-ranges.ts";
import type { JobId, MemberId } from "../../core/units.ts";
import type { Store, StoreOp } from "../../ports/store.ts";

/** Counts that are remembered, over all jobs and members: some 40 MB of the longest names. */
const countsMax = 100_000;

/** So many more can be told within a second, after which there is room for others again. */
const roomMin = 1_000;

/**
 * How many pages other members have fetched of the jobs whose number of pages is limited, those that are gone included: a
 * job at its limit shall stay there when they have left and this peer was restarted.
 *
 * Invariant: of the counts heard of one member the greatest holds, so they may come in any order, from anyone, and as often
 * as they like.
 */
export class PagesHeard {
  readonly #counts = new Map<MemberId, Map<JobId, PastPageCount>>();
  #size = 0;
  /** Pages by the names of the rows that the next commit has to carry; none where the row is to go. */
  readonly #unsaved = new Map<string, number | undefined>();

  async load(store: Store): Promise<void> {
    for await (const { key, value } of store.scan(tagRange("pagesHeard"))) {
      const name = nameOfKey(key);
      const pages = Number(new TextDecoder().decode(value));
      const [job, member] = name.split(" ") as [JobId, MemberId?];
      if (member === undefined || !Number.isSafeInteger(pages)) {
        throw new CrawlError("STORE_CORRUPT", "a count of pages cannot be read", { row: name });
      }
      this.#set({ job, member, pages });
    }
  }

  /** The counts of these members, whatever is taken in or forgotten while they are read; others cost a look a member. */
  *of(isOne: (member: MemberId) => boolean): Generator<PastPageCount, void, undefined> {
    for (const [member, counts] of this.#counts) {
      for (const count of counts.values()) {
        if (!isOne(member)) break;
        yield count;
      }
    }
  }

  /** Takes in a count; by how many pages more than before it is. */
  take(count: PastPageCount): number {
    const before = this.#counts.get(count.member)?.get(count.job)?.pages ?? 0;
    if (count.pages <= before || (before === 0 && this.#size >= countsMax)) return 0;
    this.#set(count);
    this.#unsaved.set(nameOf(count), count.pages);
    return count.pages - before;
  }

  /** Whether more may come soon than there is room for. */
  get isFull(): boolean {
    return this.#size > countsMax - roomMin;
  }

  /** A job whose counts matter no more makes room for those of others. */
  forget(job: JobId): void {
    for (const [member, counts] of this.#counts) {
      const count = counts.get(job);
      if (!count) continue;
      counts.delete(job);
      this.#size -= 1;
      this.#unsaved.set(nameOf(count), undefined);
      if (counts.size === 0) this.#counts.delete(member);
    }
  }

  /** Rows for the next commit. */
  takeUnsaved(): readonly StoreOp[] {
    const ops = Array.from(this.#unsaved, ([name, pages]): StoreOp => {
      const key = namedKey("pagesHeard", name);
      if (pages === undefined) return { type: "del", key };
      return { type: "put", key, value: new TextEncoder().encode(String(pages)) };
    });
    this.#unsaved.clear();
    return ops;
  }

  #set(count: PastPageCount): void {
    const counts = this.#counts.get(count.member) ?? new Map<JobId, PastPageCount>();
    if (!counts.has(count.job)) this.#size += 1;
    this.#counts.set(count.member, counts.set(count.job, count));
  }
}

function nameOf({ job, member }: PastPageCount): string {
  return `${job} ${member}`;
}
