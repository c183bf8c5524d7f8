import { describe, expect, it } from "vitest";
import { HostRecord } from "../../../src/core/record/record.pb.ts";
import { heedHostRow } from "../../../src/core/replication/merge-row.ts";

describe("the row of a host that is held by another member, too", () => {
  const minute = 60_000;
  const row = { host: "h", nextFetchAtMs: 5, failuresInRow: 2, jobs: [], breakerBuckets: [] };
  const heeded = (known: HostRecord, incoming: HostRecord, behindMs = 0): HostRecord | undefined =>
    heedHostRow(HostRecord.encode(known), HostRecord.encode(incoming), behindMs)?.record;

  it.each(["backoffUntilMs", "breakerUntilMs"] as const)(
    "takes over from it until when the host is left alone: %s",
    (clock) => {
      const incoming = { ...row, nextFetchAtMs: minute, failuresInRow: 1, [clock]: minute };
      expect(heeded(row, incoming)).toEqual({ ...row, nextFetchAtMs: minute, [clock]: minute });
      expect(heeded(row, incoming, minute)).toMatchObject({ [clock]: 2 * minute });
      const known = { ...row, [clock]: 3 * minute };
      expect(heeded(known, incoming, minute)).toBeUndefined();
    },
  );

  it("is the other's where none is known here, and stays where the other's is none", () => {
    const incoming = HostRecord.encode({ ...row, backoffUntilMs: 5 });
    expect(heedHostRow(undefined, incoming, minute)?.record).toMatchObject({
      nextFetchAtMs: minute + 5,
      backoffUntilMs: minute + 5,
    });
    expect(heedHostRow(incoming, Uint8Array.of(0xff, 0xff), minute)).toBeUndefined();
  });

  it("takes over from it how slowly the host wants to be asked", () => {
    expect(heeded(row, { ...row, crawlDelayMs: 8_000 })).toEqual({ ...row, crawlDelayMs: 8_000 });
    expect(
      heeded({ ...row, crawlDelayMs: 9_000 }, { ...row, crawlDelayMs: 8_000 }),
    ).toBeUndefined();
  });

  it("is no news where it is later by a message's way, politeness or a halt", () => {
    const known = { ...row, backoffUntilMs: minute };
    expect(heeded(row, { ...row, haltedUntilMs: minute })).toBeUndefined();
    expect(heeded(known, { ...row, backoffUntilMs: minute }, 1_000)).toBeUndefined();
    expect(heeded(row, { ...row, nextFetchAtMs: minute, politeUntilMs: minute })).toBeUndefined();
  });
});
