import { describe, expect, it } from "vitest";
import type { Member } from "../../../src/core/membership/member.ts";
import { Membership } from "../../../src/core/membership/membership.ts";
import type { MembershipAction } from "../../../src/core/membership/membership-message.ts";
import { lanMembership } from "../../../src/core/membership/membership-options.ts";
import { sampleMember } from "./sample-member.ts";
import { memberId } from "./virtual-swarm.ts";

const self = sampleMember({ id: memberId(0) });
const [first, second, third] = [1, 2, 3].map((number) => sampleMember({ id: memberId(number) }));
const others = [first, second] as readonly [Member, Member];

/** Whom a member sends what, but for its broadcasts. */
function sent(actions: readonly MembershipAction[]) {
  return actions.flatMap((action) =>
    action.kind === "send" ? [{ to: action.to, ...action.message }] : [],
  );
}

/** A member to which one of two others has sent its table. */
function newMembership(): Membership {
  const membership = new Membership(self, lanMembership, () => 0.5);
  membership.start(0);
  membership.receive(others[0].id, { kind: "push-pull", members: others, reply: true }, 0);
  return membership;
}

describe("a member that joins", () => {
  it("asks so many contacts as it remembers, the first of them, and never itself", () => {
    const membership = new Membership(self, lanMembership, () => 0.5);
    const contacts = Array.from({ length: 20 }, (_, number) => memberId(number));
    const asked = sent(membership.join(contacts, 0)).map(({ to }) => to);
    for (let nowMs = 1_000; nowMs < 30_000; nowMs += 1_000) {
      asked.push(...sent(membership.tick(nowMs)).map(({ to }) => to));
    }
    expect(new Set(asked)).toEqual(new Set(contacts.slice(1, 17)));
  });
});

describe("a broadcast", () => {
  const stranger = sampleMember({ id: memberId(9) });
  const said = [stranger, third] as readonly Member[];

  it("of a stranger tells of that one alone", () => {
    const membership = newMembership();
    membership.claims(stranger.id, said, 1);
    expect([membership.member(stranger.id), membership.member(memberId(3))]).toEqual([
      stranger,
      undefined,
    ]);
  });

  it("of a stranger tells of all where it is not known yet who is a member", () => {
    const membership = new Membership(self, lanMembership, () => 0.5);
    membership.join([others[0].id], 0);
    membership.claims(stranger.id, said, 1);
    expect(membership.member(memberId(3))).toEqual(third);
  });
});

describe("a member that is asked to probe another one", () => {
  const request = { kind: "ping-request", sequence: 7, claims: [] } as const;

  it("hands on what that one says of itself, under the number of the question", () => {
    const membership = newMembership();
    const question = { ...request, target: others[1].id };
    const [ping] = sent(membership.receive(others[0].id, question, 1));
    expect(ping).toMatchObject({ to: others[1].id, kind: "ping" });
    const sequence = ping && "sequence" in ping ? ping.sequence : -1;
    const claims = [{ ...others[1], incarnation: 5 }];
    const { tableHash } = membership;
    const ack = { kind: "ack", sequence, tableHash, claims } as const;
    expect(sent(membership.receive(others[1].id, ack, 2))).toMatchObject([
      { to: others[0].id, kind: "ack", sequence: 7, claims },
    ]);
  });

  it.each([
    ["nobody that it knows", memberId(3)],
    ["itself", self.id],
  ])("says at once that it cannot where that is %s", (_, target) => {
    expect(sent(newMembership().receive(others[0].id, { ...request, target }, 1))).toEqual([
      { to: others[0].id, kind: "nack", sequence: 7 },
    ]);
  });
});

describe("a member", () => {
  it("tells of itself as it starts", () => {
    const membership = new Membership(self, lanMembership, () => 0.5);
    const { self: row } = membership;
    expect(membership.start(0)).toEqual([
      { kind: "changed", member: row, before: undefined },
      { kind: "broadcast", claim: row },
    ]);
  });

  it("cannot go back to an earlier role", () => {
    const membership = newMembership();
    membership.setRole("leaving", 1);
    expect(() => membership.setRole("active", 2)).toThrow("cannot become active");
  });

  it.each([
    ["itself", self.id],
    ["somebody of whom it does not know", memberId(9)],
  ])("does not probe %s", (_, id) => {
    expect(sent(newMembership().broken(id, 1))).toEqual([]);
  });

  it("probes nobody where it is alone", () => {
    const membership = new Membership(self, lanMembership, () => 0.5);
    membership.start(0);
    for (let nowMs = 0; nowMs < 10_000; nowMs = membership.nextWakeAtMs()) {
      expect(sent(membership.tick(nowMs))).toEqual([]);
    }
  });

  it("probes no more members at a time than it has room for", () => {
    const membership = newMembership();
    const ids = Array.from({ length: 300 }, (_, at) => memberId(100 + at));
    membership.claims(
      others[0].id,
      ids.map((id) => sampleMember({ id })),
      1,
    );
    expect(ids.flatMap((id) => sent(membership.broken(id, 1)))).toHaveLength(256);
  });

  it("doubts nobody more for what it may have missed while it was stopped, and is more patient then", () => {
    const membership = newMembership();
    const known = [{ ...others[1], health: "suspect" } as const, sampleMember({ id: memberId(3) })];
    membership.claims(others[0].id, known, 1);
    membership.tick(60_000);
    membership.broken(others[0].id, 60_000);
    const asked: number[] = [];
    for (let nowMs = 60_000; nowMs < 62_000; nowMs = membership.nextWakeAtMs()) {
      const messages = sent(membership.tick(nowMs));
      if (messages.some(({ kind }) => kind === "ping-request")) asked.push(nowMs);
    }
    expect([asked[0], membership.member(others[1].id)?.health]).toEqual([60_300, "suspect"]);
  });

  it("says nothing new of itself where nothing of it has changed", () => {
    const membership = newMembership();
    const { self: before } = membership;
    expect(membership.setParticulars({ weight: before.weight }, 1)).toEqual([]);
    expect(membership.setParticulars({ weight: 2 }, 1)).not.toEqual([]);
    expect(membership.self.incarnation).toBe(before.incarnation + 1);
  });

  it("greets those that were lost last", () => {
    const membership = newMembership();
    const lost = Array.from({ length: 20 }, (_, at) => sampleMember({ id: memberId(100 + at) }));
    membership.claims(others[0].id, lost, 1);
    for (const member of lost) {
      membership.claims(others[0].id, [{ ...member, health: "dead" }], 2);
    }
    const greeted = sent(membership.greetLost(3));
    expect(greeted.map(({ to }) => to)).toEqual(lost.slice(4).map(({ id }) => id));
    expect(greeted[0]).toMatchObject({ kind: "push-pull", reply: false });
  });

  it("forgets who has been gone for long enough", () => {
    const membership = newMembership();
    membership.claims(others[0].id, [{ ...others[1], health: "dead" }], 1);
    membership.tick(lanMembership.retentionMs);
    expect(membership.member(others[1].id)).toBeDefined();
    membership.tick(membership.nextWakeAtMs());
    expect(membership.member(others[1].id)).toBeUndefined();
  });

  it("sends its table to whom it hears that theirs has differed for a while", () => {
    const membership = newMembership();
    const tablesAfter = (nowMs: number, differs: bigint): number => {
      const tableHash = membership.tableHash + differs;
      const ping = { kind: "ping", sequence: 1, tableHash, claims: [] } as const;
      const answers = sent(membership.receive(others[0].id, ping, nowMs));
      return answers.filter(({ kind }) => kind === "push-pull").length;
    };
    expect([tablesAfter(1_000, 1n), tablesAfter(1_999, 1n), tablesAfter(2_000, 1n)]).toEqual([
      0, 0, 1,
    ]);
    expect([tablesAfter(2_500, 0n), tablesAfter(3_000, 1n), tablesAfter(3_999, 1n)]).toEqual([
      0, 0, 0,
    ]);
  });

  it("tells whoever helps with a probe what its target is suspected of", () => {
    const membership = newMembership();
    const doubt: Member = { ...others[1], health: "suspect" };
    membership.claims(others[0].id, [doubt], 1);
    membership.broken(doubt.id, 1);
    const requests = sent(membership.tick(151)).filter(({ kind }) => kind === "ping-request");
    expect(requests).toMatchObject([{ to: others[0].id, target: doubt.id, claims: [doubt] }]);
  });

  it("waits longer before it asks for help where it may be ill itself", () => {
    const membership = newMembership();
    membership.claims(others[0].id, [{ ...membership.self, health: "suspect" }], 1);
    membership.broken(others[1].id, 1);
    const requests = [151, 300, 301].map(
      (nowMs) => sent(membership.tick(nowMs)).filter(({ kind }) => kind === "ping-request").length,
    );
    expect(requests).toEqual([0, 0, 1]);
  });

  it("says nothing new of its role where that is what it is told to be", () => {
    const membership = newMembership();
    expect(membership.setRole("leaving", 1)).not.toEqual([]);
    expect(membership.setRole("leaving", 2)).toEqual([]);
  });

  it("that has left asks nobody anything", () => {
    const membership = newMembership();
    membership.setRole("left", 1);
    const asked = [1, 1_000, 10_000, 100_000].flatMap((nowMs) => sent(membership.tick(nowMs)));
    expect(asked).toEqual([]);
  });

  it("does not probe one that is gone when the connection to that breaks", () => {
    const membership = newMembership();
    membership.claims(others[0].id, [{ ...others[1], health: "dead" }], 1);
    expect(sent(membership.broken(others[1].id, 2))).toEqual([]);
  });

  it("says in time that one is silent that it was asked to probe", () => {
    const membership = newMembership();
    const question = {
      kind: "ping-request",
      sequence: 7,
      target: others[1].id,
      claims: [],
    } as const;
    membership.receive(others[0].id, question, 1);
    expect(sent(membership.tick(120))).toEqual([]);
    expect(sent(membership.tick(121))).toEqual([{ to: others[0].id, kind: "nack", sequence: 7 }]);
  });

  it("hears by whoever helps with a probe that its target is there", () => {
    const membership = newMembership();
    membership.broken(others[1].id, 1);
    const [request] = sent(membership.tick(151));
    const sequence = request && "sequence" in request ? request.sequence : -1;
    const { tableHash } = membership;
    const claims = [{ ...others[1], incarnation: 5 }, sampleMember({ id: memberId(3) })];
    membership.receive(others[0].id, { kind: "ack", sequence, tableHash, claims }, 200);
    expect(claims.map(({ id }) => membership.member(id))).toEqual(claims);
    membership.tick(301);
    expect(membership.member(others[1].id)).toMatchObject({ health: "alive" });
  });

  describe("that probes another one", () => {
    const target = others[1].id;
    const probed = (membership: Membership, nowMs: number): number => {
      const [ping] = sent(membership.broken(target, nowMs));
      return ping && "sequence" in ping ? ping.sequence : -1;
    };
    /** How long it waits before it asks others for help. */
    function patienceMs(membership: Membership, nowMs: number): number | undefined {
      probed(membership, nowMs);
      return [149, 150, 299, 300].find((afterMs) =>
        sent(membership.tick(nowMs + afterMs)).some(
          (message) => message.kind === "ping-request" && message.target === target,
        ),
      );
    }

    it("waits no longer once it has been answered", () => {
      const membership = newMembership();
      membership.claims(others[0].id, [{ ...membership.self, health: "suspect" }], 1);
      const { tableHash } = membership;
      const ack = { kind: "ack", sequence: probed(membership, 1), tableHash, claims: [] } as const;
      membership.receive(target, ack, 2);
      expect(patienceMs(membership, 3)).toBe(150);
    });
  });
});

describe("a member that probes one by one, of which one is silent", () => {
  const [there, silent] = others;
  const claims: readonly Member[] = [];

  /** How long after its probe others are asked about the silent one, and how long after it that one is doubted. */
  function patienceMs(
    membership: Membership,
    fromMs: number,
  ): [askedMs: number, doubtedMs: number] {
    let [probedAtMs, askedAtMs] = [NaN, NaN];
    for (let nowMs = fromMs; nowMs < fromMs + 10_000; nowMs = membership.nextWakeAtMs()) {
      for (const message of sent(membership.tick(nowMs))) {
        if (message.kind === "ping-request") askedAtMs = nowMs;
        if (message.kind !== "ping") continue;
        if (message.to === silent.id) probedAtMs ||= nowMs;
        else {
          const { sequence } = message;
          const { tableHash } = membership;
          membership.receive(there.id, { kind: "ack", sequence, tableHash, claims }, nowMs);
        }
      }
      if (membership.member(silent.id)?.health === "suspect")
        return [askedAtMs - probedAtMs, nowMs - probedAtMs];
    }
    return [NaN, NaN];
  }

  it("gives it time to connect where it has never said anything", () => {
    expect(patienceMs(newMembership(), 1)).toEqual([750, 1_500]);
  });

  it("gives it no such time once it has", () => {
    const membership = newMembership();
    const { tableHash } = membership;
    membership.receive(silent.id, { kind: "ping", sequence: 1, tableHash, claims }, 1);
    expect(patienceMs(membership, 2)).toEqual([150, 300]);
  });
});
