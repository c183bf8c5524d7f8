import { expect, it } from "vitest";
import { UrlRecord } from "../../../../src/core/record/record.pb.ts";
import { urlState } from "../../../../src/core/record/url-state.ts";
import { mergeRow } from "../../../../src/core/replication/merge-row.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { Overlaps } from "../../../../src/peer/swarm/replication/overlaps.ts";

function fetchAt(fetchedAtMs: number, capturedBy: string): Uint8Array {
  const { done: state, fresh } = urlState;
  return UrlRecord.encode({
    ...fresh,
    state,
    attempts: 1,
    httpStatus: 200,
    fetchedAtMs,
    capturedBy,
  });
}

it("counts a fetch once that has given way here, and comes again from another disk", () => {
  const [one, other] = [fetchAt(1_000, "a"), fetchAt(2_000, "b")];
  const overlaps = new Overlaps("a" as MemberId);
  const comes = (value: Uint8Array, known: Uint8Array): { counts: boolean; now: Uint8Array } => {
    const merged = mergeRow("url", known, value);
    if (merged?.overlap !== true) throw new Error("these are two fetches");
    const counts = overlaps.counts(known, { id: "x", value, changed: merged.changed }, "all");
    return { counts, now: merged.value };
  };
  const isOneLater = mergeRow("url", one, other)?.changed === true;
  const [first, last] = isOneLater ? [one, other] : [other, one];
  const { counts, now } = comes(last, first);
  expect(counts).toBe(true);
  expect(comes(first, now).counts).toBe(false);
});

it.each([
  ["of another member's to one's own fetch", "a", true, false, true],
  ["of another member's to a third one's", "b", true, false, false],
  ["of another member's, that gives way itself", "a", false, false, false],
  ["of an arc that is held, that gives way", "b", false, "superseded", false],
  ["of an arc that is held, to which the known one gives way", "b", true, "superseded", true],
  ["of an arc that is held, whichever gives way", "b", false, "all", true],
] as const)("counts where a fetch comes in %s", (_, by, changed, held, expected) => {
  const incoming = { id: "x", value: fetchAt(2_000, "c"), changed };
  const overlaps = new Overlaps("a" as MemberId);
  expect(overlaps.counts(fetchAt(1_000, by), incoming, held)).toBe(expected);
  expect(overlaps.counts(undefined, incoming, false)).toBe(false);
});

it("remembers the latest fetches that it counted, and no more than have room", () => {
  const overlaps = new Overlaps("a" as MemberId);
  const value = fetchAt(1_000, "b");
  const counts = (id: number): boolean =>
    overlaps.counts(undefined, { id: `${id}`, value, changed: false }, "all");
  for (let id = 0; id < 65_536; id += 1) counts(id);
  expect(counts(0)).toBe(false);
  expect(counts(65_536)).toBe(true);
  expect([0, 65_536].map(counts)).toEqual([true, false]);
});
