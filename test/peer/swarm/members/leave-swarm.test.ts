import { expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { Member } from "../../../../src/core/membership/member.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { leaveSwarm, type LeavingParts } from "../../../../src/peer/swarm/members/leave-swarm.ts";

const [self, other] = ["a", "b"].map((id) => id as MemberId) as [MemberId, MemberId];

/** Whether a peer that holds nothing has handed everything over when its time is up, beside one that stays. */
async function leaves(isHome: boolean): Promise<boolean> {
  const clock = new VirtualClock();
  const member = { id: other, role: "active", health: "alive" } as unknown as Member;
  const view = {
    self,
    role: "active",
    others: [other],
    hasLostAny: false,
    members: () => [member],
    setRole: () => undefined,
  } as unknown as LeavingParts["view"];
  const parts: LeavingParts = {
    view,
    homecoming: { isDone: isHome },
    territory: { held: ArcSet.empty },
    // The others have their copies to make still.
    termination: { areOthersSettled: () => Promise.resolve(false) },
    isSettled: () => isHome,
  };
  const never = new AbortController().signal;
  return clock.run(leaveSwarm(clock, parts, 60_000, never));
}

it("has not handed everything over while what is on its disk alone is not home", async () => {
  expect(await leaves(false)).toBe(false);
  expect(await leaves(true)).toBe(true);
});
