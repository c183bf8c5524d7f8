import type { ArcSet } from "../../../core/ring/arc-set.ts";
import type { Frontier } from "../../frontier/frontier.ts";
import type { MixedQueues } from "../replication/mixed-queues.ts";
import type { Holdings } from "./holdings.ts";
import type { Territory } from "./territory.ts";

interface WeedingParts {
  readonly frontier: Pick<Frontier, "left">;
  readonly holdings: Pick<Holdings, "haveDoubles" | "weed">;
  readonly mixed: Pick<MixedQueues, "hasDoubts" | "takeDoubtful">;
  readonly territory: Pick<Territory, "close" | "reopen">;
  /** Resolves when what was being admitted at the call is in the journal, and the journal is flushed. */
  readonly admissionsDone: () => Promise<void>;
}

/**
 * Takes URLs that are queued twice out of the queues that are held here. Both sides of a split have queued them, or one
 * that had no copy did so anew before the copy came back. A visit would find the second entry behind its record; but of
 * a job that is paused, cancelled or at its limit there is none, and each would be listed and counted twice.
 *
 * What is in memory of a queue must not be written on disk by two, so its site is not crawled meanwhile.
 */
export class QueueWeeding {
  readonly #parts: WeedingParts;

  constructor(parts: WeedingParts) {
    this.#parts = parts;
  }

  /** Whether there are sites with queues in which URLs may be twice. */
  get isDue(): boolean {
    return this.#parts.mixed.hasDoubts;
  }

  /** Some of those sites, which are to be weeded now. There may be a hundred thousand, when a partition of a large crawl is over. */
  next(): ArcSet {
    return this.#parts.mixed.takeDoubtful();
  }

  /** @param onClosed called when some sites are not to be crawled any more, for the moment */
  async run(sites: ArcSet, onClosed: () => void): Promise<void> {
    const { admissionsDone, frontier, holdings, territory } = this.#parts;
    const arcs = await holdings.haveDoubles(sites);
    if (arcs.isEmpty) return;
    territory.close(arcs);
    onClosed();
    if (await frontier.left(arcs)) {
      await admissionsDone();
      await holdings.weed(arcs);
    }
    territory.reopen(arcs);
  }
}
