import { compareKeys } from "../../../core/record/compare-keys.ts";
import { namedKey } from "../../../core/record/named-keys.ts";
import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { Store } from "../../../ports/store.ts";
import { sieveKeyOfRow, type SieveKeeper } from "../../admission/sieve-keeper.ts";
import type { Journal } from "../../durability/journal.ts";
import type { JobRegistry } from "../../jobs/job-registry.ts";
import { savedGeneration } from "../members/saved-generation.ts";
import { takeCensus } from "./queue-census.ts";

/** The last run in a swarm before one that crawled alone. */
const key = namedKey("meta", "alone-since");

/**
 * Makes all that is queued on disk this peer's own, which crawls alone: also what it has kept for others. To be called at each
 * start; the first one after a run in a swarm counts and mends it all, as that run has counted what the peer held then.
 */
export async function keepAlone(
  store: Store,
  parts: {
    readonly jobs: JobRegistry;
    readonly journal: Journal;
    readonly sieve: SieveKeeper;
  },
): Promise<void> {
  const { jobs, journal, sieve } = parts;
  const [last, known] = [await savedGeneration(store), await store.get(key)];
  if (!last || (known && compareKeys(last, known) === 0)) return;
  jobs.forgetQueued();
  await takeCensus(store, jobs, ArcSet.whole, async ({ counts, waiting, outdated, missing }) => {
    for (const [space, count] of counts) jobs.addQueued(space, count);
    const keys = missing.map((row) => sieveKeyOfRow(row.key));
    for (const { space, words, at } of keys) sieve.sieve.add(space, words, at);
    const puts = missing.map((row) => ({ type: "put", ...row }) as const);
    void journal.append([...waiting, ...outdated, ...puts, ...sieve.log(keys)]);
    if (journal.full) await journal.flushed();
  });
  await journal.append([{ type: "put", key, value: last }]);
}
