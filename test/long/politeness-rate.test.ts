import { afterEach, describe, expect, it } from "vitest";
import { audit } from "../../sim/auditor/auditor.ts";
import { readHitLog } from "../../sim/auditor/hit-log-reader.ts";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import { startSampleWebProcess } from "../support/sample-web-process.ts";
import { ProcessBench } from "../support/process-bench.ts";
import { contact } from "../support/process-bench.ts";

describe("peer crawl of 200 hosts, 100 ms between two requests to each", () => {
  const bench = new ProcessBench();
  afterEach(() => bench.clear());

  it("keeps every delay, and reports how much of what they allow it used", async () => {
    const directory = await bench.directory();
    // Served by a process of its own, so that the times in its log are those of the requests.
    const served = await startSampleWebProcess(`${directory}/hits.ndjson`, [
      ...["--preset", "plain", "--sites", "200", "--pages", "40000"],
      ...["hostsPerSite=1", "pagesExponent=0", "branching=64", "linksPerPage=4"].flatMap((set) => [
        "--set",
        set,
      ]),
    ]);
    const seeds = served.web.rootUrls();
    try {
      const ended = await bench.run([
        ...["crawl", ...seeds, "--scope", "any", "--delay", "100", "--out", `${directory}/crawl`],
        ...["--allow-private", "--contact", contact, "--dns", `127.0.0.1:${served.dnsPort}`],
      ]);
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
    } finally {
      await served.stop();
    }
    const graph = new TrueGraph(served.web, { seeds });
    const report = await audit(readHitLog(served.log), graph, { hostDelayMs: 100 });
    process.stdout.write(`\n${renderAudit(report)}\n`);
    expect(report.passed, renderAudit(report)).toBe(true);
    expect(report.hostPace.rateHosts).toBe(200);
  });
});
