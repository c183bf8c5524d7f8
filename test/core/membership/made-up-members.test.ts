import { expect, it } from "vitest";
import { Membership } from "../../../src/core/membership/membership.ts";
import type { Member } from "../../../src/core/membership/member.ts";
import type { MembershipAction } from "../../../src/core/membership/membership-message.ts";
import { localMembership } from "../../../src/core/membership/membership-options.ts";
import type { MemberId } from "../../../src/core/units.ts";

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
