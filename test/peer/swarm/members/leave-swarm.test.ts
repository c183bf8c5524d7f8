import { expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { Member, MemberRole } from "../../../../src/core/membership/member.ts";
import type { MemberId, Millis } from "../../../../src/core/units.ts";
import { leaveSwarm, type LeavingParts } from "../../../../src/peer/swarm/members/leave-swarm.ts";

const [self, other, dead] = ["a", "b", "c"] as [MemberId, MemberId, MemberId];

const leaveMs: Millis = 60_000;

/** How long it waits for one that stays. */
const nobodyStaysMs: Millis = 5_000;

/** How long it looks for those that it has lost. */
const reunionMs: Millis = 5_000;

interface Course {
  readonly role?: MemberRole;
  /** When another one has its copies, when it leaves as well, and from when and until when it is there. */
  readonly copiesMs?: Millis;
  readonly leavesMs?: Millis;
  readonly comesMs?: Millis;
  /** What that one is until it leaves. */
  readonly stays?: MemberRole;
  readonly goesMs?: Millis;
  /** Without the other one it knows of one that went without a word. */
  readonly hasLost?: boolean;
  /** Until when it holds something, and until when arcs are on their way. */
  readonly heldMs?: Millis;
  readonly unsettledMs?: Millis;
  readonly greeted?: Millis[];
}

/** How long a peer takes to leave, and whether it is done: of another one it is told what that does when. */
async function leaves(isHome: boolean, course: Course = {}): Promise<[Millis, boolean]> {
  const { copiesMs = Infinity, leavesMs = Infinity, comesMs = 0, goesMs = Infinity } = course;
  const {
    role = "active",
    stays = "active",
    hasLost = false,
    heldMs = 0,
    unsettledMs = 0,
  } = course;
  const clock = new VirtualClock();
  const startedAtMs = clock.nowMs();
  const sinceMs = () => clock.nowMs() - startedAtMs;
  const isThere = () => sinceMs() >= comesMs && sinceMs() < goesMs;
  const members = () => [
    { id: other, role: sinceMs() < leavesMs ? stays : "leaving", health: "alive" },
    { id: dead, role: "active", health: "dead" },
  ];
  const view = {
    self,
    role,
    get others() {
      return isThere() ? [other] : [];
    },
    get hasLostAny() {
      return hasLost && !isThere();
    },
    members: () => members() as unknown as Member[],
    setRole: () => (view.role = "leaving"),
    greetLost: () => course.greeted?.push(sinceMs()),
  };
  const parts: LeavingParts = {
    view: view as unknown as LeavingParts["view"],
    homecoming: { isDone: isHome },
    territory: {
      get held() {
        return sinceMs() < heldMs ? ArcSet.whole : ArcSet.empty;
      },
    },
    termination: {
      areOthersSettled: () => Promise.resolve(sinceMs() >= copiesMs),
    },
    isSettled: () => isHome && sinceMs() >= unsettledMs,
  };
  const never = new AbortController().signal;
  const isDone = await clock.run(leaveSwarm(clock, parts, leaveMs, never));
  return [sinceMs(), isDone];
}

it("has not handed everything over while what is on its disk alone is not home", async () => {
  expect(await leaves(false)).toEqual([leaveMs, false]);
  expect(await leaves(true)).toEqual([leaveMs, true]);
});

it("has not handed everything over while it holds something, or something is on its way", async () => {
  expect(await leaves(true, { heldMs: Infinity, copiesMs: 0 })).toEqual([leaveMs, false]);
  expect(await leaves(true, { heldMs: 2_000, copiesMs: 0 })).toEqual([2_000, true]);
  expect(await leaves(true, { unsettledMs: 2_000, copiesMs: 0 })).toEqual([2_000, true]);
});

it("stays for as long as it may while one that stays has its copies to make", async () => {
  expect(await leaves(true, { copiesMs: 30_000 })).toEqual([30_000, true]);
});

it("waits for a moment for another one that stays, and no longer", async () => {
  for (const stays of ["active", "joining"] as const) {
    const course = { stays, leavesMs: 10_001 };
    expect(await leaves(true, course)).toEqual([10_000 + nobodyStaysMs, true]);
  }
});

it("is done where it has always been alone, unless it looks for a swarm with what is on its disk", async () => {
  const alone = { comesMs: Infinity, heldMs: Infinity };
  expect(await leaves(false, alone)).toEqual([0, true]);
  expect(await leaves(true, { ...alone, role: "joining" })).toEqual([0, true]);
  expect(await leaves(false, { ...alone, role: "joining" })).toEqual([0, false]);
});

it("is done where the others go before it only if it has passed everything on", async () => {
  const last = { goesMs: 2_000 };
  expect(await leaves(true, last)).toEqual([2_000, true]);
  expect(await leaves(false, last)).toEqual([2_000, false]);
  expect(await leaves(true, { ...last, heldMs: 3_000 })).toEqual([2_000, false]);
});

it("looks for a moment for those that it has lost, and is not done where it does not find them", async () => {
  const greeted: Millis[] = [];
  expect(await leaves(true, { comesMs: Infinity, hasLost: true, greeted })).toEqual([
    reunionMs,
    false,
  ]);
  expect(greeted).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
  const found = { comesMs: 2_000, hasLost: true, heldMs: 3_000, copiesMs: 0 };
  expect(await leaves(true, found)).toEqual([3_000, true]);
});
