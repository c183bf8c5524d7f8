import { describe, expect, it } from "vitest";
import { tagRange } from "../../../../src/core/record/key-ranges.ts";
import { SwarmBench } from "../swarm-bench.ts";

describe("a member that comes back with the only copy", () => {
  it("brings home what those did not know who claimed its arcs", async () => {
    const bench = new SwarmBench(3);
    const states = await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 5_000 });
      await bench.pass(30_000);
      // Of what these two share nobody else has a copy.
      bench.machine(1).kill();
      bench.machine(2).kill();
      const known = bench.urls;
      await bench.pass(8_000);
      // The ring of so many names the two for little of what they have.
      for (let count = 0; count < 12; count += 1) await bench.world.addMachine().start();
      await bench.settled();
      await bench.machine(2).start();
      await bench.machine(1).start();
      await bench.settled();
      return bench.peer(4).status(known);
    });
    expect(states.length).toBeGreaterThan(20);
    expect(states.filter(({ state }) => state !== "done")).toEqual([]);
    await bench.run(() => bench.finished(3));
    expect(bench.urls).toHaveLength(240);
  });

  it("offers what it has copies of anew when it has stood still", async () => {
    const bench = new SwarmBench(2);
    const holder = 0;
    const [before, after] = await bench.run(async () => {
      await bench.begin();
      await bench.inject(holder);
      await bench.finished(holder);
      const urls = bench.urls.filter((url) => bench.holderOf(url) === holder);
      // The holder forgets them, as if it had claimed the arcs without a copy.
      const { disk } = bench.machine(holder);
      disk.apply(disk.entries(tagRange("url")).map(({ key }) => ({ type: "del", key })));
      const forgotten = await bench.peer(holder).status(urls);
      bench.machine(1).standStill();
      await bench.pass(3_000);
      bench.machine(1).goOn();
      await bench.pass(3_000);
      return [forgotten, await bench.peer(holder).status(urls)];
    });
    expect(new Set(before.map(({ state }) => state))).toEqual(new Set(["unknown"]));
    expect(new Set(after.map(({ state }) => state))).toEqual(new Set(["done"]));
  });

  it("has nothing to bring where it is new", async () => {
    const bench = new SwarmBench(2);
    await bench.run(() => bench.begin());
    expect(bench.peers.map(({ swarm }) => swarm?.homecoming.isDone)).toEqual([true, true]);
  });
});
