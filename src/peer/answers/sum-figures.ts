import { addJobCounts, noJobCounts } from "../../core/answers/job-counts.ts";
import type { JobCounts } from "../../core/answers/job-counts.ts";
import { reportedDefinition } from "../../core/answers/reported-definition.ts";
import type { PastTotals, StatsReply } from "../../core/messages/stats-message.ts";
import { roundFigure } from "../../core/round-figure.ts";
import type { MemberId, Millis } from "../../core/units.ts";
import type {
  JobShare,
  MemberStats,
  SwarmJobReport,
  SwarmStats,
} from "../../ports/peer-control.ts";
import type { Job } from "../jobs/job-registry.ts";

/** What one member said of itself. */
export interface MemberFigures {
  readonly member: MemberId;
  readonly reply: StatsReply;
  /** How long it took to answer. */
  readonly lagMs: Millis;
}

/** Sums what members have said of themselves, and what is remembered of those that said nothing. */
export function sumFigures(
  jobs: readonly Job[],
  answers: readonly MemberFigures[],
  rest: {
    /** Totals of members that are not among `answers`. */
    readonly past: readonly PastTotals[];
    readonly silent: readonly MemberId[];
  },
): SwarmStats {
  const members = answers.map(memberStats);
  const add = (name: "openRequests" | "queued" | "pagesPerSecond"): number =>
    members.reduce((sum, stats) => sum + stats[name], 0);
  return {
    members,
    silent: rest.silent,
    jobs: jobs.map((job) => jobReport(job, answers, rest)),
    openRequests: add("openRequests"),
    queued: add("queued"),
    // A sum of rounded figures is not round itself.
    pagesPerSecond: roundFigure(add("pagesPerSecond")),
  };
}

function memberStats({ member, reply, lagMs }: MemberFigures): MemberStats {
  const { version, upMs, openRequests, activeHosts, pagesPerSecond, jobs } = reply;
  const queued = jobs.reduce((sum, { counts }) => sum + counts.queued, 0);
  return { peer: member, lagMs, version, upMs, openRequests, activeHosts, queued, pagesPerSecond };
}

function jobReport(
  { definition }: Job,
  answers: readonly MemberFigures[],
  rest: { readonly past: readonly PastTotals[]; readonly silent: readonly MemberId[] },
): SwarmJobReport {
  const present = answers.map(({ member, reply }) => ({
    member,
    totals: reply.jobs.find(({ job }) => job === definition.id),
  }));
  const shares: JobShare[] = present.flatMap(({ member, totals }) =>
    totals ? [{ peer: member, counts: totals.counts }] : [],
  );
  for (const { member, jobs } of rest.past) {
    const totals = jobs.find(({ job }) => job === definition.id);
    if (totals) shares.push({ peer: member, counts: withoutQueue(totals.counts), past: true });
  }
  const finished =
    rest.silent.length === 0 && present.every(({ totals }) => totals?.finished ?? true);
  return {
    definition: reportedDefinition(definition, finished),
    counts: shares.reduce((sum, { counts }) => addJobCounts(sum, counts), noJobCounts),
    finished,
    shares,
  };
}

/** What it had queued waits at other members now, and counts there; of a cancelled job it counts as skipped. */
function withoutQueue(counts: JobCounts): JobCounts {
  const skipped = { ...counts.skipped };
  delete skipped.cancelled;
  return { ...counts, skipped, queued: 0 };
}
