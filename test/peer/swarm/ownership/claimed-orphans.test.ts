import { expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { ArcClaim } from "../../../../src/peer/swarm/ownership/arc-claim.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { silentLogger } from "../../../support/silent-logger.ts";
import { stillView } from "../still-view.ts";

const [self, lost] = ["a" as MemberId, "b" as MemberId];

it("a claim tells which of the arcs that it takes there is no copy of", async () => {
  const clock = new VirtualClock();
  const view = { ...stillView(self, lost), others: [] };
  const orphans = view.ring.arcsOf(self);
  const territory = new Territory();
  const copied = ArcSet.whole.subtract(orphans);
  territory.note(copied, { member: lost, generation: 1, synced: true });
  const taken: ArcSet[] = [];
  const take = (...arcs: ArcSet[]): Promise<void> => {
    taken.push(...arcs);
    return Promise.resolve();
  };
  const calls = { whoHolds: () => Promise.resolve(undefined) };
  const parts = { view, territory, take, offer: () => undefined };
  const claim = new ArcClaim({ clock, logger: silentLogger, calls }, parts, 2);
  await clock.run(claim.run(ArcSet.whole, orphans, new AbortController().signal));
  expect(taken.map((arcs) => arcs.share)).toEqual([1, orphans.share]);
  expect(taken[1]?.equals(orphans)).toBe(true);
});
