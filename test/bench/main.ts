/**
 * The side-by-side benchmark: the same sites, crawled in turns by this crawler, by others and by a bare loop.
 *
 * Nobody's own count is believed: pages are counted in the server's log and compared with those that a walk of its own
 * found reachable; processor time and memory are the kernel's, of the tool's whole process tree.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judge, medianFigures, type JudgedRun } from "./figures.ts";
import { runToExit, UsageError } from "./flags.ts";
import { measuredRun } from "./measured-run.ts";
import { benchOptions, usage, type BenchOptions } from "./options.ts";
import { reachablePages } from "./reachable-pages.ts";
import {
  machine,
  renderFooter,
  renderSite,
  withRatios,
  type BenchReport,
  type SiteReport,
} from "./report.ts";
import type { BenchSite } from "./sites.ts";
import { ownName, type BenchTool } from "./tools.ts";

type InstalledTool = BenchTool & { readonly installed: string };

/** What one benchmark works with. */
interface Bench {
  readonly options: BenchOptions;
  readonly tools: readonly InstalledTool[];
  readonly directory: string;
  readonly signal: AbortSignal;
}

await runToExit(main);

async function main(): Promise<number> {
  const options = benchOptions(process.argv.slice(2));
  if (options.help) return print(usage);
  if (options.list) return print(list(options));
  const skipped: string[] = [];
  const tools = options.tools.flatMap((tool) => {
    const installed = tool.version();
    if (installed === undefined) skipped.push(`${tool.name} is not installed`);
    return installed === undefined ? [] : [{ ...tool, installed }];
  });
  const sites = options.sites.filter((site) => {
    const missing = site.missing();
    if (missing !== undefined) skipped.push(`${site.name}: ${missing} is not installed`);
    return missing === undefined;
  });
  if (tools.length === 0 || sites.length === 0) {
    throw new UsageError(`nothing to compare (${skipped.join("; ")}); run test/bench/setup.sh`);
  }
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  // A reader that went away (`| head`) ends the benchmark, not the tidying up.
  process.stdout.on("error", interrupt);
  const directory = await mkdtemp(join(tmpdir(), "orbweaver-bench-"));
  try {
    const bench: Bench = { options, tools, directory, signal: stop.signal };
    const report: BenchReport = {
      machine: machine(),
      connections: options.connections,
      runs: options.runs,
      skipped,
      sites: await allSites(bench, sites),
    };
    print(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : renderFooter(report));
    return stop.signal.aborted || report.sites.some(fellShort) ? 1 : 0;
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    await rm(directory, { recursive: true, force: true });
  }
}

function print(text: string): 0 {
  process.stdout.write(text);
  return 0;
}

/** Tells how far the benchmark is, on standard error. */
function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function list({ sites, tools }: BenchOptions): string {
  const lines = [
    "sites",
    ...sites.map(({ name, about, missing }) => {
      const lacks = missing();
      return `  ${name.padEnd(16)}${about}${lacks === undefined ? "" : ` (not installed: ${lacks})`}`;
    }),
    "tools",
    ...tools.map(({ name, about, version }) => {
      const installed = version();
      return `  ${name.padEnd(16)}${about} (${installed ?? "not installed"})`;
    }),
  ];
  return `${lines.join("\n")}\n`;
}

async function allSites(bench: Bench, sites: readonly BenchSite[]): Promise<SiteReport[]> {
  const reports: SiteReport[] = [];
  for (const site of sites) {
    if (bench.signal.aborted) break;
    const report = await siteReport(bench, site);
    reports.push(report);
    if (!bench.options.json) print(`${renderSite(report)}\n`);
  }
  return reports;
}

async function siteReport(bench: Bench, site: BenchSite): Promise<SiteReport> {
  const server = await site.serve(join(bench.directory, site.name));
  let expected: Set<string>;
  try {
    expected = await reachablePages(server.startUrl, server.anyHost);
  } finally {
    await server.stop();
  }
  say(`${site.name}: ${expected.size} reachable pages`);
  const runs = new Map(bench.tools.map((tool): [InstalledTool, JudgedRun[]] => [tool, []]));
  for (let run = 1; run <= bench.options.runs; run += 1) {
    for (const [tool, judged] of runs) {
      if (bench.signal.aborted) break;
      const result = await oneRun(bench, site, tool, expected);
      judged.push(result);
      const { pages, missing, seconds } = result.figures;
      const what = result.problem ?? (missing > 0 ? `${missing} missing` : "");
      say(
        `  run ${run}, ${tool.name}: ${pages} pages in ${seconds.toFixed(2)} s  ${what}`.trimEnd(),
      );
    }
  }
  const tools = [...runs].filter(([, judged]) => judged.length > 0);
  return {
    site: site.name,
    about: site.about,
    software: server.software,
    pagesExpected: expected.size,
    pagesKnown: site.pagesKnown,
    tools: withRatios(
      tools.map(([{ name, about, installed }, judged]) => ({
        tool: name,
        version: installed,
        about,
        median: medianFigures(judged.map(({ figures }) => figures)),
        runs: judged,
      })),
    ),
  };
}

/** One tool, once, against a server of its own whose log holds that run alone. */
async function oneRun(
  { options, directory, signal }: Bench,
  site: BenchSite,
  tool: InstalledTool,
  expected: ReadonlySet<string>,
): Promise<JudgedRun> {
  const runDirectory = join(directory, "run");
  const work = join(runDirectory, "work");
  await mkdir(work, { recursive: true });
  const server = await site.serve(join(runDirectory, "server"));
  try {
    const { startUrl, anyHost } = server;
    const task = { startUrl, anyHost, connections: options.connections, directory: work };
    const run = await measuredRun(
      {
        argv: tool.command(task),
        directory: work,
        env: tool.env?.(task) ?? {},
        timeoutMs: options.timeoutMs,
      },
      signal,
    );
    return judge(run, await server.stop(), expected, tool.exitCodes ?? [0]);
  } finally {
    await server.stop();
    await rm(runDirectory, { recursive: true, force: true });
  }
}

/** Whether this crawler failed or missed a page; what others do is only shown. */
function fellShort({ tools }: SiteReport): boolean {
  const own = tools.find(({ tool }) => tool === ownName);
  return (
    own?.runs.some(({ figures, problem }) => figures.missing > 0 || problem !== undefined) ?? false
  );
}
