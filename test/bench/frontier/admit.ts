/**
 * How many new URLs a second of processor time frontier and sieve admit, durably, and whether that falls as they grow.
 *
 *   node test/bench/frontier/admit.ts [--urls 2000000] [--hosts 100000] [--cross 20] [--pages 64] [--metrics on] [--json]
 *
 * Wanted: 60,000 new URLs for each second of processor time, of all threads, with 45% of the links repeats; and the rate of
 * any million not more than 10% below that of the first, up to 20 million (`--urls 20000000`).
 *
 * Pages of 40 links, 22 of them new, are given to the true Admission, 64 at a time, with Frontier, SieveKeeper, Journal
 * and LevelStore behind it; nothing is fetched. The pages are those of the hosts that have room in memory, in turns;
 * `--cross` percent of the new links lead to any of `--hosts`, of which the most wait on disk. Pages and fingerprints are
 * made by parser threads in a peer, so the time that this program's main thread spends on them is left out.
 */
import { fileURLToPath } from "node:url";
import { restartWithMemorySettings } from "../../../node/memory-settings.ts";
import { defaultFrontierOptions } from "../../../src/peer/frontier/frontier-options.ts";
import { memoryOf } from "../process-memory.ts";
import { runBenchmark, say, type Figure } from "../swarm/bench-run.ts";
import { loadGeneratedSource } from "./load-source.ts";
import type { LoneFrontier } from "./lone-frontier.ts";
import { MadePages } from "./made-pages.ts";
import { between, spentSoFar, type Spent } from "./spending.ts";
import { SyntheticPages } from "./synthetic-pages.ts";

const newPerPage = 22;
const repeatsPerPage = 18;
const urlsPerLine = 1_000_000;

/** One line of the report. */
interface Leg {
  readonly urls: number;
  readonly urlsPerSecond: number;
  readonly urlsPerCpuSecond: number;
  readonly urlsPerThreadSecond: number;
  readonly residentMiB: number;
  readonly anonymousMiB: number;
}

const flags = { urls: 2_000_000, hosts: 100_000, cross: 20, pages: 64, metrics: "on" };

restartWithMemorySettings(fileURLToPath(import.meta.url), process.argv.slice(2));
await runBenchmark({
  name: "admit",
  folder: "frontier",
  flags,
  run: async (bench, { urls, hosts, cross, pages: atOnce, metrics }) => {
    loadGeneratedSource();
    const { LoneFrontier } = await import("./lone-frontier.ts");
    const directory = await bench.directory();
    const lone = await LoneFrontier.open({
      directory,
      counts: metrics === "on",
      job: { scope: "any" },
    });
    bench.atEnd(() => lone.close());
    const pages = new SyntheticPages({
      hosts,
      sources: Math.min(hosts, defaultFrontierOptions.activeHostsMax),
      newPerPage,
      crossPerPage: Math.round((newPerPage * cross) / 100),
      repeatsPerPage,
    });
    const legs = await admitAll(lone, pages, urls, atOnce);
    return {
      about: `${urls} URLs over ${hosts} hosts, ${atOnce} pages at a time`,
      figures: figuresOf(legs),
      samples: { legs },
    };
  },
});

async function admitAll(
  { admission, job, journal, tick }: LoneFrontier,
  pages: SyntheticPages,
  urls: number,
  atOnce: number,
): Promise<Leg[]> {
  const legs: Leg[] = [];
  const made = new MadePages(pages);
  let legStart = spentSoFar();
  let [admitted, legUrls] = [0, 0];
  const endLeg = (): void => {
    const leg = legOf(
      admitted,
      legUrls,
      between(made.takeSpent(), between(legStart, spentSoFar())),
    );
    say(lineOf(leg));
    legs.push(leg);
    legStart = spentSoFar();
    legUrls = 0;
  };
  const visits = Array.from({ length: atOnce }, async () => {
    while (admitted < urls) {
      const { links, via } = made.next();
      const request = { job, links, excluded: [], depth: 1, via, redirectChain: [] };
      const { added } = await admission.admit(request);
      admitted += added.length;
      legUrls += added.length;
      if (legUrls < urlsPerLine) continue;
      tick();
      endLeg();
    }
  });
  await Promise.all(visits);
  await journal.flushed();
  if (legUrls >= urlsPerLine / 10 || legs.length === 0) endLeg();
  const distinct = made.given * newPerPage;
  if (admitted !== distinct || job.counter.queued !== distinct) {
    throw new Error(`${distinct} distinct URLs, but ${admitted} were admitted`);
  }
  return legs;
}

function legOf(urls: number, legUrls: number, { wallMs, threadMs, processMs }: Spent): Leg {
  const { residentMiB, anonymousMiB } = memoryOf(process.pid);
  return {
    urls,
    urlsPerSecond: (legUrls * 1_000) / wallMs,
    urlsPerCpuSecond: (legUrls * 1_000) / processMs,
    urlsPerThreadSecond: (legUrls * 1_000) / threadMs,
    residentMiB,
    anonymousMiB,
  };
}

function lineOf(leg: Leg): string {
  const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
  return (
    `${whole(leg.urls)} URLs: ${whole(leg.urlsPerSecond)} new a second, ` +
    `${whole(leg.urlsPerCpuSecond)} a CPU-second, ${whole(leg.urlsPerThreadSecond)} a CPU-second of the main thread, ` +
    `${whole(leg.residentMiB)} MiB resident, ${whole(leg.anonymousMiB)} MiB anonymous`
  );
}

function figuresOf(legs: readonly Leg[]): Figure[] {
  const [first] = legs;
  const last = legs.at(-1);
  if (!first || !last) throw new RangeError("--urls must be above 0");
  const mean = (pick: (leg: Leg) => number): number => {
    let before = 0;
    let units = 0;
    for (const leg of legs) {
      units += (leg.urls - before) / pick(leg);
      before = leg.urls;
    }
    return last.urls / units;
  };
  const whole = legs.filter(({ urls }, at) => urls - (legs[at - 1]?.urls ?? 0) >= urlsPerLine);
  const slowest = Math.min(...(whole.length > 0 ? whole : legs).map((leg) => leg.urlsPerCpuSecond));
  const perCpu = mean(({ urlsPerCpuSecond }) => urlsPerCpuSecond);
  const perThread = mean(({ urlsPerThreadSecond }) => urlsPerThreadSecond);
  return [
    { name: "admitted", value: perCpu, unit: "new URLs a CPU-second", wanted: { least: 60_000 } },
    { name: "of the main thread's", value: perThread, unit: "new URLs a CPU-second" },
    { name: "on the clock", value: mean((leg) => leg.urlsPerSecond), unit: "new URLs/s" },
    {
      name: "slowest million to the first",
      value: (100 * slowest) / first.urlsPerCpuSecond,
      unit: "%",
      wanted: { least: 90 },
    },
    { name: "resident at the end", value: last.residentMiB, unit: "MiB" },
    { name: "anonymous at the end", value: last.anonymousMiB, unit: "MiB" },
  ];
}
