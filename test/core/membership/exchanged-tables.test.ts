import { describe, expect, it } from "vitest";
import type { Member } from "../../../src/core/membership/member.ts";
import { Membership } from "../../../src/core/membership/membership.ts";
import type { MembershipAction } from "../../../src/core/membership/membership-message.ts";
import { lanMembership } from "../../../src/core/membership/membership-options.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { sampleMember } from "./sample-member.ts";
import { memberId } from "./virtual-swarm.ts";

const self = sampleMember({ id: memberId(0) });
const [one, two, three] = [1, 2, 3].map((number) => sampleMember({ id: memberId(number) })) as [
  Member,
  Member,
  Member,
];

/** So many that tables are exchanged half as often. */
const many = Array.from({ length: 39 }, (_, at) => sampleMember({ id: memberId(at + 1) }));

/** The parts of tables that are sent. */
function tables(actions: readonly MembershipAction[]) {
  return actions.flatMap(({ kind, ...rest }) =>
    kind === "send" && "message" in rest && rest.message.kind === "push-pull"
      ? [{ to: rest.to, members: rest.message.members, reply: rest.message.reply }]
      : [],
  );
}

/** What is told to all of others. */
function told(actions: readonly MembershipAction[]): Member[] {
  const claims = actions.flatMap((action) => (action.kind === "broadcast" ? [action.claim] : []));
  return claims.filter(({ id }) => id !== self.id);
}

/** A member to which another one has sent a table with these. */
function newMembership(members: readonly Member[] = [one, two], random = () => 0.5): Membership {
  const membership = new Membership(self, lanMembership, random);
  membership.start(0);
  membership.receive(one.id, { kind: "push-pull", members, reply: true }, 0);
  return membership;
}

/** The tables that it sends until then, and when; all whom it probes answer. */
function tablesUntil(membership: Membership, untilMs: number) {
  const sent: { readonly atMs: number; readonly to: MemberId; readonly reply: boolean }[] = [];
  for (let nowMs = membership.nextWakeAtMs(); nowMs <= untilMs; nowMs = membership.nextWakeAtMs()) {
    const actions = membership.tick(nowMs);
    sent.push(...tables(actions).map(({ to, reply }) => ({ atMs: nowMs, to, reply })));
    for (const action of actions) {
      if (action.kind !== "send" || action.message.kind !== "ping") continue;
      const { sequence } = action.message;
      const { tableHash } = membership;
      membership.receive(action.to, { kind: "ack", sequence, tableHash, claims: [] }, nowMs);
    }
  }
  return sent;
}

describe("a table of another member", () => {
  it("is answered by the own one where it is no answer itself", () => {
    const membership = newMembership();
    const ask = { kind: "push-pull", members: [one], reply: false } as const;
    const members = membership.members();
    expect(tables(membership.receive(one.id, ask, 1))).toEqual([
      { to: one.id, members, reply: true },
    ]);
  });

  it("is answered by what is right where it is wrong about this one, and by nothing else", () => {
    const membership = newMembership();
    const answersTo = (members: readonly Member[]) =>
      tables(membership.receive(one.id, { kind: "push-pull", members, reply: true }, 1));
    expect(answersTo([one, membership.self])).toEqual([]);
    const doubt: Member = { ...membership.self, health: "suspect" };
    const refuted = [{ ...doubt, health: "alive", incarnation: doubt.incarnation + 1 }];
    expect(answersTo([one, doubt])).toEqual([{ to: one.id, members: refuted, reply: true }]);
  });

  it.each<[string, readonly Member[], Member, boolean]>([
    ["is not known yet", [one], three, true],
    ["is back", [one, three, { ...three, health: "dead" }], { ...three, incarnation: 2 }, true],
    ["runs anew", [one, three], { ...three, generation: 2_000 }, true],
    ["is known", [one, three], three, false],
    ["is known and says something new", [one, three], { ...three, incarnation: 2 }, false],
    ["has left", [one], { ...three, role: "left" }, false],
  ])("makes its sender known to all where that %s", (_, known, sender, isTold) => {
    const membership = newMembership();
    for (const member of known) membership.claims(one.id, [member], 1);
    const table = { kind: "push-pull", members: [sender], reply: true } as const;
    expect(told(membership.receive(sender.id, table, 2))).toEqual(isTold ? [sender] : []);
  });

  it("does not make its sender known where that is who was asked for the swarm, but the next one", () => {
    const membership = new Membership(self, lanMembership, () => 0.5);
    membership.join([one.id], 0);
    const table = { kind: "push-pull", members: [one, two], reply: true } as const;
    expect(told(membership.receive(one.id, table, 1))).toEqual([]);
    expect(told(membership.receive(three.id, { ...table, members: [three] }, 2))).toEqual([three]);
  });
});

describe("a contact", () => {
  it("is asked for its table, and no other one once that has come", () => {
    const membership = new Membership(self, lanMembership, () => 0.5);
    membership.start(0);
    const { self: row } = membership;
    const first = { to: one.id, members: [row], reply: false };
    expect(tables(membership.join([one.id, two.id], 0))).toEqual([first]);
    const next = { atMs: 1_000, to: two.id, reply: false };
    expect(tablesUntil(membership, 1_000)).toEqual([next]);
    membership.receive(two.id, { kind: "push-pull", members: [two], reply: true }, 1_001);
    expect(tablesUntil(membership, 10_000)).toEqual([]);
  });

  it("that is joining too makes it ask the next one at once, and is asked again until one tells of a swarm", () => {
    const membership = new Membership(self, lanMembership, () => 0.5);
    membership.join([one.id, two.id], 0);
    const tableOf = (...members: readonly Member[]) =>
      ({ kind: "push-pull", members, reply: true }) as const;
    const joining: Member = { ...one, role: "joining" };
    const lost: Member = { ...three, health: "dead" };
    membership.receive(one.id, tableOf(joining, lost), 10);
    expect(tablesUntil(membership, 1_500).map(({ atMs, to }) => [atMs, to])).toEqual([
      [10, two.id],
      [1_010, one.id],
    ]);
    membership.receive(one.id, tableOf(joining, two), 1_500);
    expect(tablesUntil(membership, 10_000)).toEqual([]);
  });

  it("is nobody any more to one that begins a swarm itself", () => {
    const membership = new Membership(self, lanMembership, () => 0.5);
    membership.join([one.id], 0);
    membership.setRole("active", 500);
    expect(tablesUntil(membership, 10_000)).toEqual([]);
  });

  it("is whoever probes a member that knows of no swarm", () => {
    const probe = { kind: "ping", sequence: 1, tableHash: 0n, claims: [] } as const;
    const membership = new Membership(self, lanMembership, () => 0.5);
    membership.receive(
      one.id,
      { kind: "push-pull", members: [{ ...one, role: "joining" }], reply: true },
      0,
    );
    membership.receive(two.id, probe, 100);
    expect(tablesUntil(membership, 1_500).map(({ to }) => to)).toContain(two.id);
    const settled = newMembership();
    settled.receive(three.id, probe, 100);
    expect(tablesUntil(settled, 1_500)).toEqual([]);
  });

  it("is not asked by a process that stood still, before it has read what came meanwhile", () => {
    const membership = new Membership(self, lanMembership, () => 0.5);
    membership.join([one.id, two.id], 0);
    expect(tables(membership.tick(5_000))).toEqual([]);
    const dueMs = 5_000 + lanMembership.probeTimeoutMs;
    expect(tablesUntil(membership, dueMs)).toMatchObject([{ atMs: dueMs, to: two.id }]);
  });

  it("is nobody where there is none: that is not tried again and again", () => {
    const membership = new Membership(self, lanMembership, () => 0.5);
    expect(tables(membership.join([self.id], 0))).toEqual([]);
    expect(membership.nextWakeAtMs()).toBe(Infinity);
  });
});

describe("now and then", () => {
  it("anybody who is there is asked for its table", () => {
    const membership = newMembership();
    const asked = tablesUntil(membership, 80_000);
    expect(asked.map(({ atMs, reply }) => [atMs, reply])).toEqual([
      [15_000, false],
      [45_000, false],
      [75_000, false],
    ]);
  });

  it("that is as much rarer as there are more members", () => {
    const asked = tablesUntil(newMembership(many), 150_000);
    expect(asked.map(({ atMs }) => atMs)).toEqual([15_000, 75_000, 135_000]);
  });

  it.each([
    [0, 0],
    [0.3, 1],
    [0.6, 2],
    [0.9, 3],
  ])("any of those that are lost is greeted: at %d the one with the number %i", (share, at) => {
    let drawn = 0.5;
    const lost = [10, 11, 12, 13].map((number) => sampleMember({ id: memberId(number) }));
    const membership = newMembership([one, ...lost], () => drawn);
    membership.claims(
      one.id,
      lost.map((member) => ({ ...member, health: "dead" })),
      1,
    );
    drawn = share;
    const greeted = tablesUntil(membership, 14_999);
    expect(greeted).toEqual([{ atMs: 5_000, to: lost[at]?.id, reply: false }]);
  });
});

describe("word of another table", () => {
  it.each<[string, readonly Member[], Member]>([
    ["who is not known", [one], two],
    ["who is gone", [one, two, { ...two, health: "dead" }], two],
  ])("by one %s counts for nothing", (_, known, sender) => {
    const membership = newMembership([one]);
    for (const member of known) membership.claims(one.id, [member], 1);
    const tableHash = membership.tableHash + 1n;
    const ping = { kind: "ping", sequence: 1, tableHash, claims: [] } as const;
    const sent = [1_000, 3_000].map((nowMs) => tables(membership.receive(sender.id, ping, nowMs)));
    expect(sent).toEqual([[], []]);
  });

  it("has it asked for once in so long as that has to last", () => {
    const membership = newMembership();
    const tableHash = membership.tableHash + 1n;
    const ack = { kind: "ack", sequence: 1, tableHash, claims: [] } as const;
    const sent = [1_000, 2_000, 2_999, 3_000].map((nowMs) =>
      tables(membership.receive(one.id, ack, nowMs)).map(({ to, reply }) => [to, reply]),
    );
    expect(sent).toEqual([[], [[one.id, false]], [], [[one.id, false]]]);
  });

  it("is given as much longer as there are more members", () => {
    const membership = newMembership(many);
    const tableHash = membership.tableHash + 1n;
    const ping = { kind: "ping", sequence: 1, tableHash, claims: [] } as const;
    const counts = [1_000, 2_999, 3_000].map(
      (nowMs) => tables(membership.receive(one.id, ping, nowMs)).length,
    );
    expect(counts).toEqual([0, 0, 1]);
  });
});
