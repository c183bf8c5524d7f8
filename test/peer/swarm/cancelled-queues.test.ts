import { expect, it } from "vitest";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import type { KeyTag } from "../../../src/core/record/key-tags.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

it("what a cancelled job has queued is kept by all, and looked for by none, also after a death and a return", async () => {
  const bench = new SwarmBench(3);
  const members = [0, 1, 2];
  const rows = (tag: KeyTag): number[] =>
    members.map((member) => bench.machine(member).disk.entries(tagRange(tag)).length);
  await bench.run(async () => {
    await bench.begin();
    await bench.inject(0, { delayMs: 60_000 });
    await bench.pass(30_000);
    await bench.peer(0).changeJob(job, "cancel");
    await bench.finished(0);
    await bench.pass(90_000);
    expect(Math.min(...rows("queue"))).toBeGreaterThan(0);
    expect(rows("waiting")).toEqual([0, 0, 0]);
    bench.machine(2).powerFailure();
    await bench.pass(120_000);
    await bench.machine(2).start();
    await bench.settled();
    await bench.pass(60_000);
    expect(Math.min(...rows("queue"))).toBeGreaterThan(0);
    expect(rows("waiting")).toEqual([0, 0, 0]);
    expect(bench.peers.map((peer) => peer.stats().activeHosts)).toEqual([0, 0, 0]);
  });
});
