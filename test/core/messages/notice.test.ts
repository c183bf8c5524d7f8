import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { JobDefinition } from "../../../src/core/jobs/job-definition.ts";
import type { Member } from "../../../src/core/membership/member.ts";
import {
  claimsMax,
  membersPerMessageMax,
} from "../../../src/core/membership/membership-message.ts";
import type { MembershipMessage } from "../../../src/core/membership/membership-message.ts";
import { decodeClaim, encodeClaim } from "../../../src/core/messages/claim.ts";
import type { Claim } from "../../../src/core/messages/claim.ts";
import { decodeMember, encodeMembers } from "../../../src/core/messages/member-row.ts";
import { decodeNotice, encodeNotice, noticeBytesMax } from "../../../src/core/messages/notice.ts";
import type { JobId, MemberId } from "../../../src/core/units.ts";
import { hashes, members as ids } from "./arbitrary.ts";
import { expectSafe } from "./hostile.ts";

const nowMs = 1_000_000;

const member: fc.Arbitrary<Member> = fc.record({
  id: ids,
  addresses: fc.array(fc.constantFrom("/ip4/127.0.0.1/tcp/1", "/dns4/a/tcp/2"), { maxLength: 2 }),
  weight: fc.constantFrom(0.5, 1, 2),
  version: fc.constant("1.2.3"),
  generation: fc.nat(nowMs),
  incarnation: fc.nat(2 ** 32 - 1),
  role: fc.constantFrom("joining", "active", "leaving", "left"),
  health: fc.constantFrom("alive", "suspect", "dead"),
});

const claims = fc.array(member, { maxLength: claimsMax });
const sequence = fc.nat(2 ** 32 - 1);

const messages: fc.Arbitrary<MembershipMessage> = fc.oneof(
  fc.record({ kind: fc.constantFrom("ping", "ack"), sequence, tableHash: hashes, claims }),
  fc.record({ kind: fc.constant("ping-request"), sequence, target: ids, claims }),
  fc.record({ kind: fc.constant("nack"), sequence }),
  fc.record(
    {
      kind: fc.constant("push-pull"),
      members: fc.array(member, { maxLength: 5 }),
      reply: fc.boolean(),
      sentAtMs: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    },
    { requiredKeys: ["kind", "members", "reply"] },
  ),
);

/** The longest row that a member may have. */
const longest: Member = {
  id: "i".repeat(128) as MemberId,
  addresses: Array.from({ length: 8 }, () => "a".repeat(128)),
  weight: 1,
  version: "v".repeat(64),
  generation: nowMs,
  incarnation: 2 ** 32 - 1,
  role: "leaving",
  health: "suspect",
};

const rows = (count: number): Member[] => Array.from({ length: count }, () => longest);

describe("a datagram of the membership", () => {
  const decode = (payload: Uint8Array) => decodeNotice(payload, nowMs);

  it("arrives as it was sent", () => {
    fc.assert(
      fc.property(messages, (message) => {
        expect(decode(encodeNotice(message))).toEqual(message);
      }),
    );
  });

  it("is safe to receive from a stranger", () => {
    expectSafe(messages.map(encodeNotice), decode, encodeNotice);
  });

  it("has room for as many of the longest rows as there may be, and for no more", () => {
    const of = (count: number) =>
      encodeNotice({ kind: "push-pull", members: rows(count), reply: false });
    expect(of(membersPerMessageMax).length).toBeLessThanOrEqual(noticeBytesMax);
    expect(decode(of(membersPerMessageMax))).toMatchObject({
      members: { length: membersPerMessageMax },
    });
    expect(decode(of(membersPerMessageMax + 1))).toBeUndefined();
  });
});

describe("a row of a member", () => {
  const runOf = (generation: number): Member => ({ ...longest, generation });
  const decode = (row: Member, atMs: number) =>
    decodeNotice(encodeNotice({ kind: "push-pull", members: [row], reply: true }), atMs);

  it("is the same object when it comes again, even from another member", () => {
    const [first, again] = [1, 2].map(() => decode(runOf(nowMs), nowMs));
    if (first?.kind !== "push-pull" || again?.kind !== "push-pull") throw new Error("not read");
    expect(first.members).toEqual([runOf(nowMs)]);
    expect(again.members[0]).toBe(first.members[0]);
  });

  it("is read anew each time when it is longer than any of this version: nothing of it is kept", () => {
    const [row] = encodeMembers([runOf(nowMs)]);
    // Field 15, which this version does not know, with 2,000 bytes.
    const longer = new Uint8Array([...(row ?? []), 0x7a, 0xd0, 0x0f, ...new Uint8Array(2_000)]);
    const [first, again] = [1, 2].map(() => decodeMember(longer, nowMs));
    expect(first).toEqual(runOf(nowMs));
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
  });

  it("is held against the clock each time: one from the future counts only later", () => {
    const tomorrow = runOf(nowMs + 86_400_000);
    expect(decode(tomorrow, nowMs)).toMatchObject({ members: [tomorrow] });
    expect(decode(tomorrow, nowMs - 1)).toMatchObject({ members: [] });
    expect(decode(tomorrow, nowMs)).toMatchObject({ members: [tomorrow] });
  });
});

describe("a claim", () => {
  const decode = (payload: Uint8Array) => decodeClaim(payload, nowMs);
  const jobDefinition: JobDefinition = {
    id: "news" as JobId,
    revision: 1,
    stateRevision: 1,
    state: "cancelled",
    options: defaultJobOptions,
  };
  const sent: fc.Arbitrary<Claim> = fc.oneof(
    fc.record({ members: fc.array(member, { maxLength: 5 }) }),
    fc.constant({ jobDefinition }),
  );

  it("arrives as it was sent: members, or a job's definition", () => {
    fc.assert(
      fc.property(sent, (claim) => {
        expect(decode(encodeClaim(claim))).toEqual(claim);
      }),
    );
  });

  it("is safe to receive from a stranger", () => {
    expectSafe(sent.map(encodeClaim), decode, encodeClaim);
  });

  it("has room for as many of the longest rows as there may be", () => {
    const payload = encodeClaim({ members: rows(membersPerMessageMax) });
    expect(payload.length).toBeLessThanOrEqual(noticeBytesMax);
    expect(decode(payload)).toMatchObject({ members: { length: membersPerMessageMax } });
  });
});
