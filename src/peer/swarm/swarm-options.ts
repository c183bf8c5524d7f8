import { lanMembership } from "../../core/membership/membership-options.ts";
import type { MembershipOptions } from "../../core/membership/membership-options.ts";
import type { Millis } from "../../core/units.ts";
import { defaultClusterOptions, type ClusterOptions } from "./cluster-options.ts";
import { defaultLaneOptions } from "./exchange/forward-lane.ts";
import type { ExchangeOptions } from "./exchange/exchange.ts";
import type { MinorityPolicy } from "./ownership/minority-watch.ts";
import { defaultOwnershipOptions } from "./ownership/ownership-options.ts";
import type { OwnershipOptions } from "./ownership/ownership-options.ts";
import { defaultReplicaStreamOptions } from "./replication/replica-stream.ts";
import type { ReplicaStreamOptions } from "./replication/replica-stream.ts";

/**
 * How long a stopping member of a swarm waits for requests in flight. Shorter than for a peer that crawls alone: of the ten
 * seconds that a stop may take, the replicas and the farewell need up to four.
 */
export const swarmDrainMs: Millis = 5_000;

/** What a peer is told of its place in a swarm. */
export interface SwarmOptions {
  readonly cluster: ClusterOptions;
  /** Addresses of members, one of which is enough to find the swarm; none begins a new one. */
  readonly join: readonly string[];
  /** Share of the ring, 1 for a usual peer. @default 1 */
  readonly weight: number;
  readonly membership: MembershipOptions;
  readonly ownership: OwnershipOptions;
  readonly exchange: ExchangeOptions;
  readonly stream: ReplicaStreamOptions;
  /** Rows on their way to one replica, at which the peer takes up no more work. @default 20_000 */
  readonly queuedRowsMax: number;
  /**
   * What a peer does that sees fewer than half of the members. Crawling on loses no time, and asks hosts twice while the swarm
   * is cut; pausing never does, and stops a swarm that has lost more than half of its members for good, until those are
   * forgotten ({@link MembershipOptions.retentionMs}). @default "crawl"
   */
  readonly minority: MinorityPolicy;
  /** How long an injection waits for the owners of its URLs. @default 30_000 */
  readonly injectTimeoutMs: Millis;
  /** How long a peer that leaves tries to pass on what it holds. @default 60_000 */
  readonly leaveTimeoutMs: Millis;
}

export const defaultSwarmOptions: SwarmOptions = Object.freeze({
  cluster: defaultClusterOptions,
  join: [],
  weight: 1,
  membership: lanMembership,
  ownership: defaultOwnershipOptions,
  exchange: Object.freeze({
    pendingMax: 50_000,
    rowsMax: 200_000,
    sentCacheCapacity: 65_536,
    lane: defaultLaneOptions,
  }),
  stream: defaultReplicaStreamOptions,
  queuedRowsMax: 20_000,
  minority: "crawl",
  injectTimeoutMs: 30_000,
  leaveTimeoutMs: 60_000,
});
