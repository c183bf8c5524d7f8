/**
 * What a long queue costs: its memory, the time to take a URL from it, and the time to go on after `kill -9`.
 *
 *   node test/bench/frontier/dequeue.ts [--urls 1000000] [--hosts 100000] [--dequeues 200000] [--json]
 *
 * Wanted for 10 million URLs over a million hosts (`--urls 10000000 --hosts 1000000`): resident memory under 512 MiB; p99
 * of the time that a URL takes under 1 ms; the first request within 5 s of a restart.
 *
 * The program is built first, as a peer is. One process fills the queue through the true Admission and is killed while it
 * goes on doing so. A second one is a whole peer in the same directory, before a fetcher that only tells of the first
 * request; it is killed too. A third one takes `--dequeues` URLs, 64 at a time, and ends each as a page without links ends:
 * what counts is the time that `frontier.take`, the request's end and the settlement of the lease keep the process busy.
 * Hosts have no delay; with one the first request comes a delay later, for a host may have been asked just before the crash.
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { runBenchmark, say, type Figure } from "../swarm/bench-run.ts";
import { buildHolder } from "./build-holder.ts";
import { drainShares, QueueProcess, type Drained } from "./queue-process.ts";

const flags = { urls: 1_000_000, hosts: 100_000, dequeues: 200_000 };

const residentMiBMax = 512;
const firstRequestSecondsMax = 5;
const dequeueMsMax = 1;

await runBenchmark({
  name: "dequeue",
  folder: "frontier",
  flags,
  run: async (bench, { urls, hosts, dequeues }) => {
    const directory = await bench.directory();
    const script = await buildHolder();
    const start = (mode: string): QueueProcess => {
      const started = new QueueProcess(script, [
        mode,
        directory,
        `${urls}`,
        `${hosts}`,
        `${dequeues}`,
      ]);
      bench.atEnd(() => started.kill());
      return started;
    };
    const filler = start("fill");
    const filled = await filler.next("filled", (line) => say(JSON.stringify(line)));
    await filler.kill();
    const diskBytes = await sizeOf(directory);
    const peer = start("fetch");
    const fetched = await peer.next("first-fetch");
    await peer.kill();
    const drainer = start("drain");
    const leased = await drainer.next("first-lease");
    const drained = await drainer.next("drained");
    await drainer.kill();
    return {
      about: `${urls} queued URLs over ${hosts} hosts, ${drained.taken} taken`,
      figures: [
        memory("resident while it fills", filled.peakMiB, residentMiBMax),
        memory("of that anonymous", filled.anonymousMiB),
        { name: "on disk", value: diskBytes / filled.admitted, unit: "bytes a queued URL" },
        seconds("first request after a crash", fetched.atMs - peer.startedAtMs),
        seconds("first lease without the rest of a peer", leased.atMs - drainer.startedAtMs),
        memory("resident while it gives out", drained.peakMiB, residentMiBMax),
        memory("of that anonymous", drained.anonymousMiB),
        ...drainFigures(drained),
      ],
    };
  },
});

/** Bytes of all files below a directory. */
async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function memory(name: string, value: number, most?: number): Figure {
  return { name, value, unit: "MiB", ...(most !== undefined && { wanted: { most } }) };
}

function seconds(name: string, ms: number): Figure {
  return { name, value: ms / 1_000, unit: "s", wanted: { most: firstRequestSecondsMax } };
}

function drainFigures(drained: Drained): Figure[] {
  const spread = (name: string, ms: readonly number[], most?: number): Figure[] =>
    drainShares.map((share, at) => ({
      name: `${name}, ${share === 1 ? "max" : `p${100 * share}`}`,
      value: ms[at] ?? NaN,
      unit: "ms",
      ...(share === 0.99 && most !== undefined && { wanted: { most } }),
    }));
  return [
    { name: "taken", value: drained.taken / drained.seconds, unit: "URLs/s" },
    { name: "nothing to give", value: 100 * drained.waitedShare, unit: "% of the time" },
    ...spread("take", drained.takeMs),
    ...spread("take to settled", drained.dequeueMs, dequeueMsMax),
    ...spread("turn of the loop", drained.loopDelayMs),
  ];
}
