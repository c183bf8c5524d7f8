import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ExclusionRecord,
  HostRecord,
  OutboxEntry,
  RobotsRecord,
  UrlRecord,
} from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import { followRow, mergedTags, mergeRow } from "../../../src/core/replication/merge-row.ts";
import { rowBytesMax } from "../../../src/core/replication/row-lattice.ts";
import type { MergedRow, MergedTag } from "../../../src/core/replication/merge-row.ts";
import { arbitraryValues } from "./rows.ts";

function merged(tag: MergedTag, one: Uint8Array | undefined, other: Uint8Array): MergedRow {
  const row = mergeRow(tag, one, other);
  if (!row) throw new Error(`no ${tag} row`);
  return row;
}

/** The value with nothing else known, in the form in which a merge leaves it. */
function normal(tag: MergedTag, value: Uint8Array): Uint8Array {
  return merged(tag, undefined, value).value;
}

describe.each(mergedTags)("merging of %s rows", (tag) => {
  const values = arbitraryValues[tag];
  const runs = { numRuns: 200 };

  it("has one result in whichever order", () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const [one, other] = [normal(tag, a), normal(tag, b)];
        const [there, back] = [merged(tag, one, other), merged(tag, other, one)];
        expect(there.value).toEqual(back.value);
        expect(there.overlap).toBe(back.overlap);
      }),
      runs,
    );
  });

  it("has one result in whichever grouping", () => {
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        const left = merged(tag, merged(tag, a, b).value, c).value;
        const right = merged(tag, normal(tag, a), merged(tag, b, c).value).value;
        expect(normal(tag, left)).toEqual(normal(tag, right));
      }),
      runs,
    );
  });

  it("changes nothing by what it knows", () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const both = merged(tag, a, b).value;
        for (const known of [a, b, both]) {
          const again = merged(tag, normal(tag, both), known);
          expect(again.changed).toBe(false);
          expect(again.value).toEqual(normal(tag, both));
        }
      }),
      runs,
    );
  });

  it("says that it changed something exactly when the bytes are others", () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const { value, changed } = merged(tag, a, b);
        expect(changed).toBe(!Buffer.from(value).equals(a));
      }),
      runs,
    );
  });

  it("refuses bytes that are no row, and takes a row in place of such bytes", () => {
    const broken = tag === "waiting" ? new Uint8Array(0) : Uint8Array.of(0xff, 0xff);
    const [sound = new Uint8Array(0)] = fc.sample(values, { numRuns: 1, seed: 7 });
    expect(mergeRow(tag, sound, broken)).toBeUndefined();
    expect(mergeRow(tag, undefined, broken)).toBeUndefined();
    expect(merged(tag, broken, sound).value).toEqual(normal(tag, sound));
  });

  it("never throws at what a stranger sends", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), values, (noise, value) => {
        expect(() => mergeRow(tag, value, noise)).not.toThrow();
      }),
      runs,
    );
  });
});

const done = (record: Partial<UrlRecord>) => UrlRecord.encode({ ...record, state: urlState.done });

describe("a URL's record", () => {
  const queued = UrlRecord.encode({ state: urlState.queued, attempts: 9, depth: 1 });

  it("goes up from queued to done, and never back", () => {
    const fetched = done({ httpStatus: 200, fetchedAtMs: 5 });
    expect(merged("url", queued, fetched).value).toEqual(fetched);
    expect(merged("url", fetched, queued)).toEqual({
      value: fetched,
      changed: false,
      overlap: false,
    });
  });

  it.each([
    ["host-limit", true],
    ["query-explosion", true],
    ["robots", false],
  ])("is queued rather than kept out by a guard that counts: %s", (excluded, isQueued) => {
    const keptOut = done({ excluded, url: "http://e.org/" });
    const value = isQueued ? queued : keptOut;
    expect(merged("url", keptOut, queued)).toMatchObject({ value, changed: isQueued });
    expect(merged("url", queued, keptOut)).toMatchObject({ value, changed: !isQueued });
    const fetched = done({ httpStatus: 200, fetchedAtMs: 5 });
    expect(merged("url", fetched, keptOut)).toMatchObject({ value: fetched, changed: false });
  });

  it("counts the most attempts and the least depth while it is queued", () => {
    const other = UrlRecord.encode({ state: urlState.queued, attempts: 2, depth: 0 });
    const both = UrlRecord.encode({ state: urlState.queued, attempts: 9, depth: 0 });
    expect(merged("url", queued, other).value).toEqual(both);
  });

  it("tells nothing else while it is queued, whoever sends it", () => {
    const more = UrlRecord.encode({ state: urlState.queued, attempts: 9, depth: 1, title: "t" });
    expect(merged("url", undefined, more)).toEqual({
      value: queued,
      changed: true,
      overlap: false,
    });
  });

  it("is refused where it is larger than any that a peer writes", () => {
    expect(mergeRow("url", undefined, done({ title: "t".repeat(rowBytesMax) }))).toBeUndefined();
  });

  it("is that of the later fetch, and counts the two as an overlap", () => {
    const earlier = done({ httpStatus: 200, fetchedAtMs: 5, capturedBy: "z", title: "old" });
    const later = done({ httpStatus: 404, fetchedAtMs: 6, capturedBy: "a" });
    expect(merged("url", earlier, later)).toEqual({ value: later, changed: true, overlap: true });
    expect(merged("url", later, earlier)).toEqual({ value: later, changed: false, overlap: true });
  });

  it("is that of the later fetch, whichever bytes are greater", () => {
    const earlier = done({ httpStatus: 200, fetchedAtMs: 255, capturedBy: "a" });
    const later = done({ httpStatus: 200, fetchedAtMs: 256, capturedBy: "a" });
    expect(merged("url", earlier, later)).toEqual({ value: later, changed: true, overlap: true });
  });

  it("counts an overlap where two peers fetched at one moment, but not where one fetch is told of twice", () => {
    const mine = done({ httpStatus: 200, fetchedAtMs: 5, capturedBy: "a" });
    const yours = done({ failure: "timeout", attempts: 1, fetchedAtMs: 5, capturedBy: "b" });
    const same = done({ httpStatus: 200, fetchedAtMs: 5, capturedBy: "a", title: "t" });
    expect(merged("url", mine, yours).overlap).toBe(true);
    expect(merged("url", mine, same).overlap).toBe(false);
    const unsigned = done({ httpStatus: 200, fetchedAtMs: 5 });
    expect(merged("url", mine, unsigned).overlap).toBe(false);
    expect(merged("url", unsigned, mine).overlap).toBe(false);
  });

  it.each([
    ["kept out", { excluded: "robots", fetchedAtMs: 9 }],
    ["kept out after an attempt", { excluded: "robots", attempts: 1, fetchedAtMs: 9 }],
    ["given up unasked", { failure: "connection-reset" }],
  ])("is fetched rather than %s, whenever that was", (_, record) => {
    const fetched = done({ httpStatus: 200, fetchedAtMs: 5 });
    const keptOut = done(record);
    const row = merged("url", keptOut, fetched);
    expect(row.value).toEqual(fetched);
    expect(row.overlap).toBe(false);
  });

  it("has one of the two known states, and numbers that are exact", () => {
    expect(mergeRow("url", undefined, UrlRecord.encode({ state: 3 }))).toBeUndefined();
    expect(mergeRow("url", undefined, UrlRecord.encode({ state: 0 }))).toBeUndefined();
    const huge = Uint8Array.of(8, 2, 24, 255, 255, 255, 255, 255, 255, 255, 255, 127);
    expect(mergeRow("url", undefined, huge)).toBeUndefined();
  });
});

describe("a host's row", () => {
  it("keeps each clock at its latest and each count at its highest", () => {
    const one = HostRecord.encode({
      host: "h",
      nextFetchAtMs: 10,
      politeUntilMs: 10,
      failuresInRow: 1,
      jobs: [{ space: 2, admitted: 5 }],
      breakerBuckets: [{ startAtMs: 5, total: 3, failed: 0 }],
    });
    const other = HostRecord.encode({
      host: "h",
      nextFetchAtMs: 20,
      politeUntilMs: 5,
      backoffUntilMs: 20,
      failuresInRow: 4,
      crawlDelayMs: 3,
      jobs: [
        { space: 2, admitted: 4 },
        { space: 1, admitted: 1 },
      ],
      breakerBuckets: [
        { startAtMs: 5, total: 1, failed: 1 },
        { startAtMs: 0, total: 1, failed: 1 },
      ],
    });
    expect(HostRecord.decode(merged("host", one, other).value)).toEqual({
      host: "h",
      nextFetchAtMs: 20,
      politeUntilMs: 10,
      backoffUntilMs: 20,
      failuresInRow: 4,
      crawlDelayMs: 3,
      jobs: [
        { space: 1, admitted: 1 },
        { space: 2, admitted: 5 },
      ],
      breakerBuckets: [
        { startAtMs: 0, total: 1, failed: 1 },
        { startAtMs: 5, total: 3, failed: 1 },
      ],
    });
  });

  it("keeps the latest of its failures, as many as count", () => {
    const bucketsFrom = (first: number) =>
      Array.from({ length: 12 }, (_, n) => ({ startAtMs: first + n, total: 2, failed: 1 }));
    const [early, late] = [1, 7].map((first) =>
      HostRecord.encode({ host: "h", breakerBuckets: bucketsFrom(first) }),
    );
    if (!early || !late) throw new Error("two rows");
    expect(HostRecord.decode(merged("host", early, late).value).breakerBuckets).toEqual(
      bucketsFrom(7),
    );
    const laterStill = HostRecord.encode({ host: "h", breakerBuckets: bucketsFrom(20) });
    expect(HostRecord.decode(merged("host", late, laterStill).value).breakerBuckets).toEqual(
      bucketsFrom(20),
    );
  });

  it("is later by what a clock is behind, though the same was told before", () => {
    const value = HostRecord.encode({ host: "h", nextFetchAtMs: 10_000, backoffUntilMs: 10_000 });
    const moved = mergeRow("host", value, value, 500);
    expect(moved?.changed).toBe(true);
    expect(moved && HostRecord.decode(moved.value)).toMatchObject({
      nextFetchAtMs: 10_500,
      backoffUntilMs: 10_500,
    });
  });

  it("has no clock that is no number", () => {
    for (const never of [NaN, Infinity, -1]) {
      for (const clocks of [
        { nextFetchAtMs: never },
        { haltedUntilMs: never },
        { crawlDelayMs: never },
        { learnedDelayMs: never },
        { politeUntilMs: never },
        { backoffUntilMs: never },
        { breakerUntilMs: never },
        { breakerBuckets: [{ startAtMs: never, total: 1, failed: 1 }] },
      ]) {
        const value = HostRecord.encode({ host: "h", ...clocks });
        expect(mergeRow("host", undefined, value)).toBeUndefined();
      }
    }
  });
});

describe("a copy of a host's row", () => {
  const rested = { host: "h", failuresInRow: 0, jobs: [], breakerBuckets: [] };
  const failing = { ...rested, failuresInRow: 9, haltedUntilMs: 400 };
  const followed = (known: HostRecord, incoming: HostRecord): HostRecord =>
    HostRecord.decode(
      followRow("host", HostRecord.encode(known), HostRecord.encode(incoming))?.value ??
        new Uint8Array(),
    );

  it("is what its holder says of it", () => {
    const known = { ...failing, nextFetchAtMs: 10, politeUntilMs: 10 };
    const incoming = { ...rested, nextFetchAtMs: 20, politeUntilMs: 20 };
    expect(followed(known, incoming)).toEqual(incoming);
  });

  it("does not let a word that comes late take the host's gate back", () => {
    const known = { ...rested, nextFetchAtMs: 20, politeUntilMs: 20 };
    const late = { ...failing, nextFetchAtMs: 10, politeUntilMs: 10 };
    expect(followed(known, late)).toMatchObject({ nextFetchAtMs: 20, politeUntilMs: 20 });
  });

  it("keeps what the host has answered to another holder meanwhile", () => {
    const known = { ...rested, nextFetchAtMs: 10, backoffUntilMs: 300, breakerUntilMs: 200 };
    const late = { ...rested, nextFetchAtMs: 10, backoffUntilMs: 100 };
    const kept = { backoffUntilMs: 300, breakerUntilMs: 200 };
    expect(followed(known, late)).toMatchObject(kept);
    expect(followed(late, known)).toMatchObject(kept);
  });

  it("keeps the higher count of what a job has of the host", () => {
    const known = { ...rested, nextFetchAtMs: 10, jobs: [{ space: 7, admitted: 8 }] };
    // Of one who took the host over without a copy.
    const jobs = [
      { space: 5, admitted: 1 },
      { space: 7, admitted: 2 },
    ];
    const kept = { jobs: [jobs[0], { space: 7, admitted: 8 }] };
    expect(followed(known, { ...rested, nextFetchAtMs: 10, jobs })).toMatchObject(kept);
  });

  it("keeps how slowly the host wants to be asked, until its holder says otherwise", () => {
    const known = { ...rested, nextFetchAtMs: 10, crawlDelayMs: 8_000 };
    // One who took the host over without a copy has not read its robots.txt.
    const unread = { ...rested, nextFetchAtMs: 0 };
    expect(followed(known, unread)).toMatchObject({ crawlDelayMs: 8_000 });
    const read = { ...rested, nextFetchAtMs: 20, crawlDelayMs: 1_000 };
    expect(followed(known, read)).toMatchObject({ crawlDelayMs: 1_000 });
  });

  it("stays as it is when it is told the same twice", () => {
    const value = HostRecord.encode({ ...failing, nextFetchAtMs: 10, politeUntilMs: 10 });
    expect(followRow("host", value, value)?.changed).toBe(false);
  });
});

describe("other rows", () => {
  it("of an origin's robots.txt are those of the later fetch", () => {
    const base = { origin: "o", verdict: "allow-all" };
    const old = RobotsRecord.encode({ ...base, body: "z", fetchedAtMs: 1, expiresAtMs: 99 });
    const young = RobotsRecord.encode({ ...base, body: "a", fetchedAtMs: 2, expiresAtMs: 50 });
    expect(merged("robots", old, young).value).toEqual(young);
  });

  it("of a robots.txt that was read at one moment are those that hold longer", () => {
    const base = { origin: "o", body: "", fetchedAtMs: 1 };
    const longer = RobotsRecord.encode({ ...base, verdict: "rules", expiresAtMs: 256 });
    const shorter = RobotsRecord.encode({ ...base, verdict: "rules", expiresAtMs: 255 });
    for (const [one, other] of [
      [longer, shorter],
      [shorter, longer],
    ] as const) {
      expect(merged("robots", one, other).value).toEqual(longer);
    }
  });

  it("of a URL that is kept out have one of the reasons", () => {
    const [a, b] = ["depth", "scope"].map((reason) => ExclusionRecord.encode({ url: "u", reason }));
    if (!a || !b) throw new Error("two reasons");
    expect([a, b]).toContainEqual(merged("exclusion", a, b).value);
  });

  it("of an outbox let a URL in that one page lets in", () => {
    const letIn = OutboxEntry.encode({ url: "u", job: "j" });
    const keptOut = OutboxEntry.encode({ url: "u", job: "j", excluded: "nofollow" });
    expect(merged("outbox", keptOut, letIn).value).toEqual(letIn);
  });

  it("of an outbox keep the least depth", () => {
    const [a, b] = [1, 2].map((depth) => OutboxEntry.encode({ url: "u", job: "j", depth }));
    if (!a || !b) throw new Error("two depths");
    expect(merged("outbox", b, a).value).toEqual(a);
  });
});
