/**
 * How soon a killed peer is missed, and its sites are fetched again.
 *
 *   node test/bench/swarm/kills.ts [--kills 50] [--peers 5] [--sites 100] [--delay 1000] [--membership lan] [--json]
 *
 * A swarm crawls slowly. One peer after the other gets SIGKILL, is waited for by its survivors' logs and the server's,
 * and comes back with its disk. A site counts as fetched again when another peer asks it for something.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { runBenchmark, say, type Figure } from "./bench-run.ts";
import {
  allSitesReached,
  fetcherOf,
  together,
  type BenchPeer,
  type BenchSwarm,
  type BenchWeb,
} from "./bench-swarm.ts";
import { timeFigures } from "./distribution.ts";

const job = "kills";
const lookEveryMs = 20;
/** What has not come about by then counts as this long. */
const patienceMs = 60_000;

/** Sites must not run out of pages: a kill takes some 15 s, its way back included. */
const killSecondsMax = 40;
const spareSeconds = 300;

/** What one kill came to, in milliseconds after it. */
interface Kill {
  readonly victim: string;
  readonly deadAtFirstMs: number;
  readonly deadAtAllMs: number;
  /** For each site that the victim owned. */
  readonly fetchedAgainMs: readonly number[];
  /** From its start to when all saw it active. */
  readonly backMs: number;
  /** From its start to when it owned again what it had owned. */
  readonly ownsAgainMs: number;
}

const flags = { kills: 50, peers: 5, sites: 100, delay: 1_000, membership: "lan" };

await runBenchmark({
  name: "kills",
  flags,
  run: async (bench, { kills: count, peers: size, sites, delay: delayMs, membership }) => {
    const seconds = count * killSecondsMax + spareSeconds;
    const web = await bench.sampleWeb({
      sites,
      pages: sites * Math.ceil((seconds * 1_000) / Math.max(delayMs, 1)),
      // Hardly more links than fetches, so that what a peer has to be sent when it comes back stays small.
      knobs: ["branching=1", "linksPerPage=2", "bytesPerPage=2048"],
    });
    const words = ["--membership", membership, ...web.flags];
    const peers = await bench.startSwarm(size, words);
    const [first] = peers;
    if (first === undefined) throw new RangeError("a swarm has peers");
    await first.inject(job, web.web.rootUrls(), { scope: "any", delayMs });
    await allSitesReached(web, patienceMs);
    const owners = await first.ownersOf(web.web.rootUrls(), job);
    const kills: Kill[] = [];
    for (let n = 0; n < count; n += 1) {
      const kill = await killOnce({ bench, web, words, peers, owners }, n % size);
      say(`kill ${n + 1} of ${count}: ${JSON.stringify({ ...kill, fetchedAgainMs: undefined })}`);
      kills.push(kill);
    }
    return {
      about: `${count} kills, one of ${size} peers, membership ${membership}, ${sites} sites, ${delayMs} ms between requests`,
      figures: figuresOf(kills),
      samples: { kills },
    };
  },
});

function figuresOf(kills: readonly Kill[]): Figure[] {
  const again = kills
    .map(({ fetchedAgainMs }) => fetchedAgainMs)
    .filter(({ length }) => length > 0);
  return [
    ...timeFigures(
      "killed until dead to all",
      kills.map(({ deadAtAllMs }) => deadAtAllMs),
      { p99Ms: 5_000 },
    ),
    ...timeFigures(
      "killed until dead to one",
      kills.map(({ deadAtFirstMs }) => deadAtFirstMs),
    ),
    ...timeFigures(
      "killed until the first of its sites is fetched",
      again.map((ms) => Math.min(...ms)),
      { p99Ms: 10_000 },
    ),
    ...timeFigures("killed until a site of it is fetched, all sites", again.flat(), {
      p99Ms: 10_000,
    }),
    ...timeFigures(
      "started again until active to all",
      kills.map(({ backMs }) => backMs),
    ),
    ...timeFigures(
      "started again until it owns its sites",
      kills.map(({ ownsAgainMs }) => ownsAgainMs),
    ),
  ];
}

interface Scene {
  readonly bench: BenchSwarm;
  readonly web: BenchWeb;
  readonly words: readonly string[];
  readonly peers: BenchPeer[];
  /** Of each site, while all peers run. */
  readonly owners: readonly string[];
}

/** Kills the peer at this place, and brings it back. */
async function killOnce(scene: Scene, at: number): Promise<Kill> {
  const { bench, web, words, peers, owners } = scene;
  const victim = peers[at];
  const survivors = peers.filter((peer) => peer !== victim);
  const [survivor] = survivors;
  if (victim === undefined || survivor === undefined) throw new RangeError("too few peers");
  for (const peer of peers) peer.events();
  web.hits.read();
  const killedAtMs = Date.now();
  void victim.end("SIGKILL");
  const lost = new Set(
    owners.flatMap((owner, site) =>
      owner === victim.id ? [new URL(web.web.rootUrl(site)).hostname] : [],
    ),
  );
  const deaths = new Map<string, number>();
  const fetched = new Map<string, number>();
  await looked(() => {
    for (const peer of survivors) {
      const death = peer
        .events()
        .find(({ member, state }) => member === victim.id && state === "dead");
      if (death && !deaths.has(peer.id)) deaths.set(peer.id, death.atMs - killedAtMs);
    }
    for (const hit of web.hits.read()) {
      if (!lost.has(hit.host) || fetched.has(hit.host) || fetcherOf(hit) === victim.name) continue;
      // What another one had on its way there before the kill, when it had just passed the site on.
      if (hit.arrivedAtMs >= killedAtMs) fetched.set(hit.host, hit.arrivedAtMs - killedAtMs);
    }
    return deaths.size === survivors.length && fetched.size === lost.size;
  });
  const late = (of: ReadonlyMap<string, number>, wanted: number): number[] =>
    Array.from({ length: wanted }, (_, n) => [...of.values()][n] ?? patienceMs);
  const deadMs = late(deaths, survivors.length);

  const startedAtMs = Date.now();
  const back = await bench.startPeer(victim.name, [...survivor.joinFlags, ...words], victim.data);
  peers[at] = back;
  await together(peers);
  const backMs = Date.now() - startedAtMs;
  await looked(async () => {
    const now = await survivor.ownersOf(web.web.rootUrls(), job);
    return now.every((owner, site) => owner === owners[site]);
  });
  return {
    victim: victim.name,
    deadAtFirstMs: Math.min(...deadMs),
    deadAtAllMs: Math.max(...deadMs),
    fetchedAgainMs: late(fetched, lost.size),
    backMs,
    ownsAgainMs: Date.now() - startedAtMs,
  };
}

/** Looks until all is seen, or patience ends. */
async function looked(isSeen: () => boolean | Promise<boolean>): Promise<void> {
  const endAtMs = Date.now() + patienceMs;
  while (!(await isSeen()) && Date.now() < endAtMs) await sleep(lookEveryMs);
}
