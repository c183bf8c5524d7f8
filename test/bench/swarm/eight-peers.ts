/**
 * How much of what politeness allows a swarm of eight uses, and how evenly its members share the work.
 *
 *   node test/bench/swarm/eight-peers.ts [--seconds 60] [--peers 8] [--hosts 200] [--delay 200] [--settle 270] [--json]
 *
 * All by the log of the server: requests in a window of so many seconds, which opens some time (`--settle`) after every
 * host was asked for something, while no host runs out of pages. A peer of eight has 120 pages a second, so that V8 takes
 * minutes to compile what is run often.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Hit } from "../../../sim/sample-web/hit-log.ts";
import { runBenchmark, type Figure } from "./bench-run.ts";
import { allSitesReached, fetcherOf } from "./bench-swarm.ts";

const job = "eight-peers";
const reachedWithinMs = 60_000;
/** Pages of a host beyond those that can be fetched. */
const sparePages = 200;

const flags = { seconds: 60, peers: 8, hosts: 200, delay: 200, settle: 270 };

await runBenchmark({
  name: "eight-peers",
  flags,
  run: async (bench, { seconds, peers: size, hosts, delay: delayMs, settle }) => {
    const pagesOfHost = Math.ceil(((seconds + settle) * 1_000) / delayMs) + sparePages;
    const web = await bench.sampleWeb({
      sites: hosts,
      pages: hosts * pagesOfHost,
      knobs: ["branching=8", "linksPerPage=8", "bytesPerPage=2048"],
    });
    const peers = await bench.startSwarm(size, web.flags);
    await peers[0]?.inject(job, web.web.rootUrls(), { scope: "any", delayMs });
    await allSitesReached(web, reachedWithinMs);
    await sleep(settle * 1_000);
    const cpu = (): number => peers.reduce((sum, peer) => sum + peer.cpuSeconds(), 0);
    const cpuBefore = cpu();
    const fromMs = Date.now();
    await sleep(seconds * 1_000);
    const toMs = Date.now();
    const cpuSeconds = cpu() - cpuBefore;
    const hits = (await web.allHits()).filter(
      ({ arrivedAtMs }) => arrivedAtMs >= fromMs && arrivedAtMs < toMs,
    );
    const allowed = (hosts * (toMs - fromMs)) / delayMs;
    const byPeer = peers.map(({ name }) => hits.filter((hit) => fetcherOf(hit) === name).length);
    return {
      about: `${size} peers, ${hosts} hosts, ${delayMs} ms between requests, ${seconds} s`,
      figures: [
        {
          name: "of the requests that the delays allow",
          value: (100 * hits.length) / allowed,
          unit: "%",
          wanted: { least: 95 },
        },
        { name: "requests", value: (1_000 * hits.length) / (toMs - fromMs), unit: "a second" },
        ...gapFigures(hits, delayMs),
        {
          name: "most busy peer to the mean",
          value: (Math.max(...byPeer) * size) / hits.length,
          unit: "",
        },
        { name: "processor", value: cpuSeconds / seconds, unit: "cores" },
      ],
      samples: { byPeer },
    };
  },
});

function gapFigures(hits: readonly Hit[], delayMs: number): Figure[] {
  const last = new Map<string, number>();
  const shortest = new Map<string, number>();
  const asked = new Map<string, number>();
  for (const { host, arrivedAtMs } of hits) {
    const gapMs = arrivedAtMs - (last.get(host) ?? -Infinity);
    shortest.set(host, Math.min(gapMs, shortest.get(host) ?? Infinity));
    last.set(host, arrivedAtMs);
    asked.set(host, (asked.get(host) ?? 0) + 1);
  }
  return [
    {
      name: "shortest gap at a host",
      value: Math.min(...shortest.values()),
      unit: "ms",
      // The crawler counts in whole milliseconds, the log in fractions.
      wanted: { least: delayMs - 1 },
    },
    { name: "requests to the host with the fewest", value: Math.min(...asked.values()), unit: "" },
  ];
}
