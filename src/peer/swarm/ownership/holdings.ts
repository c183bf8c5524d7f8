import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { Arc } from "../../../core/ring/ring-position.ts";
import { jobSpace } from "../../../core/record/url-keys.ts";
import type { JobId, Millis } from "../../../core/units.ts";
import type { Store } from "../../../ports/store.ts";
import type { Frontier } from "../../frontier/frontier.ts";
import type { JobRegistry } from "../../jobs/job-registry.ts";
import type { Journal } from "../../durability/journal.ts";
import type { Sequence } from "../../durability/sequence.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { countQueued, takeCensus } from "./queue-census.ts";
import type { QueueLook } from "./queue-census.ts";
import type { MixedQueues } from "../replication/mixed-queues.ts";
import type { ReplicaKeeper } from "../replication/replica-keeper.ts";
import type { Territory } from "./territory.ts";

interface HoldingsParts {
  readonly frontier: Frontier;
  readonly jobs: JobRegistry;
  readonly journal: Journal;
  readonly keeper: ReplicaKeeper;
  readonly mixed: MixedQueues;
  readonly sequence: Sequence;
  readonly territory: Territory;
  readonly exchange: () => Exchange;
}

/**
 * What it means for this peer's books that it begins or ends to hold arcs.
 *
 * Invariant: a job's total of queued URLs is the number of those in the rows of its queues, in the arcs that are held;
 * that of a job of which this peer hears later, too.
 */
export class Holdings {
  readonly #store: Store;
  readonly #parts: HoldingsParts;
  readonly #onChange: () => void;

  constructor(store: Store, parts: HoldingsParts, onChange: () => void) {
    this.#store = store;
    this.#parts = parts;
    this.#onChange = onChange;
  }

  /**
   * Begins to hold arcs. Their hosts may have been asked by others, nobody knows when, until `doubtAgeMs` ago; where that is not
   * given, it is known when they were last asked.
   */
  async take(arcs: ArcSet, doubtAgeMs?: Millis): Promise<void> {
    const { exchange, frontier, journal, keeper, mixed, sequence, territory } = this.#parts;
    await keeper.alone(async () => {
      const fresh = arcs.subtract(territory.held);
      await journal.flushed();
      if (await this.#countAll(fresh)) mixed.taken(fresh, sequence.last);
      // Of what was held at two places neither side knows when the other one last asked.
      frontier.doubts.add(arcs.subtract(fresh));
      if (doubtAgeMs !== undefined) frontier.doubts.add(arcs, doubtAgeMs);
      territory.take(fresh);
    });
    await exchange().load(arcs);
    exchange().reroute();
    this.#onChange();
  }

  /** Ends to hold arcs of which nothing is under way any more; `hand` is called when nothing can come in between. */
  async release(arcs: ArcSet, hand: () => void): Promise<void> {
    const { exchange, jobs, journal, keeper, mixed } = this.#parts;
    await keeper.alone(async () => {
      await journal.flushed();
      const counts = await countQueued(this.#store, arcs, (space) => jobs.countsQueued(space));
      for (const [space, count] of counts) jobs.addQueued(space, -count);
      hand();
      mixed.drop(arcs);
      exchange().drop(arcs);
    });
    exchange().reroute();
    this.#onChange();
  }

  /** Those of these sites, each an arc, whose queues have entries that are one too many. */
  async haveDoubles(sites: ArcSet): Promise<ArcSet> {
    const { jobs, journal } = this.#parts;
    await journal.flushed();
    const found: Arc[] = [];
    for (const site of sites.arcs()) {
      let surplus = 0;
      await takeCensus(this.#store, jobs, ArcSet.of([site]), (look) => {
        surplus += surplusOf(look).length;
        return Promise.resolve();
      });
      if (surplus > 0) found.push(site);
    }
    return ArcSet.of(found);
  }

  /** Takes those entries out, of arcs of which nothing is under way. */
  async weed(arcs: ArcSet): Promise<void> {
    const { jobs, journal, keeper } = this.#parts;
    await keeper.alone(async () => {
      await journal.flushed();
      await takeCensus(this.#store, jobs, arcs, (look) => {
        for (const [space, count] of surplusOf(look)) jobs.addQueued(space, -count);
        return this.#mend(look);
      });
    });
  }

  /** Counts on disk what is queued of jobs that are about to be known. */
  async count(ids: readonly JobId[]): Promise<void> {
    const { jobs, journal, keeper, territory } = this.#parts;
    const spaces = new Set(ids.map(jobSpace));
    await keeper.alone(async () => {
      await journal.flushed();
      const counts = await countQueued(this.#store, territory.held, (space) => spaces.has(space));
      for (const space of spaces) jobs.setUnheard(space, counts.get(space) ?? 0);
    });
  }

  /**
   * Counts and mends what is queued in arcs that are about to be held; whether there is something. A little early: a job may
   * count as busy before they are held, never as over. Where it fails nothing counts: whoever offered them does so again.
   */
  async #countAll(arcs: ArcSet): Promise<boolean> {
    const { jobs } = this.#parts;
    let hasFound = false;
    const counted = new Map<number, number>();
    try {
      await takeCensus(this.#store, jobs, arcs, (look) => {
        for (const [space, count] of look.counts) {
          jobs.addQueued(space, count);
          if (jobs.countsQueued(space)) counted.set(space, (counted.get(space) ?? 0) + count);
        }
        hasFound ||= look.allCounts.size > 0;
        return this.#mend(look);
      });
    } catch (error) {
      for (const [space, count] of counted) jobs.addQueued(space, -count);
      throw error;
    }
    return hasFound;
  }

  /** Before the arcs are held: who has a copy of them finds the same when he takes them. */
  async #mend({ waiting, outdated, missing }: QueueLook): Promise<void> {
    const { journal, keeper } = this.#parts;
    void journal.append([...waiting, ...outdated, ...keeper.enter(missing)]);
    if (journal.full) await journal.flushed();
  }
}

/** Entries of each job that are to be taken out. */
function surplusOf({ allCounts, counts }: QueueLook): (readonly [number, number])[] {
  return [...allCounts]
    .map(([space, count]) => [space, count - (counts.get(space) ?? 0)] as const)
    .filter(([, count]) => count > 0);
}
