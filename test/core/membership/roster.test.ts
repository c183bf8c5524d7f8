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

function newRoster(
  actions = new ActionList(),
  awareness = new Awareness(3),
  onArrival: (id: MemberId) => void = () => undefined,
): Roster {
  return new Roster(sampleMember(), {
    options: lanMembership,
    random: seeded(1),
    awareness,
    announcer: new Announcer(100, 300),
    actions,
    onArrival,
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

describe("what is believed of a member", () => {
  it("is told as a change, with what was believed before, and only where it is another", () => {
    const actions = new ActionList();
    const roster = newRoster(actions);
    const [alive, suspect] = [
      sampleMember({ id: other }),
      sampleMember({ id: other, health: "suspect" }),
    ];
    for (const claim of [alive, alive, suspect]) roster.take(claim, 0);
    const changes = actions.take().filter(({ kind }) => kind === "changed");
    expect(changes).toEqual([
      { kind: "changed", member: alive, before: undefined },
      { kind: "changed", member: suspect, before: alive },
    ]);
  });
});

describe("a member that is new, or back", () => {
  it("is told of as an arrival, and nobody else is", () => {
    const arrivals: MemberId[] = [];
    const arrived = (): MemberId[] => arrivals.splice(0);
    const roster = newRoster(undefined, undefined, (id) => arrivals.push(id));
    roster.take(sampleMember({ id: other }), 0);
    expect(arrived()).toEqual([other]);
    roster.take(sampleMember({ id: other, health: "suspect" }), 1);
    roster.take(sampleMember({ id: other, health: "dead" }), 2);
    expect(arrived()).toEqual([]);
    roster.take(sampleMember({ id: other, incarnation: 2 }), 3);
    expect(arrived()).toEqual([other]);
  });
});

describe("members that come back in great number", () => {
  it("are told of their deaths bit by bit", () => {
    const actions = new ActionList();
    const roster = newRoster(actions);
    const ids = Array.from({ length: 20 }, (_, number) => `back-${number}` as MemberId);
    const toldNow = (): number => actions.take().filter(({ kind }) => kind === "send").length;
    for (const id of ids) roster.take(sampleMember({ id }), 0);
    for (const id of ids) roster.take(sampleMember({ id, health: "dead" }), 1);
    for (const id of ids) roster.take(sampleMember({ id, incarnation: 2 }), 2);
    expect(toldNow()).toBe(16);
    // Of what it had come back from nobody is told who is gone again.
    roster.take(sampleMember({ id: "back-19" as MemberId, health: "dead", incarnation: 3 }), 3);
    roster.tellMore();
    expect(toldNow()).toBe(3);
  });
});

describe("a member that has told something itself", () => {
  it("is met, until it is gone", () => {
    const roster = newRoster();
    roster.take(sampleMember({ id: other }), 0);
    expect(roster.hasMet(other)).toBe(false);
    roster.meet(other);
    expect(roster.hasMet(other)).toBe(true);
    roster.take(sampleMember({ id: other, health: "suspect" }), 1);
    expect(roster.hasMet(other)).toBe(true);
    roster.take(sampleMember({ id: other, health: "dead" }), 1);
    expect(roster.hasMet(other)).toBe(false);
    roster.meet(other);
    expect(roster.hasMet(other)).toBe(false);
  });

  it("is not remembered where it is a stranger", () => {
    const roster = newRoster();
    roster.meet(other);
    roster.take(sampleMember({ id: other }), 0);
    expect(roster.hasMet(other)).toBe(false);
  });

  it("is asked for help before those of whom others told alone", () => {
    const roster = newRoster();
    const ids = ["a", "b", "c", "d", "e", "f"] as MemberId[];
    for (const id of [other, ...ids]) roster.take(sampleMember({ id }), 0);
    for (const id of ids) {
      roster.meet(id);
      expect(roster.helpersFor(other, 1)).toHaveLength(1);
      expect(roster.hasMet(roster.helpersFor(other, 1)[0] as MemberId)).toBe(true);
    }
    expect(new Set(roster.helpersFor(ids[0] as MemberId, 9))).toEqual(
      new Set([other, ...ids.slice(1)]),
    );
  });
});

describe("a suspect", () => {
  const suspect = (incarnation: number): Member =>
    sampleMember({ id: other, health: "suspect", incarnation });
  const deadAtMs = (roster: Roster): number => roster.suspicions.get(other)?.deadAtMs ?? 0;

  it("has its whole time again when it is doubted anew, after a refutation that was not heard here", () => {
    const [roster, fresh] = [newRoster(), newRoster()];
    for (const each of [roster, fresh]) each.take(sampleMember({ id: other }), 0);
    roster.take(suspect(1), 0);
    roster.take(suspect(2), 2_000);
    fresh.take(suspect(2), 2_000);
    const hearsayMs = lanMembership.probeIntervalMs;
    expect(Math.abs(deadAtMs(roster) - deadAtMs(fresh))).toBeLessThan(hearsayMs);
  });

  it("has its whole time again when a later run of it is doubted", () => {
    const [roster, fresh] = [newRoster(), newRoster()];
    for (const each of [roster, fresh]) each.take(sampleMember({ id: other }), 0);
    roster.take(suspect(1), 0);
    for (const each of [roster, fresh]) each.take({ ...suspect(1), generation: 2_000 }, 2_000);
    const hearsayMs = lanMembership.probeIntervalMs;
    expect(Math.abs(deadAtMs(roster) - deadAtMs(fresh))).toBeLessThan(hearsayMs);
  });

  it("has no more time where something else about it is new", () => {
    const roster = newRoster();
    roster.take(sampleMember({ id: other }), 0);
    roster.take(suspect(1), 0);
    const before = deadAtMs(roster);
    roster.take({ ...suspect(1), role: "leaving" }, 2_000);
    expect(deadAtMs(roster)).toBe(before);
  });

  it("loses time by those alone who doubt it as it is", () => {
    const roster = newRoster();
    const accusers = ["a", "b", "c"] as MemberId[];
    for (const id of [other, ...accusers]) roster.take(sampleMember({ id }), 0);
    roster.take(suspect(2), 0, "a" as MemberId);
    const before = deadAtMs(roster);
    roster.take(suspect(1), 1, "b" as MemberId);
    roster.take({ ...suspect(2), health: "alive" }, 1, "c" as MemberId);
    expect(deadAtMs(roster)).toBe(before);
    roster.take(suspect(2), 1, "b" as MemberId);
    expect(deadAtMs(roster)).toBeLessThan(before);
  });

  it("is told of once where it is found silent again and again, and once when it is dead", () => {
    const actions = new ActionList();
    const roster = newRoster(actions);
    const told = (): unknown[] =>
      actions.take().flatMap((action) => (action.kind === "broadcast" ? [action.claim] : []));
    roster.take(sampleMember({ id: other }), 0);
    roster.accuse(other, 1);
    expect(told()).toEqual([suspect(1)]);
    roster.accuse(other, 2);
    expect(told()).toEqual([]);
    roster.bury(other, 3);
    expect(told()).toEqual([{ ...suspect(1), health: "dead" }]);
  });

  it("is asked neither for help nor for its table", () => {
    const roster = newRoster();
    const ids = ["a", "b", "c"] as MemberId[];
    for (const id of [other, ...ids]) roster.take(sampleMember({ id }), 0);
    roster.take(suspect(1), 0);
    expect(roster.someAlive(9).toSorted()).toEqual(ids);
    expect(roster.someAlive(2)).toHaveLength(2);
    expect(new Set(ids.map(() => roster.someAlive(1)[0])).size).toBeGreaterThan(1);
  });

  it("is given no longer than its time where this member finds it silent itself", () => {
    const roster = newRoster();
    roster.take(sampleMember({ id: other }), 0);
    roster.take(suspect(1), 0);
    const before = deadAtMs(roster);
    roster.accuse(other, 1);
    expect(deadAtMs(roster)).toBeLessThanOrEqual(before - lanMembership.probeIntervalMs);
  });
});

describe("a death of somebody unknown", () => {
  it("is news to who is joining alone: the others would teach one another for ever what each has forgotten", () => {
    const roster = newRoster();
    const lost = sampleMember({ id: other, health: "dead" });
    roster.changeSelf({ role: "active" }, 0);
    roster.take(lost, 1);
    expect(roster.table.get(other)).toBeUndefined();
    const arrivals: MemberId[] = [];
    const joining = newRoster(undefined, undefined, (id) => arrivals.push(id));
    joining.take(lost, 1);
    expect([joining.table.get(other), arrivals]).toEqual([lost, []]);
  });

  it("is no doubt about somebody known where a single member tells it", () => {
    const roster = newRoster();
    roster.changeSelf({ role: "active" }, 0);
    roster.takeGently(sampleMember({ id: other, health: "dead" }), 1);
    expect([roster.table.get(other), roster.suspicions.size]).toEqual([undefined, 0]);
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

it("leaves somebody dead of whose death it hears again", () => {
  const roster = newRoster();
  roster.take(sampleMember({ id: other }), 0);
  roster.take(sampleMember({ id: other, health: "dead" }), 1);
  roster.takeGently(sampleMember({ id: other, health: "dead", incarnation: 2 }), 2);
  expect(roster.table.get(other)).toMatchObject({ health: "dead", incarnation: 2 });
});

it("says nothing new of itself where it hears what it has said, now or before", () => {
  const roster = newRoster();
  const first = roster.self;
  roster.changeSelf({ weight: 2 }, 0);
  const { self } = roster;
  for (const claim of [first, self, { ...first, health: "suspect" } as const])
    roster.take(claim, 1);
  expect(roster.self).toBe(self);
});

describe("a member of which ill is spoken", () => {
  it("takes it for a sign that it is slow itself, and refutes it", () => {
    const awareness = new Awareness(3);
    const roster = newRoster(new ActionList(), awareness);
    roster.take(sampleMember({ weight: 2 }), 1);
    expect(awareness.scale(100)).toBe(100);
    roster.take(sampleMember({ health: "suspect", incarnation: 2 }), 2);
    expect(awareness.scale(100)).toBe(200);
    expect(roster.self).toMatchObject({ health: "alive", incarnation: 3 });
  });

  it("counts each death of this run once, and none of an earlier one", () => {
    const actions = new ActionList();
    const roster = newRoster(actions);
    const buried = (): number => actions.take().filter(({ kind }) => kind === "buried").length;
    const dead = sampleMember({ health: "dead" });
    roster.take({ ...dead, generation: dead.generation - 1 }, 1);
    expect(buried()).toBe(0);
    for (const nowMs of [2, 3]) roster.take(dead, nowMs);
    expect(buried()).toBe(1);
    roster.take({ ...dead, incarnation: 2 }, 4);
    expect(buried()).toBe(1);
  });

  it("tells of a later run of itself once, and does not go back for one that is earlier", () => {
    const actions = new ActionList();
    const roster = newRoster(actions);
    const later = sampleMember({ generation: 3_000 });
    roster.changeSelf({}, 0);
    const { self } = roster;
    for (const nowMs of [1, 2]) roster.take(later, nowMs);
    expect(actions.take().filter(({ kind }) => kind === "later-run")).toHaveLength(1);
    expect([roster.self, roster.table.get(self.id)]).toEqual([self, self]);
    roster.outbid(roster.self.generation - 10, 3);
    expect(roster.self.generation).toBe(1_000);
    roster.outbid(3_000, 3);
    expect(roster.self).toMatchObject({ generation: 3_001, incarnation: 0 });
  });

  it("goes on as a later run where no incarnation is left by which to refute that", () => {
    const roster = newRoster();
    const { generation } = roster.self;
    roster.take(sampleMember({ health: "suspect", incarnation: incarnationMax - 1 }), 1);
    expect(roster.self).toMatchObject({ generation, incarnation: incarnationMax });
    roster.take(sampleMember({ health: "suspect", incarnation: incarnationMax }), 2);
    expect(roster.self).toMatchObject({ generation: generation + 1, incarnation: 0 });
  });
});
