import { stateOf, type Member, type MemberState } from "../core/membership/member.ts";
import type { MemberId } from "../core/units.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { Dispatcher } from "./fetching/dispatcher.ts";
import type { Frontier } from "./frontier/frontier.ts";
import { isFinished, reportOf } from "./jobs/job-registry.ts";
import type { Job, JobRegistry } from "./jobs/job-registry.ts";
import type { Exchange } from "./swarm/exchange/exchange.ts";
import type { Replicator } from "./swarm/replication/replicator.ts";
import type { ReplicaStream } from "./swarm/replication/replica-stream.ts";

/** What the gauges tell of. */
interface Gauged {
  readonly dispatcher: Pick<Dispatcher, "openRequestsMax">;
  readonly frontier: Pick<Frontier, "activeHosts" | "countHeld" | "openRequests">;
  readonly jobs: Pick<JobRegistry, "all">;
  /** Absent where a peer crawls alone. */
  readonly swarm: GaugedSwarm | undefined;
}

interface GaugedSwarm {
  readonly exchange: Pick<Exchange, "pending">;
  readonly replicator: Pick<Replicator, "queuedRows"> & {
    stream(member: MemberId): Pick<ReplicaStream, "isPutOff"> | undefined;
  };
  readonly view: { members(): readonly Pick<Member, "id" | "role" | "health">[] };
}

const jobStates = ["running", "paused", "cancelled", "finished"] as const;
type GaugedJobState = (typeof jobStates)[number];

const memberStates: readonly MemberState[] = [
  "joining",
  "active",
  "suspect",
  "leaving",
  "left",
  "dead",
];

/** Has the peer's gauges set to what is the case, whenever somebody reads them. */
export function setGauges(metrics: Metrics, version: string, gauged: Gauged): void {
  metrics.gauge("info", 1, { version });
  metrics.whenRead(() => {
    setOwn(metrics, gauged);
    if (gauged.swarm) setSwarm(metrics, gauged.swarm);
  });
}

function setOwn(metrics: Metrics, { dispatcher, frontier, jobs }: Gauged): void {
  metrics.gauge("open_requests", frontier.openRequests);
  metrics.gauge("open_requests_max", dispatcher.openRequestsMax);
  metrics.gauge("frontier_active_hosts", frontier.activeHosts);
  for (const [state, count] of Object.entries(frontier.countHeld())) {
    metrics.gauge("frontier_held_hosts", count, { state });
  }
  const all = jobs.all();
  const queued = all.reduce((sum, job) => sum + reportOf(job).counts.queued, 0);
  metrics.gauge("frontier_queued_urls", queued);
  setStates(metrics, "jobs", jobStates, all.map(gaugedStateOf));
}

function setSwarm(metrics: Metrics, { exchange, replicator, view }: GaugedSwarm): void {
  const members = view.members();
  const putOff = members.filter(({ id }) => replicator.stream(id)?.isPutOff);
  metrics.gauge("forward_pending_urls", exchange.pending);
  metrics.gauge("replica_put_off_members", putOff.length);
  metrics.gauge("replica_pending_rows", replicator.queuedRows);
  setStates(metrics, "members", memberStates, members.map(stateOf));
}

/** Of every state how many are in it, so that those in none are seen to be gone. */
function setStates<State extends string>(
  metrics: Metrics,
  name: "jobs" | "members",
  states: readonly State[],
  held: readonly State[],
): void {
  const counts = new Map<State, number>(states.map((state) => [state, 0]));
  for (const state of held) counts.set(state, (counts.get(state) ?? 0) + 1);
  for (const [state, count] of counts) metrics.gauge(name, count, { state });
}

function gaugedStateOf(job: Job): GaugedJobState {
  const { state } = job.definition;
  return state === "running" && isFinished(job) ? "finished" : state;
}
