import { expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const options = { ...defaultJobOptions, scope: "site", delayMs: 1_000 } as const;

/** So that a member knows nothing of the others' sites. */
const cluster = { ring: { virtualNodes: 32, hashSeed: 0 }, replicas: 1 };

it("a member that nobody has ever answered loses no URL to an outage that the others can tell", async () => {
  const bench = new SwarmBench(3, {}, { cluster });
  await bench.run(async () => {
    await bench.begin();
    const seeds = bench.world.sampleWeb.rootUrls();
    const isLate = (url: string): boolean => bench.holderOf(url) === 2;
    const [early, late] = [seeds.filter((url) => !isLate(url)), seeds.filter(isLate)];
    expect(early.length).toBeGreaterThanOrEqual(3);
    expect(late.length).toBeGreaterThan(0);
    await bench.peer(0).inject(job, early, options);
    await bench.pass(5_000);
    const end = bench.world.web.cutOff(["peer-0", "peer-1", "peer-2"]);
    await bench.peer(0).inject(job, late, options);
    await bench.pass(1_200_000);
    end();
    await bench.finished(0);
  });
  expect(bench.urls).toHaveLength(240);
});
