import { expect, it } from "vitest";
import { RobotsRecord } from "../../../src/core/record/record.pb.ts";
import { urlKey } from "../../../src/core/record/url-keys.ts";
import { fingerprintsOf, isFound, KnownRows } from "../../../src/core/replication/known-rows.ts";

const rows = Array.from({ length: 20 }, (_, n) => ({
  key: urlKey("url", BigInt(n + 1), new Uint32Array([n, 0, 0, 0]), 0, 1),
  value: Uint8Array.of(n),
}));

it("tells of each row that another side knows whether just that one is here", () => {
  const here = rows.filter((_, n) => n % 3 === 1);
  const known = new KnownRows("url", fingerprintsOf("url", rows));
  for (const row of here) expect(known.find(row)).toBe(true);
  expect(rows.filter((_, index) => isFound(known.found, index))).toEqual(here);
  const [first, second] = rows;
  if (!first || !second) throw new Error("two rows");
  expect(known.find({ key: first.key, value: second.value })).toBe(false);
});

it("tells of a robots.txt that it is known, whenever it was read", () => {
  const [key] = rows.map((row) => row.key);
  if (!key) throw new Error("a row");
  const read = { origin: "o", verdict: "allow-all", fetchedAtMs: 1, expiresAtMs: 2 };
  const there = { key, value: RobotsRecord.encode(read) };
  const here = { key, value: RobotsRecord.encode({ ...read, fetchedAtMs: 3, expiresAtMs: 4 }) };
  const known = new KnownRows("robots", fingerprintsOf("robots", [there]));
  expect(known.find(here)).toBe(true);
});

it("answers with a bit for each whole fingerprint that came", () => {
  const fingerprints = fingerprintsOf("url", rows);
  expect(new KnownRows("url", fingerprints).found).toHaveLength(3);
  expect(new KnownRows("url", fingerprints.subarray(0, -1)).found).toHaveLength(3);
  expect(new KnownRows("url", fingerprints.subarray(0, 8 * 8 + 7)).found).toHaveLength(1);
});
