import { expect, it } from "vitest";
import type { Host } from "../../../src/peer/frontier/host.ts";
import { LongClosed, longClosedMs } from "../../../src/peer/frontier/long-closed.ts";

function closedUntil(nextFetchAtMs: number): Host {
  return { visit: { gate: { nextFetchAtMs } } } as unknown as Host;
}

it("keeps the hosts that are closed for long, and names the one that opens last", () => {
  const closed = new LongClosed();
  const [sooner, later, soon] = [closedUntil(60_000), closedUntil(90_000), closedUntil(10_000)];
  const added = [sooner, later, soon].map((host) => closed.add(host, 0, 0));
  expect(added).toEqual([true, true, false]);
  expect(closed.add(soon, 2 * longClosedMs, 0)).toBe(true);
  expect([closed.count(0), closed.last]).toEqual([3, { host: later, opensAtMs: 90_000 }]);
  closed.delete(later);
  expect([closed.count(0), closed.last?.host]).toEqual([2, soon]);
});

it("lets go of those that open soon by now", () => {
  const closed = new LongClosed();
  closed.add(closedUntil(60_000), 0, 0);
  expect(closed.count(60_000 - longClosedMs - 1)).toBe(1);
  expect([closed.count(60_000 - longClosedMs), closed.last]).toEqual([0, undefined]);
});
