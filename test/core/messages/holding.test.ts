import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeAnswer,
  decodeArcNotice,
  decodeWhoHoldsReply,
  encodeAnswer,
  encodeArcNotice,
  encodeWhoHoldsReply,
  joinWhoHolds,
  knownHoldersMax,
} from "../../../src/core/messages/holding.ts";
import * as wire from "../../../src/core/messages/messages.pb.ts";
import { decodeArcs, encodeArcs } from "../../../src/core/messages/read-payload.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { arcSets, generations, members } from "./arbitrary.ts";
import { expectSafe, plain } from "./hostile.ts";

const notices = fc.record(
  { generation: generations, arcs: arcSets, doubtAgeMs: generations },
  { requiredKeys: ["generation", "arcs"] },
);

const replies = fc
  .record({
    generation: generations,
    held: arcSets,
    kept: arcSets,
    copied: arcSets,
    former: arcSets,
    known: fc.array(fc.record({ arcs: arcSets, holder: members, generation: generations }), {
      maxLength: 3,
    }),
  })
  .map((reply) => ({
    ...reply,
    kept: reply.kept.intersect(reply.held),
    former: reply.former.intersect(reply.copied),
  }));

describe("arcs in a message", () => {
  it("are the same positions when they arrive, the whole circle and none included", () => {
    for (const arcs of [ArcSet.whole, ArcSet.empty]) {
      expect(decodeArcs(encodeArcs(arcs))?.equals(arcs)).toBe(true);
    }
    fc.assert(
      fc.property(arcSets, (arcs) => {
        expect(decodeArcs(encodeArcs(arcs))?.equals(arcs)).toBe(true);
      }),
    );
  });

  it("are refused when their bounds do not rise, have no pair, or leave the circle", () => {
    const bounds = encodeArcs(ArcSet.whole);
    expect(decodeArcs(bounds.slice(7))).toBeUndefined();
    expect(decodeArcs(bounds.slice(1))).toBeUndefined();
    expect(decodeArcs(Uint8Array.of(...bounds.slice(7), ...bounds.slice(0, 7)))).toBeUndefined();
    expect(decodeArcs(Uint8Array.of(...bounds, ...bounds))).toBeUndefined();
    expect(decodeArcs(bounds.map((byte, at) => (at === 13 ? 1 : byte)))).toBeUndefined();
  });
});

describe("messages about who holds what", () => {
  it("arrive as they were sent", () => {
    fc.assert(
      fc.property(notices, replies, (notice, reply) => {
        expect(plain(decodeArcNotice(encodeArcNotice(notice)))).toEqual(plain(notice));
        expect(plain(decodeWhoHoldsReply(encodeWhoHoldsReply(reply)))).toEqual(plain(reply));
      }),
    );
    expect(decodeAnswer(encodeAnswer(true))).toBe(true);
    expect(decodeAnswer(encodeAnswer(false))).toBe(false);
  });

  it("are safe to receive from a stranger", () => {
    expectSafe(notices.map(encodeArcNotice), decodeArcNotice, encodeArcNotice);
    expectSafe(replies.map(encodeWhoHoldsReply), decodeWhoHoldsReply, encodeWhoHoldsReply);
    expectSafe(fc.constant(encodeAnswer(true)), decodeAnswer, encodeAnswer);
  });

  it("are one answer in parts where one run of a member gave them", () => {
    fc.assert(
      fc.property(fc.array(replies, { minLength: 1, maxLength: 4 }), generations, (many, run) => {
        const parts = many.map((reply) => ({ ...reply, generation: run }));
        const joined = joinWhoHolds(parts);
        expect(joined?.generation).toBe(run);
        for (const name of ["held", "kept", "copied", "former"] as const) {
          expect(joined?.[name]).toEqual(ArcSet.unionOf(parts.map((part) => part[name])));
        }
        expect(joined?.known).toEqual(parts.flatMap(({ known }) => known));
        const [first] = parts;
        if (first)
          expect(joinWhoHolds([...parts, { ...first, generation: run + 1 }])).toBeUndefined();
      }),
    );
    expect(joinWhoHolds([])).toBeUndefined();
  });

  it("name holders that may be members, and nothing else", () => {
    const of = (member: string, generation: number) =>
      decodeWhoHoldsReply(
        wire.WhoHoldsReply.encode({
          known: [{ arcs: encodeArcs(ArcSet.whole), holder: { member, generation } }],
        }),
      );
    expect(of("peer-a", 5)?.known).toHaveLength(1);
    expect(of("", 5)).toBeUndefined();
    expect(of("a b", 5)).toBeUndefined();
    expect(
      decodeWhoHoldsReply(wire.WhoHoldsReply.encode({ known: [{ arcs: new Uint8Array(0) }] })),
    ).toBeUndefined();
  });

  it("name no more holders than a member tells of", () => {
    const one = { arcs: ArcSet.empty, holder: "b" as MemberId, generation: 1 };
    const of = (count: number) => {
      const none = ArcSet.empty;
      const known = Array.from({ length: count }, () => one);
      return decodeWhoHoldsReply(
        encodeWhoHoldsReply({
          generation: 1,
          held: none,
          kept: none,
          copied: none,
          former: none,
          known,
        }),
      );
    };
    expect(of(knownHoldersMax)?.known).toHaveLength(knownHoldersMax);
    expect(of(knownHoldersMax + 1)).toBeUndefined();
  });
});
