import type { ArcSet } from "../../../core/ring/arc-set.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import type { Store } from "../../../ports/store.ts";
import type { Frontier } from "../../frontier/frontier.ts";
import type { Journal } from "../../durability/journal.ts";
import { ArcClaim } from "./arc-claim.ts";
import { ArcTransfer } from "./arc-transfer.ts";
import { BlindClaims } from "./blind-claims.ts";
import type { Holdings } from "./holdings.ts";
import type { Homecoming } from "./homecoming.ts";
import type { JobSpread } from "../jobs/job-spread.ts";
import { Ownership } from "./ownership.ts";
import { QueueWeeding } from "./queue-weeding.ts";
import type { MixedQueues } from "../replication/mixed-queues.ts";
import type { PeerCalls } from "../peer-calls.ts";
import { RangeSync } from "../replication/range-sync.ts";
import type { ReplicaKeeper } from "../replication/replica-keeper.ts";
import type { Replicator } from "../replication/replicator.ts";
import type { SwarmOptions } from "../swarm-options.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Termination } from "../jobs/termination.ts";
import type { Territory } from "./territory.ts";

/** Puts together what brings this peer's holdings into line with the ring. */
export function newOwnership(
  ports: {
    readonly calls: PeerCalls;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly store: Store;
  },
  parts: {
    readonly frontier: Frontier;
    readonly holdings: Holdings;
    readonly homecoming: Homecoming;
    readonly jobs: JobSpread;
    readonly journal: Journal;
    readonly keeper: ReplicaKeeper;
    readonly mixed: MixedQueues;
    readonly replicator: Replicator;
    readonly termination: Pick<Termination, "areOthersHome">;
    readonly territory: Territory;
    readonly view: SwarmView;
    /** Resolves when what is being admitted at the call is in the journal. */
    readonly admissionsDone: () => Promise<void>;
    readonly look: () => void;
  },
  { cluster, ownership }: Pick<SwarmOptions, "cluster" | "ownership">,
  onFailure: (error: unknown) => void,
): Ownership {
  const { frontier, holdings, homecoming, jobs, journal } = parts;
  const sync = new RangeSync(ports, { ...parts, greet: ({ member }) => jobs.exchange(member) });
  const admissionsDone = async (): Promise<void> => {
    await parts.admissionsDone();
    await journal.flushed();
  };
  const transfer = new ArcTransfer(ports, {
    ...parts,
    admissionsDone,
    release: (arcs, hand) => holdings.release(arcs, hand),
    reclaim: (arcs) => {
      frontier.doubts.add(arcs);
      parts.look();
    },
  });
  const blind = new BlindClaims(ports.clock, parts);
  jobs.onHeard(() => {
    blind.hasPast();
    parts.look();
  });
  const take = async (arcs: ArcSet, orphans: ArcSet): Promise<void> => {
    if (await homecoming.hadRows()) blind.hasPast();
    blind.add(orphans);
    await holdings.take(arcs, 0);
  };
  const offer = (arcs: ArcSet): void => homecoming.offer(arcs);
  const claim = new ArcClaim(ports, { ...parts, take, offer }, cluster.replicas);
  const weeding = new QueueWeeding({ ...parts, admissionsDone });
  return new Ownership(
    ports,
    { ...parts, sync, transfer, claim, blind, weeding },
    { replicas: cluster.replicas, ownership },
    { onCrawl: (arcs) => frontier.crawl(arcs), onFailure },
  );
}
