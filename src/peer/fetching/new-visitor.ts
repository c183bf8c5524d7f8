import { addressTryingFetcher } from "./address-trying-fetcher.ts";
import { BodyBudget } from "./body-budget.ts";
import type { Admission } from "../admission/admission.ts";
import { DigestIndex } from "./digest-index.ts";
import type { Frontier } from "../frontier/frontier.ts";
import type { JobRegistry } from "../jobs/job-registry.ts";
import type { Journal } from "../durability/journal.ts";
import type { LeaseLog } from "../durability/lease-log.ts";
import type { Outages } from "./outages.ts";
import { PageFinisher } from "./page-finisher.ts";
import type { PeerOptions } from "../peer-options.ts";
import type { PeerPorts } from "../peer-ports.ts";
import { PriorFetches } from "./prior-fetches.ts";
import type { MissedTime } from "../robots/missed-time.ts";
import { RobotsKeeper } from "../robots/robots-keeper.ts";
import { RobotsVisitor } from "../robots/robots-visitor.ts";
import type { SieveKeeper } from "../admission/sieve-keeper.ts";
import { HostsOfOthers } from "../swarm/answers/hosts-of-others.ts";
import { HolderSearch } from "../swarm/answers/holder-search.ts";
import type { Swarm } from "../swarm/swarm.ts";
import { Visitor } from "./visitor.ts";

/** The visitor of a peer, with what it needs for robots.txt and for finishing pages. */
export function newVisitor(
  given: PeerPorts,
  parts: {
    readonly admission: Admission;
    readonly frontier: Frontier;
    readonly jobs: JobRegistry;
    readonly journal: Journal;
    readonly leases: LeaseLog;
    readonly missed: MissedTime;
    readonly outages: Outages;
    readonly sieve: SieveKeeper;
    readonly swarm: Swarm | undefined;
  },
  options: PeerOptions,
  signal: AbortSignal,
): Visitor {
  const { frontier, leases, outages, swarm } = parts;
  const ports = { ...given, fetcher: addressTryingFetcher(given.fetcher, frontier) };
  const keeper = new RobotsKeeper(ports, parts.missed);
  const others = swarm && newHostsOfOthers(ports, swarm, options, signal);
  const robots = new RobotsVisitor(ports, { ...parts, keeper, others }, options, signal);
  const { peerId } = options;
  const digests = new DigestIndex(ports.archive, ports.store, parts.sieve);
  const heldBytesMax = options.bodies.smallBytesMax;
  const prior = new PriorFetches(ports, { ...parts, heldBytesMax, peerId });
  const visited = swarm?.keeper.visited;
  const finisher = new PageFinisher(ports, { ...parts, digests, peerId, visited });
  const budget = new BodyBudget(options.bodies, options.limits.bodyBytesMax, () => {
    ports.metrics.count("queue_full_total", 1, { queue: "bodies" });
  });
  const visitorParts = { budget, frontier, robots, leases, finisher, outages, prior, swarm };
  return new Visitor(ports, visitorParts, options, signal);
}

function newHostsOfOthers(
  { clock }: PeerPorts,
  { calls, territory, view }: Swarm,
  { swarm }: PeerOptions,
  signal: AbortSignal,
): HostsOfOthers {
  const { replicas } = swarm.cluster;
  const search = new HolderSearch(clock, { territory, view }, replicas, signal);
  return new HostsOfOthers({ calls, search, view });
}
