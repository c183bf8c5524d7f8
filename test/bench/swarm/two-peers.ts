/**
 * What it costs to be two: pages for each second of processor time, of one peer alone and of two that share the sites.
 *
 *   node test/bench/swarm/two-peers.ts [--runs 3] [--sites 200] [--pages 12000] [--warm-up 4000] [--replicas 2] [--json]
 *
 * Runs are interleaved, each with a server and data directories of its own. Processor time is the kernel's account of the
 * peers' processes, from the page on that `--warm-up` counts to the job's end: every process compiles the program while
 * its first thousands of pages are crawled. Pages are counted in the server's log. With --replicas 1 no copies are kept:
 * what is left is the price of forwarding alone.
 */
import type { Hit } from "../../../sim/sample-web/hit-log.ts";
import { until } from "../../support/until.ts";
import { median } from "../statistics.ts";
import { runBenchmark, say, type Figure } from "./bench-run.ts";
import type { BenchPeer, BenchSwarm, BenchWeb, BenchWebShape } from "./bench-swarm.ts";

const job = "two-peers";
const endWithinMs = 600_000;
/** The longest that a question for a job's end stays open. */
const waitMs = 60_000;

interface Shape extends BenchWebShape {
  readonly warmUp: number;
  readonly replicas: number;
}

interface Run {
  readonly peers: number;
  readonly pages: number;
  readonly cpuSeconds: number;
  readonly seconds: number;
}

const flags = { runs: 3, sites: 200, pages: 12_000, "warm-up": 4_000, replicas: 2 };

await runBenchmark({
  name: "two-peers",
  flags,
  run: async (bench, { runs: count, sites, pages, "warm-up": warmUp, replicas }) => {
    if (warmUp >= pages) throw new RangeError("--warm-up leaves no page to measure");
    const runs: Run[] = [];
    for (let n = 0; n < count; n += 1) {
      // In turns, so that what slows the machine down meets both.
      for (const size of n % 2 === 0 ? [1, 2] : [2, 1]) {
        const run = await crawl(bench, size, { sites, pages, warmUp, replicas });
        say(`run ${n + 1} of ${count}: ${JSON.stringify(run)}`);
        runs.push(run);
      }
    }
    return {
      about: `${pages} pages of ${sites} sites, the first ${warmUp} left out, no delay, medians of ${count} interleaved runs`,
      figures: figuresOf(runs),
      samples: { runs },
    };
  },
});

function figuresOf(runs: readonly Run[]): Figure[] {
  const of = (size: number, pick: (run: Run) => number): number =>
    median(runs.filter(({ peers }) => peers === size).map(pick));
  const perCpu = ({ pages, cpuSeconds }: Run): number => pages / cpuSeconds;
  const perSecond = ({ pages, seconds }: Run): number => pages / seconds;
  const share = (100 * of(2, perCpu)) / of(1, perCpu);
  return [
    { name: "one peer", value: of(1, perCpu), unit: "pages a CPU-second" },
    { name: "two peers together", value: of(2, perCpu), unit: "pages a CPU-second" },
    { name: "two of one", value: share, unit: "%", wanted: { least: 85 } },
    { name: "one peer, on the clock", value: of(1, perSecond), unit: "pages/s" },
    { name: "two peers, on the clock", value: of(2, perSecond), unit: "pages/s" },
  ];
}

async function crawl(
  bench: BenchSwarm,
  size: number,
  { sites, pages, warmUp, replicas }: Shape,
): Promise<Run> {
  try {
    const web = await bench.sampleWeb({ sites, pages });
    const peers =
      size === 1
        ? [await bench.startPeer("peer-1", web.flags)]
        : await bench.startSwarm(size, [...web.flags, "--replicas", String(replicas)]);
    const [first] = peers;
    if (first === undefined) throw new RangeError("no peers");
    const cpu = (): number => peers.reduce((sum, peer) => sum + peer.cpuSeconds(), 0);
    await first.inject(job, web.web.rootUrls(), { scope: "any", delayMs: 0 });
    const before = await pagesSent(web, warmUp);
    const cpuBefore = cpu();
    const startedAtMs = Date.now();
    await ended(first);
    const cpuSeconds = cpu() - cpuBefore;
    const seconds = (Date.now() - startedAtMs) / 1_000;
    const measured = pagesOf(await web.allHits()).size - before;
    return { peers: size, pages: measured, cpuSeconds, seconds };
  } finally {
    await bench.clear();
  }
}

/** Resolves when so many pages were sent, with how many there are by then. */
async function pagesSent({ hits }: BenchWeb, atLeast: number): Promise<number> {
  const sent = new Set<string>();
  await until(
    `${atLeast} pages were sent`,
    () => {
      for (const page of pagesOf(hits.read())) sent.add(page);
      return sent.size >= atLeast;
    },
    endWithinMs,
  );
  return sent.size;
}

function pagesOf(hits: readonly Hit[]): Set<string> {
  const pages = hits.filter(({ path, status }) => status === 200 && path !== "/robots.txt");
  return new Set(pages.map(({ host, path }) => host + path));
}

async function ended(peer: BenchPeer): Promise<void> {
  const endAtMs = Date.now() + endWithinMs;
  for (let isOver = false; !isOver;) {
    if (Date.now() > endAtMs) throw new Error(`the crawl is not over in ${endWithinMs} ms`);
    ({ over: isOver } = await peer.get<{ readonly over: boolean }>(
      `/jobs/${job}/wait?timeoutMs=${waitMs}`,
    ));
  }
}
