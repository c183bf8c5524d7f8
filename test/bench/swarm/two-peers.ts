/**
 * What it costs to be two: pages for each second of processor time, of one peer alone and of two that share the sites.
 *
 *   node test/bench/swarm/two-peers.ts [--runs 3] [--sites 200] [--pages 40000] [--warm-up 20000] [--replicas 2] [--json]
 *
 * A third kind of run tells how much of that is the swarm's: two peers that know nothing of each other, each with half of
 * the sites. On a machine where one peer keeps both cores busy, two processes cost more than one whatever they do.
 *
 * Runs are interleaved, each with servers and data directories of its own. Measured is a crawl from its injection to its
 * end, by processes that have crawled `--warm-up` pages each of another web before: V8 compiles what they run meanwhile, in
 * each of them. Processor time is the kernel's account of the peers' processes; pages are counted in the servers' logs.
 * With --replicas 1 no copies are kept: what is left is the price of forwarding alone.
 */
import type { Hit } from "../../../sim/sample-web/hit-log.ts";
import { median } from "../statistics.ts";
import { runBenchmark, say, type Figure } from "./bench-run.ts";
import type { BenchPeer, BenchSwarm, BenchWeb, BenchWebShape } from "./bench-swarm.ts";

const endWithinMs = 600_000;
/** The longest that a question for a job's end stays open. */
const waitMs = 60_000;

interface Shape extends BenchWebShape {
  readonly warmUp: number;
  readonly replicas: number;
}

type Kind = "one" | "two" | "two-apart";

interface Run {
  readonly kind: Kind;
  readonly pages: number;
  readonly cpuSeconds: number;
  readonly seconds: number;
}

/** Peers with the web that each begins with: one for all of a swarm. */
interface Crawlers {
  readonly peers: readonly BenchPeer[];
  readonly begin: readonly {
    readonly at: BenchPeer;
    readonly practice: BenchWeb;
    readonly web: BenchWeb;
  }[];
}

const kinds: readonly Kind[] = ["one", "two", "two-apart"];
const flags = { runs: 3, sites: 200, pages: 40_000, "warm-up": 20_000, replicas: 2 };

await runBenchmark({
  name: "two-peers",
  flags,
  run: async (bench, { runs: count, sites, pages, "warm-up": warmUp, replicas }) => {
    const runs: Run[] = [];
    for (let n = 0; n < count; n += 1) {
      // In turns, so that what slows the machine down meets all.
      for (const kind of n % 2 === 0 ? kinds : kinds.toReversed()) {
        const run = await crawl(bench, kind, { sites, pages, warmUp, replicas });
        say(`run ${n + 1} of ${count}: ${JSON.stringify(run)}`);
        runs.push(run);
      }
    }
    return {
      about: `${pages} pages of ${sites} sites, after ${warmUp} of others for each peer, no delay, medians of ${count} interleaved runs`,
      figures: figuresOf(runs),
      samples: { runs },
    };
  },
});

function figuresOf(runs: readonly Run[]): Figure[] {
  const of = (kind: Kind, pick: (run: Run) => number): number =>
    median(runs.filter((run) => run.kind === kind).map(pick));
  const perCpu = ({ pages, cpuSeconds }: Run): number => pages / cpuSeconds;
  const perSecond = ({ pages, seconds }: Run): number => pages / seconds;
  const [one, two, apart] = [of("one", perCpu), of("two", perCpu), of("two-apart", perCpu)];
  return [
    { name: "one peer", value: one, unit: "pages a CPU-second" },
    { name: "two peers together", value: two, unit: "pages a CPU-second" },
    { name: "two peers apart", value: apart, unit: "pages a CPU-second" },
    { name: "two together of one", value: (100 * two) / one, unit: "%", wanted: { least: 85 } },
    { name: "two apart of one", value: (100 * apart) / one, unit: "%" },
    { name: "two together of two apart", value: (100 * two) / apart, unit: "%" },
    { name: "one peer, on the clock", value: of("one", perSecond), unit: "pages/s" },
    { name: "two peers, on the clock", value: of("two", perSecond), unit: "pages/s" },
  ];
}

async function crawl(bench: BenchSwarm, kind: Kind, shape: Shape): Promise<Run> {
  try {
    const { peers, begin } = await start(bench, kind, shape);
    await Promise.all(begin.map(({ at, practice }) => crawlWhole(at, "warm-up", practice)));
    const cpu = (): number => peers.reduce((sum, peer) => sum + peer.cpuSeconds(), 0);
    const cpuBefore = cpu();
    const startedAtMs = Date.now();
    await Promise.all(begin.map(({ at, web }) => crawlWhole(at, "two-peers", web)));
    const cpuSeconds = cpu() - cpuBefore;
    const seconds = (Date.now() - startedAtMs) / 1_000;
    const fetched = await Promise.all(begin.map(async ({ web }) => pagesOf(await web.allHits())));
    const pages = fetched.reduce((sum, { size }) => sum + size, 0);
    return { kind, pages, cpuSeconds, seconds };
  } finally {
    await bench.clear();
  }
}

async function start(bench: BenchSwarm, kind: Kind, shape: Shape): Promise<Crawlers> {
  const { sites, pages, warmUp, replicas } = shape;
  // A web to practise on has the same names at the same addresses, but another port.
  const websOf = async (
    peers: number,
    parts: number,
  ): Promise<{ web: BenchWeb; practice: BenchWeb }> => ({
    web: await bench.sampleWeb({ sites: sites / parts, pages: pages / parts }),
    practice: await bench.sampleWeb({ sites: sites / parts, pages: warmUp * peers }),
  });
  if (kind === "two") {
    const webs = await websOf(2, 1);
    const words = [...webs.web.flags, "--replicas", String(replicas)];
    const peers = await bench.startSwarm(2, words);
    return { peers, begin: peers.slice(0, 1).map((at) => ({ at, ...webs })) };
  }
  const parts = kind === "one" ? 1 : 2;
  const begin = [];
  for (let part = 1; part <= parts; part += 1) {
    const webs = await websOf(1, parts);
    begin.push({ at: await bench.startPeer(`peer-${part}`, webs.web.flags), ...webs });
  }
  return { peers: begin.map(({ at }) => at), begin };
}

function pagesOf(hits: readonly Hit[]): Set<string> {
  const pages = hits.filter(({ path, status }) => status === 200 && path !== "/robots.txt");
  return new Set(pages.map(({ host, path }) => host + path));
}

/** Resolves when the job is over. */
async function crawlWhole(peer: BenchPeer, job: string, { web }: BenchWeb): Promise<void> {
  await peer.inject(job, web.rootUrls(), { scope: "any", delayMs: 0 });
  const endAtMs = Date.now() + endWithinMs;
  for (let isOver = false; !isOver;) {
    if (Date.now() > endAtMs) throw new Error(`the crawl is not over in ${endWithinMs} ms`);
    ({ over: isOver } = await peer.get<{ readonly over: boolean }>(
      `/jobs/${job}/wait?timeoutMs=${waitMs}`,
    ));
  }
}
