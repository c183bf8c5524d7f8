/**
 * How late the scheduler is when 10,000 hosts fall due each second.
 *
 *   node test/bench/frontier/scheduler.ts [--rate 10000] [--delay 1000] [--answer 5] [--seconds 20] [--open 256] [--json]
 *
 * Wanted: mean lateness under 1.3 ms, p99 under 8.7 ms. Lateness is the time of the fetcher's call minus the instant at
 * which the host's gate let it. As many hosts as it takes, each with an address of its own, are asked again and again with
 * a delay, through the true Frontier with its Workbench, Dispatcher and Visitor, on the machine's clock. The fetcher
 * answers after `--answer` ms on average, sooner or later by up to as much: else hosts that a pause has made late would
 * fall due together for ever. robots.txt allows all, and every URL is put back, so that nothing is parsed or written. The
 * gates open evenly spread over the delay at first; two delays pass before anything counts.
 */
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { restartWithMemorySettings } from "../../../node/memory-settings.ts";
import { quantile } from "../statistics.ts";
import { runBenchmark, type Figure } from "../swarm/bench-run.ts";
import { loadGeneratedSource } from "./load-source.ts";
import { between, spentSoFar, type Spent } from "./spending.ts";

/** Shares of the requests whose lateness is told. */
const shares = [0.5, 0.9, 0.99, 0.999, 1] as const;
const warmUpDelays = 2;

const flags = { rate: 10_000, delay: 1_000, answer: 5, seconds: 20, open: 256 };

restartWithMemorySettings(fileURLToPath(import.meta.url), process.argv.slice(2));
await runBenchmark({
  name: "scheduler",
  folder: "frontier",
  flags,
  run: async (bench, { rate, delay: delayMs, answer: answerMs, seconds, open }) => {
    loadGeneratedSource();
    const { LoneScheduler } = await import("./lone-scheduler.ts");
    const hosts = Math.ceil((rate * (delayMs + answerMs)) / 1_000);
    let latenessMs: number[] | undefined;
    const scheduler = await LoneScheduler.start({
      directory: await bench.directory(),
      hosts,
      delayMs,
      answerMs,
      openRequestsMax: open,
      onRequest: (lateMs) => latenessMs?.push(lateMs),
    });
    // The first of the gates opens one delay after the start.
    await sleep((1 + warmUpDelays) * delayMs);
    const before = spentSoFar();
    const pauses = watchPauses();
    const measured: number[] = (latenessMs = []);
    await sleep(seconds * 1_000);
    latenessMs = undefined;
    const spent = between(before, spentSoFar());
    const pauseFigures = pauses.end();
    await scheduler.stop();
    return {
      about: `${hosts} hosts with a delay of ${delayMs} ms, answers after ${answerMs} ms, for ${seconds} s`,
      figures: [...figuresOf(measured, spent), ...pauseFigures],
    };
  },
});

/** For how long nothing could be sent, for the garbage collector's sake or because the machine was busy with others. */
function watchPauses(): { readonly end: () => Figure[] } {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  let collectingMs = 0;
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collectingMs = Math.max(collectingMs, duration);
  });
  collections.observe({ entryTypes: ["gc"] });
  loop.enable();
  return {
    end: () => {
      loop.disable();
      collections.disconnect();
      return [
        { name: "longest turn of the loop", value: loop.max / 1e6, unit: "ms" },
        { name: "longest collection of garbage", value: collectingMs, unit: "ms" },
      ];
    },
  };
}

function figuresOf(latenessMs: readonly number[], { wallMs, threadMs }: Spent): Figure[] {
  if (latenessMs.length === 0) throw new Error("no request was made");
  if (latenessMs.some((ms) => !(ms >= 0))) throw new Error("a request came before its time");
  const meanMs = latenessMs.reduce((sum, ms) => sum + ms, 0) / latenessMs.length;
  const spread = shares.map((share): Figure => {
    const name = share === 1 ? "max" : `p${100 * share}`;
    const value = quantile(latenessMs, share);
    return { name, value, unit: "ms", ...(share === 0.99 && { wanted: { most: 8.7 } }) };
  });
  return [
    { name: "requests", value: (latenessMs.length * 1_000) / wallMs, unit: "a second" },
    { name: "mean lateness", value: meanMs, unit: "ms", wanted: { most: 1.3 } },
    ...spread,
    { name: "main thread busy", value: (100 * threadMs) / wallMs, unit: "%" },
  ];
}
