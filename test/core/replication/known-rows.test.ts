import { expect, it } from "vitest";
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
