import { expect, it } from "vitest";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { RingPosition } from "../../../../src/core/ring/ring-position.ts";
import { MixedQueues } from "../../../../src/peer/swarm/replication/mixed-queues.ts";
import { QueueWeeding } from "../../../../src/peer/swarm/ownership/queue-weeding.ts";

const [first, second] = [7, 9] as [RingPosition, RingPosition];

function siteAt(from: RingPosition): ArcSet {
  return ArcSet.of([{ from, to: (from + 1) as RingPosition }]);
}

/** Looks at two sites for URLs that are queued twice; `doubles`: where they are. Tells what is done, in which order. */
async function weed(doubles: ArcSet, isLeft = true) {
  const done: [string, number?][] = [];
  const tell = (what: string) => (arcs: ArcSet) => void done.push([what, arcs.size]);
  const mixed = new MixedQueues();
  for (const position of [first, second]) mixed.doubt(position);
  const weeding = new QueueWeeding({
    frontier: {
      left: (arcs) => {
        tell("left")(arcs);
        return Promise.resolve(isLeft);
      },
    },
    holdings: {
      haveDoubles: () => {
        // Of what comes in from now on it is not known whether it is looked at.
        mixed.doubt(second);
        return Promise.resolve(doubles);
      },
      weed: (arcs) => {
        tell("weeded")(arcs);
        return Promise.resolve();
      },
    },
    mixed,
    territory: { close: tell("closed"), reopen: tell("reopened") },
    admissionsDone: () => {
      done.push(["admitted"]);
      return Promise.resolve();
    },
  });
  expect(weeding.isDue).toBe(true);
  await weeding.run(weeding.next(), () => void done.push(["told"]));
  return { done, sites: weeding.next() };
}

it("takes URLs that are queued twice out while their sites are closed, and nothing is admitted there", async () => {
  const { done } = await weed(siteAt(first));
  expect(done).toEqual([
    ["closed", 1],
    ["told"],
    ["left", 1],
    ["admitted"],
    ["weeded", 1],
    ["reopened", 1],
  ]);
});

it("touches no site without such, and looks once more where a row has come in meanwhile", async () => {
  const { done, sites } = await weed(ArcSet.empty);
  expect(done).toEqual([]);
  expect([first, second].map((position) => sites.contains(position))).toEqual([false, true]);
});

it("opens a site again that is not left", async () => {
  const { done } = await weed(siteAt(first), false);
  expect(done.map(([what]) => what)).toEqual(["closed", "told", "left", "reopened"]);
});
