import { describe, expect, it } from "vitest";
import type { CanonicalUrl } from "../../../../src/core/units.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { urlRow } from "../../../../src/peer/admission/url-row.ts";
import { job, SwarmBench } from "../swarm-bench.ts";

/** Each sync takes as long as another. */
const diskTimes = { syncMedianMs: 10, syncTail: 0 };

/** A sync takes a second then. */
const slowness = 100;

/** No page leads to it, and its host is not to be found. */
const seeds = Array.from({ length: 8 }, (_, n) => `http://site-${n}.invalid/` as CanonicalUrl);

describe("a seed that is acknowledged", () => {
  it.each([0, 1])("is durable at both members, though member %i has a slow disk", async (slow) => {
    const bench = new SwarmBench(2, { machine: { diskTimes } });
    await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, ["http://nowhere.invalid/"]);
      await bench.peer(0).changeJob(job, "pause");
      await bench.pass(5_000);
      bench.machine(slow).disk.slowness = slowness;
      expect(await bench.peer(0).inject(job, seeds)).toMatchObject({ added: seeds.length });
    });
    const holders = new Set(seeds.map((url) => bench.holderOf(url)));
    expect([...holders].sort()).toEqual([0, 1]);
    for (const index of [0, 1]) bench.machine(index).powerFailure();
    const named = new JobRegistry().define(job);
    const rows = seeds.map((url) => urlRow(url, named).key);
    for (const index of [0, 1]) {
      expect(rows.map((key) => bench.machine(index).disk.has(key))).toEqual(rows.map(() => true));
    }
  });
});
