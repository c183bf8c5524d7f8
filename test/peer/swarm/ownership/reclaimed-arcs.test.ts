import { expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { newOwnership } from "../../../../src/peer/swarm/ownership/new-ownership.ts";
import { defaultOwnershipOptions } from "../../../../src/peer/swarm/ownership/ownership-options.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { silentLogger } from "../../../support/silent-logger.ts";
import { stillView } from "../still-view.ts";
import { ringOf } from "./ownership-bench.ts";

type Ports = Parameters<typeof newOwnership>[0];
type Parts = Parameters<typeof newOwnership>[1];

const [self, heir] = ["a", "b"] as [MemberId, MemberId];

it("hosts of arcs that were passed on to one who was lost before his answer are doubted: he may have asked them", async () => {
  const clock = new VirtualClock();
  const territory = new Territory();
  territory.take(ArcSet.whole);
  const ring = ringOf(self, heir);
  let isThere = true;
  const view = {
    ...stillView(self, heir),
    ring,
    futureRing: ring,
    generationOf: (member: MemberId) => (member === heir && !isThere ? undefined : 1),
    isRunning: (member: MemberId) => member === self || isThere,
  };
  const stream = { member: heir, generation: 1, synced: ArcSet.whole };
  const doubted: ArcSet[] = [];
  const parts = {
    frontier: {
      left: () => Promise.resolve(true),
      crawl: () => undefined,
      doubts: { add: (arcs: ArcSet) => doubted.push(arcs), ageMs: () => undefined },
    },
    jobs: { onHeard: () => undefined },
    journal: { flushed: () => Promise.resolve(), observe: () => undefined },
    mixed: { hasDoubts: false },
    replicator: {
      stream: (member: MemberId) => (member === heir && isThere ? stream : undefined),
      setNeeds: () => new Map(),
      drained: () => Promise.resolve(),
    },
    territory,
    view,
    admissionsDone: () => Promise.resolve(),
    look: () => undefined,
  };
  const calls = {
    transfer: () => Promise.resolve(void (isThere = false)),
    whoHolds: () => Promise.resolve(undefined),
  };
  const ownership = newOwnership(
    { calls, clock, logger: silentLogger } as unknown as Ports,
    parts as unknown as Parts,
    { cluster: { replicas: 2 }, ownership: defaultOwnershipOptions } as Parameters<
      typeof newOwnership
    >[2],
    (error) => {
      throw error;
    },
  );
  const course = async (): Promise<void> => {
    ownership.start();
    await clock.sleep(100);
    await ownership.stop();
  };
  await clock.run(course());
  expect(doubted.map((arcs) => arcs.equals(ring.arcsOf(heir)))).toEqual([true]);
  expect(territory.open.equals(ArcSet.whole)).toBe(true);
});
