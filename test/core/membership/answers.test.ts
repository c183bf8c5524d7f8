import { expect, it } from "vitest";
import type { Member } from "../../../src/core/membership/member.ts";
import { Membership } from "../../../src/core/membership/membership.ts";
import type { MembershipAction } from "../../../src/core/membership/membership-message.ts";
import { lanMembership } from "../../../src/core/membership/membership-options.ts";
import { sampleMember } from "./sample-member.ts";

const self = sampleMember();
const other = sampleMember({ id: "peer-2" as Member["id"] });

/** A member that has met another one. */
function newMembership(): Membership {
  const membership = new Membership(self, lanMembership, () => 0.5);
  membership.start(0);
  membership.receive(other.id, { kind: "push-pull", members: [other], reply: true }, 0);
  return membership;
}

/** What it says with its answer to a probe by the other one, which says this to it. */
function answerTo(membership: Membership, claims: readonly Member[]): readonly Member[] {
  const ping = { kind: "ping", sequence: 7, tableHash: membership.tableHash, claims } as const;
  return membership.receive(other.id, ping, 1).flatMap((action: MembershipAction) => {
    return action.kind === "send" && action.message.kind === "ack" ? action.message.claims : [];
  });
}

it("refutes a doubt with the answer to the probe that tells of it: the broadcast may be lost", () => {
  const membership = newMembership();
  const doubt: Member = { ...membership.self, health: "suspect" };
  expect(answerTo(membership, [doubt])).toEqual([
    { ...membership.self, health: "alive", incarnation: doubt.incarnation + 1 },
  ]);
});

it("probes a member once at a time, however often the connection to it breaks", () => {
  const membership = newMembership();
  const pings = [1, 2].flatMap((nowMs) => membership.broken(other.id, nowMs));
  expect(pings).toMatchObject([{ kind: "send", to: other.id, message: { kind: "ping" } }]);
});

it("says with each answer that it has left, and of itself no more than it is asked for otherwise", () => {
  const membership = newMembership();
  expect(answerTo(membership, [])).toEqual([]);
  membership.setRole("left", 0);
  expect(answerTo(membership, [])).toMatchObject([{ id: self.id, role: "left" }]);
});

it("tells who probes it what that one is suspected of", () => {
  const membership = newMembership();
  const doubt: Member = { ...other, health: "suspect" };
  membership.claims(other.id, [doubt], 1);
  expect(answerTo(membership, [])).toEqual([doubt]);
});
