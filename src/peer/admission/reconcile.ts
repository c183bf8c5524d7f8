import type { ExclusionReason } from "../../core/jobs/exclusion.ts";
import { idOf } from "../../core/record/id-of.ts";
import { exclusionSpace, retag } from "../../core/record/url-keys.ts";
import { ExclusionRecord } from "../../core/record/record.pb.ts";
import type { Store, StoreOp } from "../../ports/store.ts";
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
  /** Deletes its exclusion: for the batch that has the URL's row. */
  readonly op: StoreOp;
}

/** What becomes of URLs that are seen for the first time at one of the two places. */
export interface Reconciled {
  readonly candidates: readonly Candidate[];
  readonly lifted: readonly Lifted[];
}

/**
 * A URL may be kept out at one place and let in at another. The second wins, whichever comes first, and if both come
 * together: a URL that is queued is not counted as skipped.
 */
export async function reconcile(
  candidates: readonly Candidate[],
  parts: {
    readonly journal: Pick<Journal, "flushed">;
    readonly sieve: SieveKeeper;
    readonly store: Pick<Store, "getMany">;
  },
): Promise<Reconciled> {
  const doubtful = candidates.filter((one) => mayStandElsewhere(one, parts.sieve));
  if (doubtful.length === 0) return { candidates, lifted: [] };
  await parts.journal.flushed();
  const otherRows = doubtful.map((one) =>
    retag(urlRowKeyOf(one), one.reason ? "url" : "exclusion"),
  );
  const found = await parts.store.getMany(otherRows);
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
      lifted.push({ job: candidate.request.job, reason, op: { type: "del", key } });
    }
  });
  return { candidates: candidates.filter((one) => !dropped.has(one)), lifted };
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
    return merged.has(key) ? [{ job: one.request.job, op: { type: "del", key } }] : [];
  });
  return { candidates: left, lifted: [...lifted.filter(({ op }) => !isKnown(op.key)), ...more] };
}

/** Whether there may be an exclusion of a URL that is let in, or a row of one that is kept out. */
function mayStandElsewhere(candidate: Candidate, { sieve }: SieveKeeper): boolean {
  const { request, reason, links, index } = candidate;
  const { space } = request.job;
  return sieve.mayHave(reason ? space : exclusionSpace(space), links.fingerprints, index * 4);
}
