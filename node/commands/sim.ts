import { access, constants, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Command } from "commander";
import { renderHtml } from "../../sim/report/render-html.ts";
import { renderText } from "../../sim/report/render-text.ts";
import { reportDocument } from "../../sim/report/report-document.ts";
import { replayOf, type RunReport } from "../../sim/report/run-log.ts";
import type { Plan, SimulationSize } from "../../sim/scenarios/plan.ts";
import {
  defaultSizeOf,
  scenarioNames,
  scenarios,
  type ScenarioName,
} from "../../sim/scenarios/scenarios.ts";
import { simulate } from "../../sim/simulate.ts";
import { CrawlError, errorCode } from "../../src/core/errors.ts";
import type { Millis } from "../../src/core/units.ts";
import { numbersOf } from "../config/number-options.ts";
import { exitCodes, usageError } from "../error-line.ts";
import { counted, formatCount, formatDuration } from "../../src/core/text/human.ts";
import { systemReason, writingFile } from "../system-reason.ts";
import { nearest } from "../text/nearest.ts";
import { printable, table, wrapped } from "../text/terminal-text.ts";
import { notWritten } from "../whole-file.ts";
import {
  newCommand,
  numberOption,
  printDocument,
  printJson,
  settingsOf,
  wantsJson,
} from "./command-context.ts";
import type { CommandContext } from "./command-context.ts";
import { SimProgress } from "./sim-progress.ts";

interface SimOptions {
  readonly scenario: ScenarioName;
  /** Of the first run; each next one has the next seed. */
  readonly size: SimulationSize;
  readonly seeds: number;
  readonly json: boolean;
  /** File for the report. */
  readonly report?: string;
}

/** A run and how long it took. */
interface TimedRun {
  readonly report: RunReport;
  readonly wallMs: Millis;
}

const seedMax = 0xffff_ffff;

/** What each number may be. One machine is no swarm; beyond the upper bounds a run takes hours. */
const ranges = {
  seed: { min: 0, max: seedMax },
  seeds: { min: 1, max: 1_000_000 },
  peers: { min: 2, max: 1_000 },
  sites: { min: 1, max: 100_000 },
  pages: { min: 1, max: 10_000_000 },
} as const;

/** `peer sim`: a whole swarm in virtual time, through the faults of a scenario, and the proof that its promises hold. */
export function simCommand(context: CommandContext): Command {
  const text = {
    name: "sim",
    summary: "simulate a swarm through faults in virtual time and check that its promises hold",
    examples: [
      ["peer sim churn --seed 7", "one run; the same seed gives the same run"],
      ["peer sim partition --seeds 50", "fifty runs, and how to replay each that failed"],
      ["peer sim flash-crowd --report crowd.html", "with pictures"],
      ["peer sim --list", "the scenarios"],
    ],
  } as const;
  return newCommand(text, [])
    .argument("[scenario]", "what happens to the swarm; see --list")
    .addOption(numberOption("--seed <n>", "draws everything that is left open", 1))
    .addOption(numberOption("--seeds <n>", "runs, with that many seeds from --seed on", 1))
    .option("--peers <n>", "machines (default: 5; flash-crowd: 50)")
    .option("--sites <n>", "sites of the simulated web (default: 40)")
    .option("--pages <n>", "pages of the simulated web (default: 2000)")
    .option("--report <file>", "write an HTML page about the first run that failed, or the first")
    .option("--list", "print the scenarios")
    .action(async (scenario: string | undefined, _options: unknown, command: Command) => {
      // It takes none from the environment; a variable that names one of its flags is not let pass in silence.
      await settingsOf(context, command, []);
      if (command.opts()["list"] === true) await list(context, command);
      else await sim(context, simOptionsOf(scenario, command));
    });
}

/** What a summary has of a terminal's 80 columns, beside the longest name. */
const summaryColumns = 60;

async function list(context: CommandContext, command: Command): Promise<void> {
  const summaries = scenarioNames.map((name) => [name, scenarios[name].summary] as const);
  const rows = summaries.flatMap(([name, summary]) =>
    wrapped(summary, summaryColumns, Infinity).map((line, at) => [at === 0 ? name : "", line]),
  );
  await printDocument(context, command, Object.fromEntries(summaries), () =>
    table(rows, ["left", "left"]),
  );
}

async function sim(context: CommandContext, options: SimOptions): Promise<void> {
  const { terminal } = context;
  const { scenario, size, seeds } = options;
  if (options.report !== undefined) await checkWritable(options.report);
  const failed: Plan[] = [];
  let shown: TimedRun | undefined;
  for (let run = 0; run < seeds; run += 1) {
    const seed = size.seed + run;
    const progress = new SimProgress(terminal, { seed, run, runs: seeds });
    const startedAtMs = terminal.clock.nowMs();
    const report = await simulate(scenario, { ...size, seed }, progress);
    const timed = { report, wallMs: terminal.clock.nowMs() - startedAtMs };
    if (shown === undefined || (shown.report.passed && !report.passed)) shown = timed;
    if (!report.passed) failed.push(report.plan);
    await progress.clear();
    await print(context, options, timed);
  }
  if (options.report !== undefined && shown !== undefined) {
    await writeReport(options.report, renderHtml(shown.report, shown.wallMs));
    await terminal.stderr.write(`the report is in ${printable(options.report)}\n`);
  }
  if (seeds > 1 && !options.json) await terminal.stdout.write(summaryOf(seeds, failed));
  if (failed.length > 0) context.finish(exitCodes.failed);
}

/** A run may take hours: whether its report can be written is known before. */
async function checkWritable(file: string): Promise<void> {
  if (file === "") throw usageError('--report must name a file, got ""');
  try {
    const found = await stat(file).catch(() => undefined);
    if (found?.isDirectory() === true) throw usageError(`--report ${file} is a directory`);
    await access(found === undefined ? dirname(file) : file, constants.W_OK);
  } catch (error) {
    if (errorCode(error) === undefined || error instanceof CrawlError) throw error;
    throw usageError(`--report ${file} cannot be written (${systemReason(error, writingFile)})`);
  }
}

async function writeReport(file: string, page: string): Promise<void> {
  try {
    await writeFile(file, page);
  } catch (cause) {
    throw notWritten(cause, file, "the report");
  }
}

async function print(context: CommandContext, options: SimOptions, run: TimedRun): Promise<void> {
  const { report, wallMs } = run;
  const { stdout } = context.terminal;
  if (options.json) await printJson(context, reportDocument(report, wallMs));
  else if (options.seeds === 1) await stdout.write(renderText(report, wallMs));
  else await stdout.write(`${lineOf(run)}\n`);
}

/** One run of many. */
function lineOf({ report, wallMs }: TimedRun): string {
  const { coverage, passed, plan, violationCounts, virtualMs } = report;
  const verdict = passed ? "ok    " : "FAILED";
  const found = [...violationCounts].map(([checker, times]) => `${times} ${checker}`).join(", ");
  const told = `${coverage.done} of ${coverage.must} pages, ${formatDuration(virtualMs)} virtual, ${formatDuration(wallMs)} real`;
  return `${verdict}  seed ${plan.size.seed}  ${told}${found === "" ? "" : `; ${found}`}`;
}

function summaryOf(seeds: number, failed: readonly Plan[]): string {
  const passed = `\n${seeds - failed.length} of ${counted(seeds, "seed")} passed\n`;
  if (failed.length === 0) return passed;
  return `${passed}replay what failed:\n${failed.map((plan) => `  ${replayOf(plan)}\n`).join("")}`;
}

function simOptionsOf(name: string | undefined, command: Command): SimOptions {
  const given = command.opts();
  const scenario = scenarioOf(name);
  const numbers = numbersOf(given, ranges);
  const defaults = defaultSizeOf(scenario);
  const size: SimulationSize = {
    seed: numbers.seed ?? defaults.seed,
    peers: numbers.peers ?? defaults.peers,
    sites: numbers.sites ?? Math.min(defaults.sites, numbers.pages ?? defaults.pages),
    pages: numbers.pages ?? Math.max(defaults.pages, numbers.sites ?? defaults.sites),
  };
  if (size.pages < size.sites) {
    throw usageError(`--pages must be at least --sites (${size.sites}), got ${size.pages}`);
  }
  const seeds = numbers.seeds ?? 1;
  // Each run that fails is to be replayed by its own seed.
  if (size.seed + seeds - 1 > ranges.seed.max) {
    throw usageError(
      `--seed and --seeds together must not go beyond ${formatCount(ranges.seed.max)}, got ${formatCount(size.seed + seeds - 1)}`,
    );
  }
  const report: unknown = given["report"];
  return {
    scenario,
    size,
    seeds,
    json: wantsJson(command),
    ...(typeof report === "string" && { report }),
  };
}

function scenarioOf(name: string | undefined): ScenarioName {
  const known = scenarioNames.find((each) => each === name);
  if (known !== undefined) return known;
  if (name === undefined) throw usageError("which scenario? peer sim --list prints them");
  const meant = nearest(name, scenarioNames);
  const hint = meant === undefined ? "" : ` (did you mean ${meant}?)`;
  throw usageError(`there is no scenario "${name}"${hint}; peer sim --list prints them`);
}
