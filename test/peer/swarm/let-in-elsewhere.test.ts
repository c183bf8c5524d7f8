import { expect, it } from "vitest";
import { partition } from "../../../sim/world/network-rules.ts";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import { retag } from "../../../src/core/record/url-keys.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** Time in which each side has missed the other. */
const missedMs = 15_000;

const options = { ...defaultJobOptions, scope: "page", delayMs: 100 } as const;

it.each([0, 1])(
  "a URL that a split's side %i keeps out, and the other one lets in, does not count as skipped",
  async (side) => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      const [root = "", ...roots] = bench.world.sampleWeb.rootUrls();
      await bench.peer(0).inject(job, [], options);
      await bench.pass(1_000);
      const heal = bench.world.network.addRule(partition([0], [1]));
      await bench.pass(missedMs);
      await bench.peer(side).inject(job, [root], options);
      await bench.pass(5_000);
      const states = await bench.peer(side).status(roots, job);
      const url = states.find(({ state }) => state === "excluded")?.url ?? "";
      await bench.peer(1 - side).inject(job, [url], options);
      await bench.pass(5_000);
      const skipped = [0, 1].map((index) => bench.peer(index).job(job).counts.skipped.scope ?? 0);
      heal();
      await bench.pass(60_000);
      await bench.settled();
      expect(await bench.peer(side).status([url], job)).toMatchObject([{ state: "done" }]);
      const { key } = urlRow(url as CanonicalUrl, new JobRegistry().define(job));
      const isKept = [0, 1].map((index) => bench.machine(index).disk.has(retag(key, "exclusion")));
      expect(isKept).toEqual([false, false]);
      const [stats] = (await bench.peer(0).swarmStats()).jobs;
      expect(stats?.counts.skipped.scope).toBe((skipped[0] ?? 0) + (skipped[1] ?? 0) - 1);
    });
  },
);
