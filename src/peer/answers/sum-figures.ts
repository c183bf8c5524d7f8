import { sumJobCounts } from "../../core/answers/job-counts.ts";
import type { JobCounts } from "../../core/answers/job-counts.ts";
import { byName } from "../../core/jobs/job-definition.ts";
import { reportedDefinition } from "../../core/answers/reported-definition.ts";
import type { JobTotals, PastTotals, StatsReply } from "../../core/messages/stats-message.ts";
import { roundFigure } from "../../core/round-figure.ts";
import type { JobId, MemberId, Millis } from "../../core/units.ts";
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
  const tellers = tellersOf(answers, rest.past);
  const add = (name: "openRequests" | "queued" | "pagesPerSecond"): number =>
    members.reduce((sum, stats) => sum + stats[name], 0);
  return {
    members,
    silent: rest.silent,
    jobs: byName(jobs).map((job) => jobReport(job, tellers, rest.silent)),
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

/** Who has told of jobs, with what, by the jobs: there may be thousands of them. */
interface Teller {
  readonly member: MemberId;
  readonly totals: ReadonlyMap<JobId, JobTotals & { readonly finished?: boolean }>;
  readonly isPast: boolean;
}

function tellersOf(answers: readonly MemberFigures[], past: readonly PastTotals[]): Teller[] {
  const byJob = (jobs: readonly JobTotals[]): Teller["totals"] =>
    new Map(jobs.map((totals) => [totals.job, totals]));
  return [
    ...answers.map(({ member, reply }) => ({ member, totals: byJob(reply.jobs), isPast: false })),
    ...past.map(({ member, jobs }) => ({ member, totals: byJob(jobs), isPast: true })),
  ];
}

function jobReport(
  { definition }: Job,
  tellers: readonly Teller[],
  silent: readonly MemberId[],
): SwarmJobReport {
  const shares: JobShare[] = [];
  let finished = silent.length === 0;
  for (const { member: peer, totals, isPast } of tellers) {
    const told = totals.get(definition.id);
    if (!told) continue;
    if (told.finished === false) finished = false;
    if (isPast) shares.push({ peer, counts: withoutQueue(told.counts), past: true });
    else shares.push({ peer, counts: told.counts });
  }
  return {
    definition: reportedDefinition(definition, finished),
    counts: sumJobCounts(shares.map(({ counts }) => counts)),
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
