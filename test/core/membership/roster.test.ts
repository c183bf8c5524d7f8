import { describe, expect, it } from "vitest";
import { ActionList } from "../../../src/core/membership/action-list.ts";
import { Announcer } from "../../../src/core/membership/announcer.ts";
import { Awareness } from "../../../src/core/membership/awareness.ts";
import { stateOf } from "../../../src/core/membership/member.ts";
import type { Member } from "../../../src/core/membership/member.ts";
import { lanMembership } from "../../../src/core/membership/membership-options.ts";
import { incarnationMax } from "../../../src/core/membership/read-member.ts";
import { Roster } from "../../../src/core/membership/roster.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { seeded } from "../../support/seeded.ts";
import { sampleMember } from "./sample-member.ts";

const other = "peer-2" as MemberId;

function newRoster(actions = new ActionList()): Roster {
  return new Roster(sampleMember(), {
    options: lanMembership,
    random: seeded(1),
    awareness: new Awareness(3),
    announcer: new Announcer(100, 300),
    actions,
    onArrival: () => undefined,
  });
}

/** What a member is told that is first believed to be `before`, and then `after`. */
function toldTo(before: Partial<Member>, after: Partial<Member>): unknown[] {
  const actions = new ActionList();
  const roster = newRoster(actions);
  roster.take(sampleMember({ id: other }), 0);
  roster.take(sampleMember({ id: other, ...before }), 1);
  roster.take(sampleMember({ id: other, ...after }), 2);
  return actions.take().flatMap((action) => (action.kind === "send" ? [action] : []));
}

describe("a member that has come back", () => {
  it("is told of its death, which it may have heard of as a doubt alone", () => {
    const death = sampleMember({ id: other, health: "dead" });
    const message = { kind: "ack", sequence: 0, claims: [death] };
    expect(toldTo({ health: "dead" }, { incarnation: 2 })).toMatchObject([{ to: other, message }]);
  });

  it.each([
    ["was suspected alone", { health: "suspect" }, { incarnation: 2 }],
    ["runs anew", { health: "dead" }, { generation: 2_000, incarnation: 0 }],
    ["left, and runs anew", { role: "left" }, { generation: 2_000, incarnation: 0 }],
    ["had left", { role: "left" }, { incarnation: 2 }],
    ["is dead still", { health: "dead" }, { health: "dead", incarnation: 2 }],
  ] as const)("is told nothing where it %s", (_, before, after) => {
    expect(toldTo(before, after)).toEqual([]);
  });
});

describe("what a single member tells", () => {
  it.each([
    ["a death, for a doubt alone", { health: "dead" }, "suspect"],
    [
      "that somebody has left, whatever was thought of it",
      { health: "dead", role: "left" },
      "left",
    ],
  ] as const)("is taken where it is %s", (_, claim, state) => {
    const roster = newRoster();
    roster.take(sampleMember({ id: other }), 0);
    roster.takeGently(sampleMember({ id: other, ...claim }), 1);
    const member = roster.table.get(other);
    expect(member && stateOf(member)).toBe(state);
    expect(member?.health).toBe(state === "left" ? "dead" : "suspect");
  });
});

describe("a member of which ill is spoken", () => {
  it("goes on as a later run where no incarnation is left by which to refute that", () => {
    const roster = newRoster();
    const { generation } = roster.self;
    roster.take(sampleMember({ health: "suspect", incarnation: incarnationMax - 1 }), 1);
    expect(roster.self).toMatchObject({ generation, incarnation: incarnationMax });
    roster.take(sampleMember({ health: "suspect", incarnation: incarnationMax }), 2);
    expect(roster.self).toMatchObject({ generation: generation + 1, incarnation: 0 });
  });
});
