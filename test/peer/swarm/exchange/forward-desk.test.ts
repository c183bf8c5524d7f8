import { describe, expect, it } from "vitest";
import type { CanonicalUrl } from "../../../../src/core/units.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { urlRow } from "../../../../src/peer/admission/url-row.ts";
import { job, SwarmBench } from "../swarm-bench.ts";

/** Each sync takes as long as another. */
const diskTimes = { syncMedianMs: 10, syncTail: 0 };

/** A sync takes a second then. */
const slowness = 100;

/** No page leads to them. */
const urls = Array.from({ length: 20 }, (_, n) => `http://site-${n}.invalid/` as CanonicalUrl);

describe("a seed that is acknowledged", () => {
  it.each([
    ["holder", 0],
    ["replica", 1],
  ])("is durable at both members, though its %s has a slow disk", async (_, slow) => {
    const bench = new SwarmBench(2, { machine: { diskTimes } });
    const seeds = await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, ["http://nowhere.invalid/"]);
      await bench.peer(0).changeJob(job, "pause");
      await bench.pass(5_000);
      bench.machine(slow).disk.slowness = slowness;
      const held = urls.filter((url) => bench.holderOf(url) === 0);
      expect(await bench.peer(1).inject(job, held)).toMatchObject({ added: held.length });
      return held;
    });
    expect(seeds).not.toEqual([]);
    const named = new JobRegistry().define(job);
    for (const index of [0, 1]) {
      const { disk } = bench.machine(index);
      bench.machine(index).powerFailure();
      expect(seeds.filter((url) => disk.has(urlRow(url, named).key))).toEqual(seeds);
    }
  });
});
