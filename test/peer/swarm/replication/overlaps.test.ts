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
