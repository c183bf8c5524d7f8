/**
 * What a polite crawl costs: processor time of a page while the delays, not the processor, say how fast the crawl is.
 *
 *   node test/bench/swarm/polite.ts [--peers 5] [--sites 100] [--delay 1000] [--settle 20] [--seconds 30] [--json]
 *
 * The same sites are crawled by one peer alone and by a swarm. Processor time is the kernel's account of the peers'
 * processes, first of peers that have nothing to do and then, `--settle` seconds after the last site was reached, of the
 * crawl; pages are counted in the server's log.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { runBenchmark, say, type Figure } from "./bench-run.ts";
import { allSitesReached, type BenchPeer, type BenchSwarm } from "./bench-swarm.ts";

const job = "polite";
const reachedWithinMs = 60_000;
/** What peers that have just met tell one another is no part of their rest. */
const metMs = 15_000;

interface Run {
  readonly peers: number;
  /** Share of one core, all peers together. */
  readonly resting: number;
  readonly crawling: number;
  readonly pages: number;
  /** Of the time that a crawl takes beyond the rest. */
  readonly msPerPage: number;
}

const flags = { peers: 5, sites: 100, delay: 1_000, settle: 20, seconds: 30 };

await runBenchmark({
  name: "polite",
  flags,
  run: async (bench, { peers, ...shape }) => {
    const runs: Run[] = [];
    for (const size of [1, peers]) {
      const run = await crawl(bench, size, shape);
      say(JSON.stringify(run));
      runs.push(run);
    }
    const { sites, delay, seconds } = shape;
    return {
      about: `${sites} sites, ${delay} ms between requests, ${seconds} s`,
      figures: runs.flatMap(figuresOf),
      samples: { runs },
    };
  },
});

function figuresOf({ peers, resting, crawling, pages, msPerPage }: Run): Figure[] {
  const who = peers === 1 ? "one peer" : `${peers} peers together`;
  return [
    { name: `${who}, at rest`, value: 100 * resting, unit: "% of a core" },
    { name: `${who}, crawling`, value: 100 * crawling, unit: "% of a core" },
    { name: `${who}, pages`, value: pages, unit: "" },
    { name: `${who}, a page beyond the rest`, value: msPerPage, unit: "ms of processor" },
  ];
}

async function crawl(
  bench: BenchSwarm,
  size: number,
  { sites, delay: delayMs, settle, seconds }: Omit<typeof flags, "peers">,
): Promise<Run> {
  try {
    const crawlMs = (settle + seconds) * 1_000 + reachedWithinMs;
    const pages = sites * Math.ceil(crawlMs / Math.max(delayMs, 1));
    const web = await bench.sampleWeb({ sites, pages });
    const peers = await bench.startSwarm(size, web.flags);
    await sleep(metMs);
    const resting = await shareOfCore(peers, seconds);
    await peers[0]?.inject(job, web.web.rootUrls(), { scope: "any", delayMs });
    await allSitesReached(web, reachedWithinMs);
    await sleep(settle * 1_000);
    web.hits.read();
    const crawling = await shareOfCore(peers, seconds);
    const fetched = web.hits.read().filter(({ path }) => path !== "/robots.txt").length;
    const msPerPage = (1_000 * (crawling - resting) * seconds) / fetched;
    return { peers: size, resting, crawling, pages: fetched, msPerPage };
  } finally {
    await bench.clear();
  }
}

/** What all these take of one core, over a time. */
async function shareOfCore(peers: readonly BenchPeer[], seconds: number): Promise<number> {
  const cpuSeconds = (): number => peers.reduce((sum, peer) => sum + peer.cpuSeconds(), 0);
  const before = cpuSeconds();
  const startedAtMs = performance.now();
  await sleep(seconds * 1_000);
  return ((cpuSeconds() - before) * 1_000) / (performance.now() - startedAtMs);
}
