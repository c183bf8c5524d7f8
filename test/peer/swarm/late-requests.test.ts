import { describe, expect, it } from "vitest";
import type { FetchRequest } from "../../../src/ports/fetcher.ts";
import { SwarmBench } from "./swarm-bench.ts";

describe("the requests of a peer that stands still", () => {
  it("are late from then on, those for robots.txt too, and those that come after it are not", async () => {
    const requests: FetchRequest[] = [];
    const bench = new SwarmBench(2, {}, {}, (ports) => ({
      ...ports,
      fetcher: {
        fetch: (request, signal) => {
          requests.push(request);
          return ports.fetcher.fetch(request, signal);
        },
        stop: () => ports.fetcher.stop(),
      },
    }));
    const late = (): boolean[] => requests.map(({ isLate }) => isLate?.() === true);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      while (!requests.some(({ url }) => !url.endsWith("/robots.txt"))) await bench.pass(10);
      expect(requests.some(({ url }) => url.endsWith("/robots.txt"))).toBe(true);
      expect(new Set(late())).toEqual(new Set([false]));

      const before = requests.length;
      for (const machine of bench.world.machines) machine.standStill();
      await bench.pass(5_000);
      for (const machine of bench.world.machines) machine.goOn();
      expect(new Set(late())).toEqual(new Set([true]));

      await bench.finished(0);
      expect(new Set(late().slice(before))).toEqual(new Set([false]));
    });
  });
});
