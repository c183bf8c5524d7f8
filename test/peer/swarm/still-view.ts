import type { MemberId } from "../../../src/core/units.ts";
import { RingBook } from "../../../src/peer/swarm/members/ring-book.ts";
import type { SwarmView } from "../../../src/peer/swarm/members/swarm-view.ts";

/** Two active members as the first of them sees both, for good. A member that is `lost` does not run. */
export function stillView(self: MemberId, other: MemberId, lost?: MemberId): SwarmView {
  const ring = new RingBook({ virtualNodes: 8, hashSeed: 0 }).ringOf([
    { id: self, weight: 1 },
    { id: other, weight: 1 },
  ]);
  return {
    self,
    generation: 1,
    ring,
    futureRing: ring,
    role: "active",
    others: [other],
    isRunning: (member, generation) => member !== lost && generation === 1,
    generationOf: (member) => (member === lost ? undefined : 1),
    setRole: () => undefined,
  };
}
