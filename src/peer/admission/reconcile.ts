import { isOfCountingGuard, type ExclusionReason } from "../../core/jobs/exclusion.ts";
import { idOf } from "../../core/record/id-of.ts";
import { exclusionSpace, retag } from "../../core/record/url-keys.ts";
import { ExclusionRecord } from "../../core/record/record.pb.ts";
import { keptOutFor } from "../../core/replication/url-lattice.ts";
import type { Store } from "../../ports/store.ts";
import { urlRowKeyOf, type Candidate } from "./candidate.ts";
import type { Job } from "../jobs/job-registry.ts";
import type { Journal } from "../durability/journal.ts";
import type { MergedUrls } from "./merged-urls.ts";
import type { SieveKeeper } from "./sieve-keeper.ts";

/** A URL that was kept out so far, and is let in. */
export interface Lifted {
  readonly job: Job;
  /** Why it counts as skipped here; absent where it was another member that kept it out. */
  readonly reason?: ExclusionReason;
  /** Of the row that kept it out: its exclusion, which goes with the batch that has the URL's row, or that row itself. */
  readonly key: Uint8Array;
}

/** What becomes of URLs that are seen for the first time at one of the two places. */
export interface Reconciled {
  readonly candidates: readonly Candidate[];
  readonly lifted: readonly Lifted[];
}

interface ReconcileParts {
  readonly journal: Pick<Journal, "flushed">;
  readonly sieve: SieveKeeper;
  readonly store: Pick<Store, "getMany">;
}

/**
 * A URL may be kept out at one place and let in at another. The second wins, whichever comes first, and if both come
 * together: a URL that is queued is not counted as skipped. And one that a guard which counts has kept out may be named as
 * a seed later.
 *
 * @param knownSeeds those that are not seen for the first time
 */
export async function reconcile(
  candidates: readonly Candidate[],
  knownSeeds: readonly Candidate[],
  parts: ReconcileParts,
): Promise<Reconciled> {
  const doubtful = candidates.filter((one) => mayStandElsewhere(one, parts.sieve));
  if (doubtful.length + knownSeeds.length === 0) return { candidates, lifted: [] };
  await parts.journal.flushed();
  const { dropped, lifted } = await besideOthers(doubtful, parts);
  const seeds = await keptOutByCount(knownSeeds, parts);
  const left = candidates.filter((one) => !dropped.has(one));
  return { candidates: [...left, ...seeds.candidates], lifted: [...lifted, ...seeds.lifted] };
}

/** What becomes of those that may stand elsewhere. */
async function besideOthers(
  doubtful: readonly Candidate[],
  { store }: Pick<ReconcileParts, "store">,
): Promise<{ readonly dropped: ReadonlySet<Candidate>; readonly lifted: readonly Lifted[] }> {
  const otherRows = doubtful.map((one) =>
    retag(urlRowKeyOf(one), one.reason ? "url" : "exclusion"),
  );
  const found = await store.getMany(otherRows);
  const letIn = new Set(doubtful.flatMap((one) => (one.reason ? [] : [idOf(urlRowKeyOf(one))])));
  const lifted: Lifted[] = [];
  const dropped = new Set<Candidate>();
  otherRows.forEach((key, at) => {
    const candidate = doubtful[at];
    const value = found[at];
    if (candidate?.reason) {
      if (value || letIn.has(idOf(key))) dropped.add(candidate);
    } else if (candidate && value) {
      const reason = ExclusionRecord.decode(value).reason as ExclusionReason;
      lifted.push({ job: candidate.request.job, reason, key });
    }
  });
  return { dropped, lifted };
}

/** Those of these seeds, each once, that are known as kept out by a guard that counts, which holds for no seed. */
async function keptOutByCount(
  seeds: readonly Candidate[],
  { store }: Pick<ReconcileParts, "store">,
): Promise<Reconciled> {
  const byId = Map.groupBy(seeds, (one) => idOf(urlRowKeyOf(one)));
  const asked = [...byId.values()].flatMap((same) => same.slice(0, 1));
  const values = await store.getMany(asked.map(urlRowKeyOf));
  const candidates: Candidate[] = [];
  const lifted: Lifted[] = [];
  asked.forEach((one, at) => {
    const value = values[at];
    const reason = value && keptOutFor(value);
    if (!isOfCountingGuard(reason)) return;
    candidates.push(one);
    lifted.push({ job: one.request.job, reason, key: urlRowKeyOf(one) });
  });
  return { candidates, lifted };
}

/**
 * What is left of that when rows of other members have come in since the look-up. A URL whose record came in is known, and
 * that may say more than that it is queued; its exclusion was lifted with it.
 */
export function withoutMerged(
  { candidates, lifted }: Reconciled,
  merged: Pick<MergedUrls, "has" | "isEmpty">,
): Reconciled {
  if (merged.isEmpty) return { candidates, lifted };
  const isKnown = (rowKey: Uint8Array): boolean => merged.has(retag(rowKey, "url"));
  const left = candidates.filter((one) => {
    const key = urlRowKeyOf(one);
    return !isKnown(key) && !merged.has(key);
  });
  const more = left.flatMap((one): Lifted[] => {
    const key = retag(urlRowKeyOf(one), "exclusion");
    return merged.has(key) ? [{ job: one.request.job, key }] : [];
  });
  return { candidates: left, lifted: [...lifted.filter(({ key }) => !isKnown(key)), ...more] };
}

/** Whether there may be an exclusion of a URL that is let in, or a row of one that is kept out. */
function mayStandElsewhere(candidate: Candidate, { sieve }: SieveKeeper): boolean {
  const { request, reason, links, index } = candidate;
  const { space } = request.job;
  return sieve.mayHave(reason ? space : exclusionSpace(space), links.fingerprints, index * 4);
}
