import { expect, it } from "vitest";
import { Membership } from "../../../src/core/membership/membership.ts";
import type { Member } from "../../../src/core/membership/member.ts";
import type { MembershipAction } from "../../../src/core/membership/membership-message.ts";
import { lanMembership, localMembership } from "../../../src/core/membership/membership-options.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { memberId, VirtualSwarm } from "./virtual-swarm.ts";

function row(id: string): Member {
  const run = { addresses: [], weight: 1, version: "1", generation: 1, incarnation: 0 };
  return { ...run, id: id as MemberId, role: "active", health: "alive" };
}

it("buries members that somebody has made up as fast as it can probe them", () => {
  const honest = row("honest");
  const madeUp = Array.from({ length: 60 }, (_, at) => row(`made-up-${at}`));
  const membership = new Membership(row("self"), localMembership, () => 0.5);
  const due: { readonly atMs: number; readonly answer: () => MembershipAction[] }[] = [];
  let nowMs = 0;
  const perform = (actions: readonly MembershipAction[]): void => {
    for (const action of actions) {
      if (action.kind !== "send" || action.to !== honest.id) continue;
      const { message } = action;
      if (message.kind !== "ping" && message.kind !== "ping-request") continue;
      const { sequence } = message;
      const { tableHash } = membership;
      const said =
        message.kind === "ping"
          ? ({ kind: "ack", sequence, tableHash, claims: [] } as const)
          : ({ kind: "nack", sequence } as const);
      due.push({ atMs: nowMs + 5, answer: () => membership.receive(honest.id, said, nowMs) });
    }
  };
  perform(membership.start(nowMs));
  const members = [honest, ...madeUp];
  perform(membership.receive(honest.id, { kind: "push-pull", members, reply: true }, nowMs));
  const untilMs = 40_000;
  while (nowMs < untilMs) {
    nowMs = Math.max(nowMs + 1, Math.min(membership.nextWakeAtMs(), due[0]?.atMs ?? Infinity));
    while (due[0] && due[0].atMs <= nowMs) perform(due.shift()?.answer() ?? []);
    perform(membership.tick(nowMs));
  }
  const left = membership.members().filter(({ health }) => health !== "dead");
  expect(left.map(({ id }) => id)).toEqual(["self", "honest"]);
});

/** Has heard from ten members, and by them of sixty others; then nobody says anything any more. */
function newlyJoined() {
  const membership = new Membership(row("self"), localMembership, () => 0.5);
  const met = Array.from({ length: 10 }, (_, at) => row(`met-${at}`));
  const members = [...met, ...Array.from({ length: 60 }, (_, at) => row(`other-${at}`))];
  const helpers: MemberId[][] = [];
  const perform = (actions: readonly MembershipAction[]): void => {
    const sent = actions.filter((action) => action.kind === "send");
    const asked = sent.filter(({ message: { kind } }) => kind === "ping-request");
    if (asked.length > 0) helpers.push(asked.map(({ to }) => to));
  };
  perform(membership.start(0));
  perform(membership.receive("met-0" as MemberId, { kind: "push-pull", members, reply: true }, 0));
  for (const { id } of met) {
    perform(membership.receive(id, { kind: "nack", sequence: 1 }, 0));
  }
  const run = (untilMs: number): void => {
    for (let nowMs = 0; nowMs < untilMs; nowMs = membership.nextWakeAtMs()) {
      perform(membership.tick(nowMs));
    }
  };
  return { helpers, run };
}

it("asks those for help who have said something, since the others may be made up", () => {
  const { helpers, run } = newlyJoined();
  run(2_000);
  expect(helpers.length).toBeGreaterThan(1);
  expect(helpers.flat().filter((id) => !id.startsWith("met-"))).toEqual([]);
});

it("takes it for its own ill health that also those are silent who have said something", () => {
  let buried = 0;
  for (const seed of [1, 2, 3, 4, 5]) {
    const swarm = VirtualSwarm.settled(seed, lanMembership, 30);
    swarm.add(30, 0);
    swarm.run(100);
    // It hears nothing any more, having met a few; what it says is heard.
    swarm.connected = (_, to) => to !== memberId(30);
    swarm.run(20_000);
    buried += swarm.buried.filter((id) => id !== memberId(30)).length;
  }
  // Without the help of those that it has met it was 96.
  expect(buried).toBeLessThan(65);
});
