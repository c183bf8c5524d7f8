import { expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { Member } from "../../../../src/core/membership/member.ts";
import type { MemberId, Millis } from "../../../../src/core/units.ts";
import { leaveSwarm, type LeavingParts } from "../../../../src/peer/swarm/members/leave-swarm.ts";

const [self, other] = ["a", "b"].map((id) => id as MemberId) as [MemberId, MemberId];

const leaveMs: Millis = 60_000;

/** How long it waits for one that stays. */
const nobodyStaysMs: Millis = 5_000;

/** How long a peer that holds nothing takes to leave, and whether it is done: of another one it is told what that does when. */
async function leaves(
  isHome: boolean,
  { copiesMs = Infinity, leavesMs = Infinity } = {},
): Promise<[Millis, boolean]> {
  const clock = new VirtualClock();
  const startedAtMs = clock.nowMs();
  const roleNow = () => (clock.nowMs() < startedAtMs + leavesMs ? "active" : "leaving");
  const member = (): Member =>
    ({ id: other, role: roleNow(), health: "alive" }) as unknown as Member;
  const view = {
    self,
    role: "active",
    others: [other],
    hasLostAny: false,
    members: () => [member()],
    setRole: () => undefined,
  } as unknown as LeavingParts["view"];
  const parts: LeavingParts = {
    view,
    homecoming: { isDone: isHome },
    territory: { held: ArcSet.empty },
    termination: {
      areOthersSettled: () => Promise.resolve(clock.nowMs() >= startedAtMs + copiesMs),
    },
    isSettled: () => isHome,
  };
  const never = new AbortController().signal;
  const isDone = await clock.run(leaveSwarm(clock, parts, leaveMs, never));
  return [clock.nowMs() - startedAtMs, isDone];
}

it("has not handed everything over while what is on its disk alone is not home", async () => {
  expect(await leaves(false)).toEqual([leaveMs, false]);
  expect(await leaves(true)).toEqual([leaveMs, true]);
});

it("stays for as long as it may while one that stays has its copies to make", async () => {
  expect(await leaves(true, { copiesMs: 30_000 })).toEqual([30_000, true]);
});

it("waits for a moment for another one that stays, and no longer", async () => {
  expect(await leaves(true, { leavesMs: 10_001 })).toEqual([10_000 + nobodyStaysMs, true]);
});
