import type { Ring } from "../../../core/ring/ring.ts";
import type { MemberId } from "../../../core/units.ts";

/** The swarm as this peer sees it now. */
export interface SwarmView {
  readonly self: MemberId;
  /** This run of this peer. */
  readonly generation: number;
  /** Who should hold what: the active members, suspected ones included. */
  readonly ring: Ring;
  /** The ring as it will be when those that are joining have joined. */
  readonly futureRing: Ring;
  /**
   * Members other than this one that run, as far as is known: joining, active, leaving or suspect. Another list whenever
   * one of them comes, goes or starts anew.
   */
  readonly others: readonly MemberId[];
  /** What this peer is in the swarm. */
  readonly role: "joining" | "active" | "leaving" | "left";
  /** Whether this run of the member goes on, as far as is known. */
  isRunning(member: MemberId, generation: number): boolean;
  /** The member's present run; undefined when it does not run. */
  generationOf(member: MemberId): number | undefined;
  setRole(role: "active" | "leaving" | "left"): void;
}
