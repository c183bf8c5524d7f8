import { noJob } from "../../../core/messages/activity.ts";
import { jobSpace } from "../../../core/record/url-keys.ts";
import type { JobId } from "../../../core/units.ts";
import type { Frontier } from "../../frontier/frontier.ts";
import { isFinished, type JobRegistry } from "../../jobs/job-registry.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Replicator } from "../replication/replicator.ts";

/** Where there may be something left of a job. */
interface Workplaces {
  readonly exchange: Pick<Exchange, "pendingOf">;
  readonly frontier: Pick<Frontier, "isStalled">;
  /** Whether this peer is to have nothing that it has not, and to lose nothing that it has. */
  readonly isSettled: boolean;
  readonly jobs: Pick<JobRegistry, "find" | "queuedUnheard">;
  readonly replicator: Pick<Replicator, "hasSent">;
}

/**
 * Why the job is not over at this peer; where it is none, why the peer itself is not at rest.
 *
 * @param changedAt the replicator's unit in which something of the job was last written
 */
export function whyBusy(
  id: JobId | typeof noJob,
  changedAt: number,
  at: Workplaces,
): string | undefined {
  if (!at.isSettled) return "arcs are on their way";
  if (id === noJob) return undefined;
  const [job, space] = [at.jobs.find(id), jobSpace(id)];
  if (!job && at.jobs.queuedUnheard(space) > 0) return "URLs are queued of a job not heard of";
  if (job && job.leases > 0) return "URLs are being fetched";
  if (job && !isFinished(job) && !at.frontier.isStalled(job)) return "URLs are queued";
  if (at.exchange.pendingOf(space) > 0) return "URLs are on their way to their owners";
  if (!at.replicator.hasSent(changedAt)) return "changes are on their way to replicas";
  return undefined;
}
