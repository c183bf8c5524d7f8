import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodePullRows,
  decodePullRowsReply,
  decodeRangeDigests,
  decodeRangeDigestsReply,
  encodePullRows,
  encodePullRowsReply,
  encodeRangeDigests,
  encodeRangeDigestsReply,
  rowsComparedMax,
} from "../../../src/core/messages/reconciliation.ts";
import type { PullRows } from "../../../src/core/messages/reconciliation.ts";
import { rowsMax } from "../../../src/core/messages/rows.ts";
import { hostKey } from "../../../src/core/record/host-keys.ts";
import { lastKeyOf } from "../../../src/core/record/key-ranges.ts";
import { urlKey } from "../../../src/core/record/url-keys.ts";
import { RangeDigest } from "../../../src/core/replication/range-digest.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import { arcSets, hashes, moments } from "./arbitrary.ts";
import { expectSafe, plain } from "./hostile.ts";

const empty = new Uint8Array(0);

function keyOf(number: number): Uint8Array {
  return urlKey("url", BigInt(number), Uint32Array.of(1, 2, 3, 4), 0, 5);
}

const digests = fc
  .record({ arcs: arcSets, numbers: fc.uniqueArray(fc.nat(99), { maxLength: 9 }), hash: hashes })
  .map(({ arcs, numbers, hash }) => {
    const digest = new RangeDigest("url", 2);
    for (const number of numbers.sort((a, b) => a - b)) {
      digest.add(keyOf(number), Uint8Array.of(number));
    }
    return {
      arcs,
      tag: "url" as const,
      after: empty,
      buckets: digest.finish().map((bucket) => ({ ...bucket, hash })),
    };
  });

describe("digests of a range", () => {
  it("arrive as they were sent", () => {
    fc.assert(
      fc.property(digests, (sent) => {
        expect(plain(decodeRangeDigests(encodeRangeDigests(sent)))).toEqual(plain(sent));
      }),
    );
  });

  it("are safe to receive from a stranger", () => {
    expectSafe(digests.map(encodeRangeDigests), decodeRangeDigests, encodeRangeDigests);
  });

  it("are refused when their buckets do not rise from where they begin, or leave the tag", () => {
    const bucket = (lastKey: Uint8Array) => ({ lastKey, count: 1, hash: 2n });
    const of = (after: Uint8Array, ...ends: Uint8Array[]) =>
      decodeRangeDigests(
        encodeRangeDigests({ arcs: ArcSet.whole, tag: "url", after, buckets: ends.map(bucket) }),
      );
    const [one, two, three] = [keyOf(1), keyOf(2), keyOf(3)];
    expect(of(one, two, three, lastKeyOf("url"))).toBeDefined();
    expect(of(two, two, three)).toBeUndefined();
    expect(of(one, three, two)).toBeUndefined();
    expect(of(empty, one, lastKeyOf("host"))).toBeUndefined();
    expect(of(hostKey("host", { position: 1n, hostHash: 1n }), one)).toBeUndefined();
    expect(of(empty, Uint8Array.of(...one, ...one, ...one))).toBeUndefined();
  });

  it("are refused when they tell of more rows than may be compared", () => {
    const of = (...counts: number[]) => {
      const buckets = counts.map((count, at) => ({ lastKey: keyOf(at + 1), count, hash: 2n }));
      return decodeRangeDigests(
        encodeRangeDigests({ arcs: ArcSet.whole, tag: "url", after: empty, buckets }),
      );
    };
    expect(of(rowsComparedMax - 1, 1)).toBeDefined();
    expect(of(rowsComparedMax, 1)).toBeUndefined();
    expect(of(2 ** 32 - 1)).toBeUndefined();
  });

  it("are answered with the buckets that differ, in their order, and none that was not sent", () => {
    const of = (...indexes: number[]) =>
      encodeRangeDigestsReply(indexes.map((index) => ({ index, count: 7 })));
    expect(decodeRangeDigestsReply(of(0, 2), 3)).toEqual([
      { index: 0, count: 7 },
      { index: 2, count: 7 },
    ]);
    expect(decodeRangeDigestsReply(of(), 3)).toEqual([]);
    expect(decodeRangeDigestsReply(of(0, 3), 3)).toBeUndefined();
    expect(decodeRangeDigestsReply(of(2, 0), 3)).toBeUndefined();
    expect(decodeRangeDigestsReply(of(0, 0), 3)).toBeUndefined();
    expectSafe(
      fc.constant(of(0, 2)),
      (payload) => decodeRangeDigestsReply(payload, 3),
      encodeRangeDigestsReply,
    );
  });
});

describe("rows that are asked for", () => {
  const asked: PullRows = {
    arcs: ArcSet.whole,
    tag: "url",
    after: keyOf(0),
    last: keyOf(4),
    limit: 3,
    known: empty,
  };

  it("are asked for as they were, from the tag's beginning to its end or places within", () => {
    for (const after of [empty, keyOf(0)]) {
      for (const last of [keyOf(4), lastKeyOf("url")]) {
        const sent = { ...asked, after, last, known: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) };
        expect(plain(decodePullRows(encodePullRows(sent)))).toEqual(plain(sent));
      }
    }
    expectSafe(
      arcSets.map((arcs) => encodePullRows({ ...asked, arcs })),
      decodePullRows,
      encodePullRows,
    );
  });

  it("are not asked for beyond the tag, backwards, or without a limit", () => {
    const wrongs: Partial<PullRows>[] = [
      { after: lastKeyOf("host") },
      { last: lastKeyOf("waiting") },
      { last: empty },
      { after: keyOf(5) },
      { limit: 0 },
      { limit: rowsMax + 1 },
      { known: new Uint8Array(7) },
      { known: new Uint8Array(8 * (rowsMax + 1)) },
      { tag: "queue" },
    ];
    for (const wrong of wrongs) {
      expect(decodePullRows(encodePullRows({ ...asked, ...wrong }))).toBeUndefined();
    }
  });

  const rows = (...numbers: number[]) =>
    numbers.map((number) => ({ key: keyOf(number), value: Uint8Array.of(number) }));
  const reply = (...numbers: number[]) =>
    encodePullRowsReply({ nowMs: 7, rows: rows(...numbers), more: false, found: empty });

  it("come as they were sent", () => {
    fc.assert(
      fc.property(
        fc.subarray([1, 2, 4], { minLength: 1 }),
        moments,
        fc.boolean(),
        (of, nowMs, more) => {
          const sent = { nowMs, rows: rows(...of), more, found: Uint8Array.of(nowMs % 256) };
          expect(decodePullRowsReply(encodePullRowsReply(sent), asked)).toEqual(sent);
        },
      ),
    );
    expectSafe(
      fc.constant(reply(1, 2, 4)),
      (payload) => decodePullRowsReply(payload, asked),
      encodePullRowsReply,
    );
  });

  it("are refused when they were not asked for, do not rise, have no value, or never end", () => {
    expect(decodePullRowsReply(reply(1, 4), asked)).toBeDefined();
    expect(decodePullRowsReply(reply(0, 4), asked)).toBeUndefined();
    expect(decodePullRowsReply(reply(1, 5), asked)).toBeUndefined();
    expect(decodePullRowsReply(reply(2, 1), asked)).toBeUndefined();
    expect(decodePullRowsReply(reply(2, 2), asked)).toBeUndefined();
    expect(decodePullRowsReply(reply(1, 2, 3, 4), asked)).toBeUndefined();
    const endless = encodePullRowsReply({ nowMs: 7, rows: [], more: true, found: empty });
    expect(decodePullRowsReply(endless, asked)).toBeUndefined();
  });
});
