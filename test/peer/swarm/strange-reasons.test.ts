import { describe, expect, it } from "vitest";
import { job, SwarmBench } from "./swarm-bench.ts";

/** Names of letters and hyphens alone. */
function reasonOf(number: number): string {
  const letters = Array.from(String(number), (digit) => "abcdefghij"[Number(digit)]);
  return `strange-${letters.join("")}`;
}

describe("URLs that a member keeps out for reasons that are unknown", () => {
  it("count by few of these, and the others are rejected, so that all can read the totals", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, [], {});
      await bench.pass(1_000);
      const holder = bench.holderOf("http://found.example/");
      const other = bench.peer(1 - holder);
      const entries = Array.from({ length: 200 }, (_, number) => ({
        url: `http://found.example/${number}`,
        job,
        depth: 1,
        redirectChain: [],
        excluded: number % 2 === 0 ? "nofollow" : reasonOf(number),
      }));
      const delivery = await other.swarm?.calls.forward(bench.machine(holder).id, entries);
      if (delivery?.kind !== "received") throw new Error("they are received");
      expect(delivery.results.filter((result) => result === "rejected")).toHaveLength(100 - 16);
      const { skipped } = bench.peer(holder).job(job).counts;
      expect(skipped.nofollow).toBe(100);
      expect(Object.keys(skipped)).toHaveLength(1 + 16);
      const { silent } = await other.swarmStats();
      expect(silent).toEqual([]);
    });
  });
});
