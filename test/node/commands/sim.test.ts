import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../node/cli.ts";
import type { RunReport, Sample } from "../../../sim/report/run-log.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";

/** Some of what a run comes to, as programs read it. */
interface RunDocument {
  readonly figures: Pick<RunReport, "answered" | "coverage" | "requests">;
  readonly samples: readonly Pick<Sample, "answered">[];
}

const tiny = ["--peers", "3", "--sites", "5", "--pages", "60"];

let terminal: FakeTerminal;

beforeEach(() => {
  terminal = new FakeTerminal();
});

async function sim(...words: string[]) {
  const exitCode = await runCli(["sim", ...words], terminal);
  return { exitCode, out: terminal.stdout.text, err: terminal.stderr.text };
}

describe("peer sim", () => {
  it("explains itself with examples", async () => {
    const { exitCode, out } = await sim("--help");
    expect(exitCode).toBe(0);
    expect(out).toContain("peer sim churn --seed 7");
    expect(out).toContain("--seeds <n>");
  });

  it("lists the scenarios with what happens in each", async () => {
    const { exitCode, out } = await sim("--list");
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^steady +nothing happens: the swarm crawls the web$/m);
    expect(out).toMatch(/^flash-crowd +one machine begins/m);
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it.each([
    [["chrun"], 'there is no scenario "chrun" (did you mean churn?); peer sim --list prints them'],
    [[], "which scenario? peer sim --list prints them"],
    [["steady", "--peers", "x"], '--peers must be a whole number from 2 to 1,000, got "x"'],
    [
      ["steady", "--seed", "4294967295", "--seeds", "2"],
      "--seed and --seeds together must not go beyond 4,294,967,295, got 4,294,967,296",
    ],
    [["steady", "--pages", "3", "--sites", "4"], "--pages must be at least --sites (4), got 3"],
    [
      ["steady", "--report", "/nope/x.html"],
      "--report /nope/x.html cannot be written (there is no such directory)",
    ],
    [["steady", "--report", ""], '--report must name a file, got ""'],
    [["steady", "--report", tmpdir()], `--report ${tmpdir()} is a directory`],
  ])("says in one line what is wrong with %j", async (words, problem) => {
    expect(await sim(...words)).toEqual({ exitCode: 2, out: "", err: `peer: ${problem}\n` });
  });

  it.each(["sim", "demo"])("refuses a variable that %s does not read", async (command) => {
    terminal.environment["ORBWEAVER_PEERS"] = "9";
    expect(await runCli([command], terminal)).toBe(2);
    expect(terminal.stderr.text).toMatch(
      /^peer: unknown environment variable ORBWEAVER_PEERS[^\n]*\n$/,
    );
  });

  it("prints one document with everything about one run", async () => {
    const { exitCode, out, err } = await sim("steady", ...tiny, "--json");
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(JSON.parse(out)).toMatchObject({
      scenario: "steady",
      seed: 1,
      passed: true,
      violations: [],
      violationCounts: {},
      replay: "peer sim steady --seed 1 --peers 3 --sites 5 --pages 60",
      plan: { size: { seed: 1, peers: 3, sites: 5, pages: 60 } },
    });
  });

  it("calls nothing pages in its document but pages: what was answered is more", async () => {
    const { figures, samples } = JSON.parse(
      (await sim("steady", ...tiny, "--json")).out,
    ) as RunDocument;
    expect(figures).not.toHaveProperty("pages");
    expect(figures.answered).toBeGreaterThanOrEqual(figures.coverage.done);
    expect(figures.answered).toBeLessThanOrEqual(figures.requests);
    const last = samples.at(-1)?.answered ?? [];
    expect(last.reduce((sum, one) => sum + one, 0)).toBe(figures.answered);
  });

  it("runs several seeds, a line each, and says how many passed", async () => {
    const { exitCode, out } = await sim("steady", ...tiny, "--seed", "3", "--seeds", "2");
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^ok {6}seed 3 .*\nok {6}seed 4 .*\n\n2 of 2 seeds passed\n$/);
  });

  it("writes a page where it is told to", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sim-report-"));
    try {
      const file = join(folder, "report.html");
      const { out } = await sim("steady", ...tiny, "--report", file);
      expect(out).toMatch(/^PASSED\n/);
      expect(await readFile(file, "utf8")).toMatch(/^<!doctype html>[^]*<\/html>\n$/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
