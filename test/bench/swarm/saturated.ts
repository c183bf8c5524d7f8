/**
 * Whether peers take one another for dead while others want the processor.
 *
 *   node test/bench/swarm/saturated.ts [--seconds 120] [--peers 5] [--busy 2] [--sites 50] [--membership lan] [--json]
 *
 * Twice as many processes as there are cores (`--busy` for each core) do nothing but count, beside a swarm that crawls
 * slowly. Every line of a peer's log that calls a member dead is a false one.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { runBenchmark } from "./bench-run.ts";
import { allSitesReached, type BenchSwarm } from "./bench-swarm.ts";

const job = "saturated";
/** A suspicion that began in the last moment has become a death by then. */
const aftermathMs = 15_000;
const reachedWithinMs = 60_000;

const flags = { seconds: 120, peers: 5, busy: 2, sites: 50, membership: "lan" };

await runBenchmark({
  name: "saturated",
  flags,
  run: async (bench, { seconds, peers: size, busy, sites, membership }) => {
    const web = await bench.sampleWeb({ sites, pages: sites * 1_000 });
    const peers = await bench.startSwarm(size, ["--membership", membership, ...web.flags]);
    await peers[0]?.inject(job, web.web.rootUrls(), { scope: "any", delayMs: 1_000 });
    await allSitesReached(web, reachedWithinMs);
    for (const peer of peers) peer.events();
    const processes = availableParallelism() * busy;
    const cpuBefore = cpuOf(peers);
    await saturate(bench, processes, seconds * 1_000);
    const cpuSeconds = cpuOf(peers) - cpuBefore;
    const requests = web.hits.read().length;
    await sleep(aftermathMs);
    const states = peers.flatMap((peer) => peer.events().map(({ state }) => state));
    const count = (wanted: string): number => states.filter((state) => state === wanted).length;
    return {
      about: `${size} peers, membership ${membership}, ${processes} busy processes on ${availableParallelism()} cores for ${seconds} s`,
      figures: [
        { name: "false deaths", value: count("dead"), unit: "", wanted: { most: 0 } },
        { name: "suspicions", value: count("suspect"), unit: "" },
        { name: "processor time of all peers", value: cpuSeconds, unit: "s" },
        { name: "crawled meanwhile", value: requests / seconds, unit: `of ${sites} requests/s` },
      ],
    };
  },
});

function cpuOf(peers: readonly { cpuSeconds(): number }[]): number {
  return peers.reduce((sum, peer) => sum + peer.cpuSeconds(), 0);
}

/** Keeps so many processes busy for so long. Each ends by itself, should nobody be left to end it. */
async function saturate(bench: BenchSwarm, processes: number, ms: number): Promise<void> {
  const loop = `const end = Date.now() + ${ms}; while (Date.now() < end);`;
  const ends = Array.from({ length: processes }, () => {
    const child = spawn(process.execPath, ["-e", loop], { stdio: "ignore" });
    const ended = once(child, "exit");
    bench.atEnd(() => {
      child.kill("SIGKILL");
      return ended;
    });
    return ended;
  });
  await Promise.all(ends);
}
