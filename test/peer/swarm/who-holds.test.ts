import { expect, it } from "vitest";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import { SwarmBench } from "./swarm-bench.ts";

/** More arcs than a message has room for: of a swarm of hundreds, half of them are missing here. */
const arcs = 400_000;

it("a member says what it holds of any number of arcs", async () => {
  const bench = new SwarmBench(2);
  await bench.run(async () => {
    await bench.begin();
    const [self, other] = [bench.peer(0).swarm, bench.peer(1).swarm];
    if (!self || !other) throw new Error("these peers are in no swarm");
    const bounds = Array.from({ length: 2 * arcs }, (_, at) => 5_000_000_011 * at);
    const asked = ArcSet.fromBounds(bounds) ?? ArcSet.empty;
    const answer = await self.calls.whoHolds(other.view.self, asked);
    expect(answer?.generation).toBe(other.view.generation);
    expect(answer?.held).toEqual(other.territory.held.intersect(asked));
    expect(answer?.held.isEmpty).toBe(false);
    expect(answer?.held.size).toBeLessThan(arcs);
  });
});
