import { execFile, execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { audit } from "../../sim/auditor/auditor.ts";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import { plainSampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import { crawlWords, ProcessBench, summaryOf } from "../support/process-bench.ts";
import { readWarcs } from "../support/read-crawl.ts";

const diskBytes = 48 * 1024 * 1024;
const ballastBytes = 44 * 1024 * 1024;

/** Mounts a small disk there; false where this user may not. */
function mountSmallDisk(path: string): boolean {
  mkdirSync(path);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskBytes}`, "tmpfs", path]);
    return true;
  } catch {
    return false;
  }
}

describe("peer crawl on a disk that runs full", () => {
  const bench = new ProcessBench();
  afterEach(() => bench.clear());

  it("says so in one line, and goes on without a loss when there is room again", async (context) => {
    const disk = join(await bench.directory(), "disk");
    if (!mountSmallDisk(disk)) context.skip("only root can mount a small disk");
    bench.atEnd(() => promisify(execFile)("umount", [disk]));
    const ballast = join(disk, "ballast");
    await writeFile(ballast, Buffer.alloc(ballastBytes));
    const site = await bench.site({
      ...plainSampleWebOptions,
      sites: 10,
      hostsPerSite: 1,
      totalPages: 3_000,
      bytesPerPage: 16_384,
    });
    const words = crawlWords(site, join(disk, "crawl"), 0);
    const full = await bench.run(words);
    expect(full.code).toBe(1);
    const said = full.stderr.split("\n").filter((line) => line.startsWith("peer: "));
    expect(said, full.stderr).toHaveLength(1);
    expect(said[0]).toMatch(/full|no space/i);
    const before = site.server.hits.length;
    expect(before).toBeLessThan(3_000);

    await rm(ballast);
    const ended = await bench.run(words);
    const summary = summaryOf(ended);
    expect(ended.code, ended.stderr).toBe(0);
    expect(summary).toMatchObject({ finished: true, pages: 3_000, queued: 0 });
    const graph = new TrueGraph(site.web, { seeds: site.seeds });
    const report = await audit(site.server.hits, graph, {
      hostDelayMs: 0,
      refetchesAllowed: summary.duplicateFetches,
    });
    expect(report.passed, renderAudit(report)).toBe(true);
    const responses = (await readWarcs(summary.archive)).filter(({ type }) => type === "response");
    expect(new Set(responses.map(({ url }) => url)).size).toBe(3_000);
    expect(responses).toHaveLength(3_000);
  });
});
