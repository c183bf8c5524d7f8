import { expect, it } from "vitest";
import { SiteWrites } from "../../../../src/peer/swarm/replication/site-writes.ts";

it("drops what has become visible, commit by commit, and keeps the rest", () => {
  const writes = new SiteWrites();
  for (const [commit, count] of [
    [1, 1],
    [2, 2],
    [3, 1],
  ] as const) {
    for (let row = 0; row < count; row += 1) {
      writes.add({ type: "del", key: Uint8Array.of(commit, row) }, commit);
    }
  }
  const left = (): number[] => [...writes.latest.values()].map(({ key }) => key[0] ?? 0);
  expect(left()).toEqual([1, 2, 2, 3]);
  expect(writes.dropUpTo(1)).toBe(3);
  expect(left()).toEqual([2, 2, 3]);
  expect(writes.dropUpTo(2)).toBe(1);
  expect(writes.dropUpTo(3)).toBe(0);
  writes.add({ type: "del", key: Uint8Array.of(4) }, 4);
  expect(writes.dropUpTo(3)).toBe(1);
  expect(left()).toEqual([4]);
});
