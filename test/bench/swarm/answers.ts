/**
 * How soon any peer answers for the whole swarm while it crawls.
 *
 *   node test/bench/swarm/answers.ts [--rate 1000] [--seconds 20] [--sites 300] [--peers 3] [--lists 50] [--probes 50] [--settle 90] [--json]
 *
 * Three things, one after the other, before a crawl of as many pages a second as there are sites: single questions at a
 * fixed rate to a peer that does not own the URL, each timed from when it was to be sent, whether or not those before
 * it were answered; lists of 300 URLs in one call; and URLs injected at one peer until another one tells where they are
 * archived. The last are of hosts that nothing else is fetched from, whose robots.txt is known and whose delay is over.
 *
 * Before that the swarm crawls for `--settle` seconds, and then is asked for as long without being timed: V8 compiles what is
 * run often, and at 100 pages and 300 to 1,000 questions a second that takes its time.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../support/until.ts";
import { quantile } from "../statistics.ts";
import { runBenchmark, say, type Figure } from "./bench-run.ts";
import { allSitesReached, type BenchPeer, type BenchWeb } from "./bench-swarm.ts";
import { timeFigures } from "./distribution.ts";
import { SingleQuestions } from "./single-questions.ts";

const crawlJob = "crawl";
const probeJob = "probe";
const crawlDelayMs = 1_000;
const probeDelayMs = 200;
const listUrls = 300;
const reachedWithinMs = 60_000;
const visibleWithinMs = 30_000;
const pollMs = 5;

const flags = { rate: 1_000, seconds: 20, sites: 300, peers: 3, lists: 50, probes: 50, settle: 90 };

await runBenchmark({
  name: "answers",
  flags,
  run: async (bench, { rate, seconds, sites, peers: size, lists, probes, settle }) => {
    const web = await bench.sampleWeb({
      sites: sites + probes,
      pages: (sites + probes) * 1_000,
      knobs: ["branching=8", "linksPerPage=8", "bytesPerPage=2048"],
    });
    const peers = await bench.startSwarm(size, web.flags);
    const [asked] = peers;
    if (asked === undefined) throw new RangeError("no peers");
    const roots = web.web.rootUrls();
    // The hosts of the probes are injected first, and rest from then on.
    await asked.inject(probeJob, roots.slice(sites), { scope: "page", delayMs: probeDelayMs });
    await asked.inject(crawlJob, roots.slice(0, sites), { scope: "site", delayMs: crawlDelayMs });
    await allSitesReached(web, reachedWithinMs);
    await sleep(settle * 1_000);

    const known = await fetchedUrls(web, listUrls * 10, roots.slice(sites));
    const owners = await asked.ownersOf(known, crawlJob);
    const foreign = known.filter((_, at) => owners[at] !== asked.id);
    const single = new SingleQuestions(asked.api, crawlJob, foreign);
    await single.ask(rate, settle);
    const before = await pagesOf(web);
    const cpuBefore = peers.map((peer) => peer.cpuSeconds());
    const singles = await single.ask(rate, seconds);
    const cores = peers.map((peer, at) => (peer.cpuSeconds() - (cpuBefore[at] ?? 0)) / seconds);
    const [askedCores = 0, ...otherCores] = cores;
    const pagesASecond = ((await pagesOf(web)) - before) / seconds;
    say(`${singles.latenciesMs.length} questions, ${singles.failed} failed`);
    const listMs = await askLists(peers, known, lists);
    say(`${lists} lists`);
    const visibleMs = await probeAll(peers, web, { sites, probes });
    single.close();
    return {
      about: `${size} peers that crawl ${Math.round(pagesASecond)} pages/s; ${rate} questions a second for ${seconds} s`,
      figures: [
        ...timeFigures("state of one URL", singles.latenciesMs, { medianMs: 5, p99Ms: 50 }),
        { name: "questions that failed", value: singles.failed, unit: "", wanted: { most: 0 } },
        sendingFigure(singles.lateMs),
        { name: "meanwhile, the asked peer", value: askedCores, unit: "cores" },
        { name: "meanwhile, each of the others", value: mean(otherCores), unit: "cores" },
        ...timeFigures(`state of ${listUrls} URLs in one call`, listMs, { medianMs: 50 }),
        ...timeFigures("injected at one until archived, by another", visibleMs, {
          medianMs: 200,
          p99Ms: 1_000,
        }),
      ],
      samples: { listMs, visibleMs },
    };
  },
});

/** By how much this program itself was late: what of the latencies is its own. */
function sendingFigure(lateMs: readonly number[]): Figure {
  return { name: "of it: sent late, p99", value: quantile(lateMs, 0.99), unit: "ms" };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function pagesOf(web: BenchWeb): Promise<number> {
  return (await web.allHits()).length;
}

/** URLs that the crawl has fetched, the newest, without those of the probes. */
async function fetchedUrls(
  web: BenchWeb,
  count: number,
  others: readonly string[],
): Promise<string[]> {
  const otherHosts = new Set(others.map((url) => new URL(url).hostname));
  const urls = (await web.allHits()).flatMap(({ host, path, status }) =>
    status === 200 && path !== "/robots.txt" && !otherHosts.has(host)
      ? [`http://${host}:${web.web.port}${path}`]
      : [],
  );
  return urls.slice(-count);
}

/** Times of calls for lists of URLs of all sites, to one peer after the other. */
async function askLists(
  peers: readonly BenchPeer[],
  urls: readonly string[],
  count: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const from = (n * listUrls) % Math.max(1, urls.length - listUrls);
    const startedAtMs = performance.now();
    const answers = await peers[n % peers.length]?.status(
      urls.slice(from, from + listUrls),
      crawlJob,
    );
    times.push(performance.now() - startedAtMs);
    const unknown = answers?.filter(({ state }) => state !== "done").length;
    if (unknown !== 0) throw new Error(`${unknown} URLs of a list are not known as fetched`);
  }
  return times;
}

/** Times from injections at one peer to when another one can say where the page is archived, one host each. */
async function probeAll(
  peers: readonly BenchPeer[],
  { web }: BenchWeb,
  { sites, probes }: { readonly sites: number; readonly probes: number },
): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < probes; n += 1) {
    const url = web.urlOf(web.layout.idOf(sites + n, 1));
    const [one, other] = [peers[n % peers.length], peers[(n + 1) % peers.length]];
    const startedAtMs = performance.now();
    const injected = one?.inject(probeJob, [url]);
    await until(
      `${url} is archived`,
      async () => {
        const [status] = (await other?.status([url], probeJob)) ?? [];
        if (status?.archive !== undefined) return true;
        await sleep(pollMs);
        return false;
      },
      visibleWithinMs,
    );
    times.push(performance.now() - startedAtMs);
    await injected;
  }
  return times;
}
