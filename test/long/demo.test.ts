import { afterEach, describe, it } from "vitest";
import { interruptDemo, killDemo, proveDemo, startPeersOfDemo } from "../support/demo-process.ts";
import { ProcessBench } from "../support/process-bench.ts";

describe("peer demo", () => {
  const bench = new ProcessBench();
  afterEach(() => bench.clear());

  it("crawls through its kill and its join, and proves what it says", () => proveDemo(bench));
});

describe("peer demo that is interrupted or killed", () => {
  const bench = new ProcessBench();
  afterEach(() => bench.clear());

  it.each([
    ["while its second peer starts", "peer 1 begins a swarm"],
    ["while its third peer starts", "peer 2 joins by peer 1"],
    ["while the swarm crawls", "peer 2 is asked when the job is over"],
    ["while its fourth peer starts", "kill -9 of peer 3 after"],
  ])("leaves nothing behind: %s", (_when, said) => interruptDemo(bench, said, "SIGINT"));

  it("leaves no peer running: while the swarm crawls", () =>
    killDemo(bench, "peer 2 is asked when the job is over"));
});

describe("peer demo where the environment has settings of another peer", () => {
  const bench = new ProcessBench();
  afterEach(() => bench.clear());

  it("starts its peers without them", () =>
    startPeersOfDemo(bench, { ORBWEAVER_SWARM_KEY: "/nowhere/swarm.key" }));
});
