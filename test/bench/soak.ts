/**
 * Whether a peer that runs for long stays as it is: memory, file descriptors, handles, the event loop's delay.
 *
 *   node test/bench/soak.ts [--minutes 60] [--sites 120] [--pages 50] [--delay 200] [--every 5] [--json]
 *
 * Wanted: flat after the warm-up, the first third but 15 minutes at most: the line of least squares rises by no more than
 * 5% of the mean an hour for anonymous memory, and by no more than five an hour for descriptors and handles. In a run of a
 * few minutes the noise is larger than that.
 *
 * A built peer crawls the sample web, some faults included, from a server of its own. Each minute `--sites` sites of
 * `--pages` pages that nobody has asked before are injected into one job, a few every `--every` seconds, and those of the
 * minute before run dry: hosts come and go, and what a peer keeps of each must go with them. Only the sieve grows, by 2
 * bytes for each URL. As often the kernel's account (`/proc/PID`) and the peer's own (`/metrics`) are read; a line a minute
 * tells their means. The event loop's delay is that of prom-client's timer, whose resolution of 10 ms is part of it.
 *
 * Needs a build, and Linux's /proc.
 */
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryOf } from "./process-memory.ts";
import { runBenchmark, say, type Figure } from "./swarm/bench-run.ts";
import type { BenchPeer } from "./swarm/bench-swarm.ts";

const job = "soak";
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const warmUpMinutesMax = 15;
/** An hour in which anonymous memory rises by no more than this share of it is flat. */
const memoryRiseMax = 5;
/** Sockets come and go: a rise of some few an hour is within their noise. */
const countRiseMax = 5;

/** Faults that a crawl lives through without waiting long. */
const faults = ["missing=0.02", "redirect=0.03", "other=0.02", "failing=0.002", "reset=0.001"];

/** What the peer is like at a moment. */
interface Sample {
  readonly atMs: number;
  readonly residentMiB: number;
  readonly anonymousMiB: number;
  readonly heapMiB: number;
  readonly descriptors: number;
  /** Open handles and requests of libuv. */
  readonly handles: number;
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
  readonly activeHosts: number;
  readonly pages: number;
}

const flags = { minutes: 60, sites: 120, pages: 50, delay: 200, every: 5 };

await runBenchmark({
  name: "soak",
  folder: "",
  flags,
  run: async (bench, { minutes, sites, pages, delay: delayMs, every }) => {
    const web = await bench.sampleWeb({
      sites: sites * minutes,
      pages: sites * minutes * pages,
      knobs: ["robotsMissingShare=0.5", ...faults.map((fault) => `shares.${fault}`)],
    });
    const peer = await bench.startPeer("soaked", web.flags);
    const samples: Sample[] = [];
    const startedAtMs = Date.now();
    let injected = 0;
    for (let minute = 0; minute < minutes; minute += 1) {
      const endAtMs = startedAtMs + (minute + 1) * minuteMs;
      const first = samples.length;
      while (Date.now() < endAtMs) {
        await sleep(Math.min(every * 1_000, endAtMs - Date.now()));
        const due = Math.floor((sites * (Date.now() - startedAtMs)) / minuteMs);
        const end = Math.min(due, sites * minutes);
        const seeds = Array.from({ length: end - injected }, (_, at) =>
          web.web.rootUrl(injected + at),
        );
        injected = end;
        if (seeds.length > 0) await peer.inject(job, seeds, { scope: "host", delayMs });
        samples.push(await sampleOf(peer));
      }
      say(lineOf(minute + 1, samples.slice(first)));
    }
    const warmUpMs = Math.min(minutes / 3, warmUpMinutesMax) * minuteMs;
    const counted = samples.filter(({ atMs }) => atMs >= startedAtMs + warmUpMs);
    return {
      about: `${minutes} minutes, ${sites} new sites of ${pages} pages each minute, delay ${delayMs} ms`,
      figures: figuresOf(counted, peer),
      samples: { samples },
    };
  },
});

async function sampleOf(peer: BenchPeer): Promise<Sample> {
  const response = await fetch(`${peer.api}/metrics`);
  const text = await response.text();
  const metric = (name: string): number =>
    Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? NaN);
  const sum = (name: string): number =>
    [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\S+)$`, "gm"))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  const { residentMiB, anonymousMiB } = memoryOf(peer.pid);
  return {
    atMs: Date.now(),
    residentMiB,
    anonymousMiB,
    heapMiB: metric("nodejs_heap_size_used_bytes") / 2 ** 20,
    descriptors: readdirSync(`/proc/${peer.pid}/fd`).length,
    handles: metric("nodejs_active_handles_total") + metric("nodejs_active_requests_total"),
    loopP99Ms: metric("nodejs_eventloop_lag_p99_seconds") * 1_000,
    loopMaxMs: metric("nodejs_eventloop_lag_max_seconds") * 1_000,
    activeHosts: metric("orbweaver_frontier_active_hosts"),
    pages: sum("orbweaver_fetches_total"),
  };
}

function lineOf(minute: number, samples: readonly Sample[]): string {
  const of = (pick: (sample: Sample) => number): string => mean(samples.map(pick)).toFixed(0);
  return (
    `minute ${minute}: ${of((one) => one.residentMiB)} MiB resident, ${of((one) => one.anonymousMiB)} anonymous, ` +
    `${of((one) => one.heapMiB)} of the heap; ${of((one) => one.descriptors)} descriptors, ` +
    `${of((one) => one.handles)} handles; ${of((one) => one.activeHosts)} hosts, ` +
    `${samples.at(-1)?.pages ?? 0} fetches; loop p99 ${of((one) => one.loopP99Ms)} ms`
  );
}

function figuresOf(samples: readonly Sample[], peer: BenchPeer): Figure[] {
  if (samples.length < 2) throw new RangeError("too short for a line through its samples");
  const of = (pick: (sample: Sample) => number): number[] => samples.map(pick);
  const atMs = of((one) => one.atMs);
  const memory = (name: string, pick: (sample: Sample) => number, most?: number): Figure[] => {
    const values = of(pick);
    const value = (100 * rise(atMs, values) * hourMs) / mean(values);
    const wanted = most !== undefined && { wanted: { most } };
    return [
      { name, value: mean(values), unit: "MiB" },
      { name: `${name}, rise`, value, unit: "% an hour", ...wanted },
    ];
  };
  const count = (name: string, pick: (sample: Sample) => number): Figure[] => {
    const value = rise(atMs, of(pick)) * hourMs;
    return [
      { name, value: mean(of(pick)), unit: "" },
      { name: `${name}, rise`, value, unit: "an hour", wanted: { most: countRiseMax } },
    ];
  };
  const warnings = peer.stderr.match(/MaxListenersExceededWarning/g)?.length ?? 0;
  return [
    ...memory("resident", (one) => one.residentMiB),
    ...memory("anonymous", (one) => one.anonymousMiB, memoryRiseMax),
    ...memory("heap in use", (one) => one.heapMiB),
    ...count("descriptors", (one) => one.descriptors),
    ...count("handles", (one) => one.handles),
    { name: "warnings of too many listeners", value: warnings, unit: "", wanted: { most: 0 } },
    { name: "event loop's delay, mean p99", value: mean(of((one) => one.loopP99Ms)), unit: "ms" },
    { name: "event loop's delay, max", value: Math.max(...of((one) => one.loopMaxMs)), unit: "ms" },
    { name: "fetches", value: samples.at(-1)?.pages ?? 0, unit: "" },
  ];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Slope of the line of least squares. */
function rise(at: readonly number[], values: readonly number[]): number {
  const [atMean, valueMean] = [mean(at), mean(values)];
  let [covariance, variance] = [0, 0];
  at.forEach((x, index) => {
    covariance += (x - atMean) * ((values[index] ?? valueMean) - valueMean);
    variance += (x - atMean) ** 2;
  });
  return covariance / variance;
}
