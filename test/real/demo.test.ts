import { afterEach, describe, it } from "vitest";
import { interruptDemo, killDemo, startPeersOfDemo } from "../support/demo-process.ts";
import { ProcessBench } from "../support/process-bench.ts";

describe("peer demo that is interrupted or killed while its first peer starts", () => {
  const bench = new ProcessBench();
  afterEach(() => bench.clear());

  it("leaves nothing behind", () => interruptDemo(bench, "a fourth joins", "SIGTERM"));

  it("leaves no peer running", () => killDemo(bench, "a fourth joins"));
});

describe("peer demo where the environment has settings of another peer", () => {
  const bench = new ProcessBench();
  afterEach(() => bench.clear());

  it("starts its peers without them", () =>
    startPeersOfDemo(bench, { ORBWEAVER_SWARM_KEY: "/nowhere/swarm.key" }));
});
