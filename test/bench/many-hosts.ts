/**
 * How much a peer crawls for the processor it takes where hosts are many, and how quick its event loop stays meanwhile.
 *
 *   node test/bench/many-hosts.ts [--hosts 10000] [--pages 40000] [--threads 0] [--json]
 *
 * Wanted: at least 500 pages of 25 KB with 50 links for each second of the peer's processor time, and 1,500 of 4 KB with
 * 20 links; 99% of the event loop's turns no later than 20 ms. A built peer with archive and durability on crawls the
 * sample web from one seed, without delays; each host has a robots.txt, which is fetched too and not counted. Processor
 * time is the kernel's account of the whole process, its start included. The delay is how late a timer of 10 ms is: the
 * peer's metric, read every second, tells the whole time between two of its calls. With `--threads` so many threads parse,
 * 0 leaves it to the peer.
 *
 * Needs a build, and Linux's /proc.
 */
import { memoryOf } from "./process-memory.ts";
import { median } from "./statistics.ts";
import { runBenchmark, say, type Figure } from "./swarm/bench-run.ts";
import type { BenchPeer, BenchSwarm } from "./swarm/bench-swarm.ts";

const job = "many-hosts";
const pollMs = 1_000;
const loopP99MsMax = 20;
/** Of the timer by which the peer's metric measures the event loop. */
const loopTimerMs = 10;

interface Shape {
  readonly name: string;
  readonly bytes: number;
  readonly links: number;
  /** Pages a second of processor time. */
  readonly wanted: number;
}

const shapes: readonly Shape[] = [
  { name: "25 KB, 50 links", bytes: 25_600, links: 50, wanted: 500 },
  { name: "4 KB, 20 links", bytes: 4_096, links: 20, wanted: 1_500 },
];

interface Run {
  readonly pages: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly loopP99Ms: readonly number[];
  readonly peakMiB: number;
}

const flags = { hosts: 10_000, pages: 40_000, threads: 0 };

await runBenchmark({
  name: "many-hosts",
  folder: "",
  flags,
  run: async (bench, { hosts, pages, threads }) => {
    const figures: Figure[] = [];
    for (const shape of shapes) {
      const run = await crawl(bench, shape, { hosts, pages, threads });
      say(`${shape.name}: ${run.pages} pages in ${run.seconds.toFixed(1)} s`);
      figures.push(...figuresOf(shape, run));
    }
    return { about: `${pages} pages on ${hosts} hosts, from one seed, no delay`, figures };
  },
});

function figuresOf({ name, wanted }: Shape, run: Run): Figure[] {
  const { pages, seconds, cpuSeconds, loopP99Ms, peakMiB } = run;
  return [
    {
      name: `${name}: for the processor`,
      value: pages / cpuSeconds,
      unit: "pages a CPU-second",
      wanted: { least: wanted },
    },
    { name: `${name}: on the clock`, value: pages / seconds, unit: "pages/s" },
    {
      name: `${name}: event loop's delay, p99 of the median second`,
      value: median(loopP99Ms),
      unit: "ms",
      wanted: { most: loopP99MsMax },
    },
    { name: `${name}: the same, worst second`, value: Math.max(...loopP99Ms), unit: "ms" },
    { name: `${name}: most memory that was resident`, value: peakMiB, unit: "MiB" },
  ];
}

async function crawl(
  bench: BenchSwarm,
  shape: Shape,
  { hosts, pages, threads }: typeof flags,
): Promise<Run> {
  try {
    const knobs = [`bytesPerPage=${shape.bytes}`, `linksPerPage=${shape.links}`];
    const web = await bench.sampleWeb({ sites: hosts, pages, knobs });
    const parsers = threads > 0 ? ["--parser-threads", String(threads)] : [];
    const peer = await bench.startPeer("many-hosts", [...web.flags, ...parsers]);
    const startedAtMs = Date.now();
    await peer.inject(job, [web.web.rootUrl(0)], { scope: "any", delayMs: 0 });
    const loopP99Ms: number[] = [];
    for (let isOver = false; !isOver;) {
      const wait = `/jobs/${job}/wait?timeoutMs=${pollMs}`;
      ({ over: isOver } = await peer.get<{ readonly over: boolean }>(wait));
      loopP99Ms.push(await loopP99MsOf(peer));
    }
    const seconds = (Date.now() - startedAtMs) / 1_000;
    const cpuSeconds = peer.cpuSeconds();
    const { peakMiB } = memoryOf(peer.pid);
    const hits = await web.allHits();
    const sent = hits.filter(({ path, status }) => status === 200 && path !== "/robots.txt");
    return { pages: sent.length, seconds, cpuSeconds, loopP99Ms, peakMiB };
  } finally {
    await bench.clear();
  }
}

/** Of the time since it was last asked. */
async function loopP99MsOf(peer: BenchPeer): Promise<number> {
  return (await peer.metric("nodejs_eventloop_lag_p99_seconds")) * 1_000 - loopTimerMs;
}
