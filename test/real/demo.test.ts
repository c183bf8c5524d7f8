import { afterEach, describe, it } from "vitest";
import { interruptDemo, killDemo } from "../support/demo-process.ts";
import { ProcessBench } from "../support/process-bench.ts";

describe("peer demo that is interrupted or killed while its first peer starts", () => {
  const bench = new ProcessBench();
  afterEach(() => bench.clear());

  it("leaves nothing behind", () => interruptDemo(bench, "a fourth joins", "SIGTERM"));

  it("leaves no peer running", () => killDemo(bench, "a fourth joins"));
});
