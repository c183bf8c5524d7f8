/**
 * The benchmarks of the hot paths, each by itself, compared with stored results: `npm run bench:micro`.
 *
 * It tells which cost more than a tenth above what is stored, and fails for none of them.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runToExit } from "../flags.ts";
import { machine } from "../report.ts";
import { BenchThread } from "./bench-thread.ts";
import { newChain } from "./calibration.ts";
import { compare, summarise, type Sample } from "./comparison.ts";
import { allBenchmarks } from "./groups.ts";
import type { MicroBenchmark } from "./micro-benchmark.ts";
import { microOptions, usage } from "./micro-options.ts";
import { formatResults, parseResults, type StoredResults } from "./stored-results.ts";
import { renderTable, type Finding } from "./table.ts";

const resultsPath = join(import.meta.dirname, "results.json");

/** Long enough for dozens of passes of most, short enough for all to take less than two minutes. */
const sampleMs = 120;

/** Exit code of a shell's command that SIGINT ended. */
const interruptedCode = 130;

/** A benchmark with its thread, until something breaks in it. */
interface Running {
  readonly benchmark: MicroBenchmark;
  readonly thread: BenchThread;
  readonly samples: Sample[];
}

await runToExit(main);

async function main(): Promise<number> {
  const all = await allBenchmarks();
  const options = microOptions(process.argv.slice(2), all);
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  const stored = parseResults(await readFile(resultsPath, "utf8").catch(() => "{}"));
  const measured = await inDirectory((directory) =>
    measure(options.benchmarks, options.rounds, directory, stored),
  );
  const findings = measured.map((running) => findingOf(running, stored));
  const { node, cpu } = machine();
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ machine: machine(), rounds: options.rounds, benchmarks: findings }, undefined, 2)}\n`
      : renderTable(findings),
  );
  if (options.save) {
    const date = new Date().toISOString().slice(0, 10);
    const fresh = findings.map(({ name, ns, lowNs, highNs, calibration }) => [
      name,
      { ns, lowNs, highNs, calibration, node, cpu, date },
    ]);
    const results = { ...stored, ...(Object.fromEntries(fresh) as StoredResults) };
    const names = all.map(({ name }) => name);
    await writeFile(resultsPath, formatResults(results, names));
  }
  return measured.length === options.benchmarks.length ? 0 : 1;
}

/** Gives `work` an empty directory, which is gone afterwards, however it ends. */
async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "orbweaver-micro-"));
  const remove = (): Promise<void> =>
    rm(directory, { recursive: true, force: true, maxRetries: 3 });
  const interrupt = (): void => {
    void remove().finally(() => process.exit(interruptedCode));
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    return await work(directory);
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    await remove();
  }
}

/**
 * Samples of all, one of each in every round; those that broke are told and left out. What seems slower than stored is
 * measured for as many rounds again, so that a bad moment of the machine seldom makes a difference.
 */
async function measure(
  benchmarks: readonly MicroBenchmark[],
  rounds: number,
  directory: string,
  stored: StoredResults,
): Promise<readonly Running[]> {
  // The threads collect what others left before each sample, so that none pays for another's garbage.
  setFlagsFromString("--expose-gc");
  const chain = newChain();
  let running: readonly Running[] = [];
  for (const [at, benchmark] of benchmarks.entries()) {
    const own = join(directory, String(at));
    await mkdir(own);
    const settings = { name: benchmark.name, directory: own, chain };
    const thread = await unlessBroken(benchmark, () => BenchThread.start(settings));
    if (thread !== undefined) running = [...running, { benchmark, thread, samples: [] }];
    progress(`ready: ${at + 1} of ${benchmarks.length}`);
  }
  for (let round = 1; round <= rounds * 2; round += 1) {
    const isAgain = round > rounds;
    running = await each(running, async (one) => {
      if (isAgain && findingOf(one, stored).comparison?.verdict !== "slower") return;
      one.samples.push(await one.thread.sample(sampleMs));
    });
    progress(isAgain ? `again: round ${round - rounds}` : `round ${round} of ${rounds}`);
  }
  running = await each(running, ({ thread }) => thread.stop());
  progress("");
  return running;
}

/** Does the same with one after the other; those that did not break. */
async function each(
  running: readonly Running[],
  work: (one: Running) => Promise<void>,
): Promise<readonly Running[]> {
  const whole: Running[] = [];
  for (const one of running) {
    const done = await unlessBroken(one.benchmark, async () => {
      await work(one);
      return true;
    });
    if (done === true) whole.push(one);
  }
  return whole;
}

async function unlessBroken<T>(
  { name }: MicroBenchmark,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    process.stderr.write(
      `${name}: ${error instanceof Error ? String(error.stack) : String(error)}\n`,
    );
    return undefined;
  }
}

function findingOf({ benchmark, thread, samples }: Running, results: StoredResults): Finding {
  const { name, operation } = benchmark;
  const summary = summarise(samples);
  const stored = results[name];
  return {
    name,
    operation,
    ...(thread.bytes !== undefined && { bytes: thread.bytes }),
    ...summary,
    samples,
    ...(stored !== undefined && { stored, comparison: compare(summary, stored) }),
  };
}

/** Tells how far it is, on one line of a terminal. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}
