import { CrawlError } from "../../core/errors.ts";
import type { PastPageCount } from "../../core/messages/claim.ts";
import { nameOfKey, namedKey, tagRange } from "../../core/record/keys.ts";
import type { JobId, MemberId } from "../../core/units.ts";
import type { Store, StoreOp } from "../../ports/store.ts";

/** Counts that are remembered, over all jobs and members: some 30 MB of the longest names. */
const countsMax = 100_000;

/**
 * How many pages other members have fetched of the jobs whose number of pages is limited, those that are gone included: a
 * job at its limit shall stay there when they have left and this peer was restarted.
 *
 * Invariant: of the counts heard of one member the greatest holds, so they may come in any order, from anyone, and as often
 * as they like.
 */
export class PagesHeard {
  readonly #counts = new Map<string, PastPageCount>();
  /** Names of the rows that the next commit has to carry. */
  readonly #unsaved = new Set<string>();

  async load(store: Store): Promise<void> {
    for await (const { key, value } of store.scan(tagRange("pagesHeard"))) {
      const name = nameOfKey(key);
      const pages = Number(new TextDecoder().decode(value));
      const [job, member] = name.split(" ") as [JobId, MemberId?];
      if (member === undefined || !Number.isSafeInteger(pages)) {
        throw new CrawlError("STORE_CORRUPT", "a count of pages cannot be read", { row: name });
      }
      this.#counts.set(name, { job, member, pages });
    }
  }

  all(): readonly PastPageCount[] {
    return [...this.#counts.values()];
  }

  /** Takes in a count; by how many pages more than before it is. */
  take(count: PastPageCount): number {
    const name = `${count.job} ${count.member}`;
    const before = this.#counts.get(name)?.pages ?? 0;
    if (count.pages <= before || (before === 0 && this.#counts.size >= countsMax)) return 0;
    this.#counts.set(name, count);
    this.#unsaved.add(name);
    return count.pages - before;
  }

  /** Jobs whose limits matter no more make room for the counts of others. */
  forget(isOver: (job: JobId) => boolean): void {
    for (const [name, count] of this.#counts) {
      if (!isOver(count.job)) continue;
      this.#counts.delete(name);
      this.#unsaved.add(name);
    }
  }

  /** Rows for the next commit. */
  takeUnsaved(): readonly StoreOp[] {
    const ops = [...this.#unsaved].map((name): StoreOp => {
      const key = namedKey("pagesHeard", name);
      const count = this.#counts.get(name);
      if (!count) return { type: "del", key };
      return { type: "put", key, value: new TextEncoder().encode(String(count.pages)) };
    });
    this.#unsaved.clear();
    return ops;
  }
}
