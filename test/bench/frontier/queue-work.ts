import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { LeaseFile } from "../../../src/adapters/lease-file/lease-file.ts";
import { LevelStore } from "../../../src/adapters/level/level-store.ts";
import { PrometheusMetrics } from "../../../src/adapters/metrics/prometheus-metrics.ts";
import { SystemClock } from "../../../src/adapters/system/system-clock.ts";
import { SystemEntropy } from "../../../src/adapters/system/system-entropy.ts";
import { noLinks } from "../../../src/core/page/parsed-page.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import { Peer } from "../../../src/peer/peer.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import { settle } from "../../../src/peer/durability/settlement.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import { InlineParser } from "../../support/inline-parser.ts";
import { MemoryArchive } from "../../support/memory-archive.ts";
import { memoryOf } from "../process-memory.ts";
import { quantile } from "../statistics.ts";
import { CountingResolver, dataPaths, LoneFrontier } from "./lone-frontier.ts";
import { silentLogger } from "../../support/silent-logger.ts";
import { drainShares, type HolderLine } from "./queue-process.ts";
import { SyntheticPages } from "./synthetic-pages.ts";

/** No host rests: whatever is slow is the frontier's doing. */
const job = { scope: "any", delayMs: 0 } as const;

/** Pages that are admitted, and URLs that are leased, at once. */
const atOnce = 64;
/** Pages admitted, and URLs taken, between two looks at the sieve's snapshot. */
const perTick = 5_000;
const linesEveryMs = 10_000;

function tell(line: HolderLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Fills the queue, and goes on until the process is killed, or there are twice as many URLs. */
export async function fill(directory: string, urls: number, hosts: number): Promise<void> {
  const lone = await LoneFrontier.open({ directory, counts: true, job });
  const newPerPage = Math.ceil(urls / hosts);
  const shape = { hosts, sources: hosts, newPerPage, crossPerPage: 0, repeatsPerPage: 0 };
  const pages = new SyntheticPages(shape);
  let isFull = false;
  let toldAtMs = performance.now();
  for (let admitted = 0; admitted < 2 * urls;) {
    admitted += await admitPages(lone, pages, Math.min(perTick, hosts));
    lone.tick();
    if (performance.now() - toldAtMs > linesEveryMs) {
      tell({ kind: "filling", admitted, ...memoryOf(process.pid) });
      toldAtMs = performance.now();
    }
    if (isFull || admitted < urls) continue;
    isFull = true;
    await lone.journal.flushed();
    tell({ kind: "filled", admitted, ...memoryOf(process.pid) });
  }
}

async function admitPages(
  { admission, job }: LoneFrontier,
  pages: SyntheticPages,
  count: number,
): Promise<number> {
  let [sum, left] = [0, count];
  const visits = Array.from({ length: atOnce }, async () => {
    while (left > 0) {
      left -= 1;
      const { links, via } = pages.next();
      const request = { job, links, excluded: [], depth: 1, via, redirectChain: [] };
      const { added } = await admission.admit(request);
      sum += added.length;
    }
  });
  await Promise.all(visits);
  return sum;
}

/** Starts a peer, whose first request is told and never answered. */
export async function fetchFirst(directory: string): Promise<void> {
  const { state, leases } = dataPaths(directory);
  let isTold = false;
  const fetcher = {
    fetch: () => {
      if (!isTold) tell({ kind: "first-fetch", atMs: Date.now() });
      isTold = true;
      return new Promise<never>(() => undefined);
    },
    stop: () => Promise.resolve(),
  };
  const isThere = (): Promise<boolean> => Promise.resolve(true);
  const peer = new Peer(
    {
      archive: new MemoryArchive(),
      clock: new SystemClock(),
      entropy: new SystemEntropy(),
      fetcher,
      leases: new LeaseFile(leases),
      logger: silentLogger,
      metrics: new PrometheusMetrics(),
      parser: new InlineParser(),
      probe: { reaches: isThere, resolves: isThere, hasNameServer: isThere },
      resolver: new CountingResolver(),
      store: new LevelStore({ directory: state }),
    },
    { ...defaultPeerOptions, peerId: "bench", version: "0.0.0", productToken: "bench" },
  );
  await peer.start();
}

/** Takes so many URLs out of the queue, or all that there are, and tells what that took. */
export async function drain(directory: string, count: number): Promise<void> {
  let roused = Promise.withResolvers<undefined>();
  const rouse = (): void => roused.resolve(undefined);
  const lone = await LoneFrontier.open({ directory, counts: true, job, onDue: rouse });
  const { frontier } = lone;
  const takeMs: number[] = [];
  const dequeueMs: number[] = [];
  let [open, waitedMs] = [0, 0];
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const startedAtMs = performance.now();
  while (takeMs.length < count && lone.job.counter.queued > open) {
    const beforeMs = performance.now();
    const lease = open < atOnce ? frontier.take() : undefined;
    if (lease) {
      if (takeMs.length === 0) tell({ kind: "first-lease", atMs: Date.now() });
      takeMs.push(performance.now() - beforeMs);
      open += 1;
      void end(lone, lease, beforeMs).then((busyMs) => {
        dequeueMs.push(busyMs);
        open -= 1;
        rouse();
      });
      if (takeMs.length % perTick === 0) lone.tick();
      continue;
    }
    const hasRoom = open < atOnce;
    await roused.promise;
    roused = Promise.withResolvers();
    if (hasRoom) waitedMs += performance.now() - beforeMs;
  }
  while (open > 0) {
    await roused.promise;
    roused = Promise.withResolvers();
  }
  const drainedMs = performance.now() - startedAtMs;
  loop.disable();
  tell({
    kind: "drained",
    taken: takeMs.length,
    seconds: drainedMs / 1_000,
    waitedShare: waitedMs / drainedMs,
    takeMs: drainShares.map((share) => quantile(takeMs, share)),
    dequeueMs: drainShares.map((share) => quantile(dequeueMs, share)),
    loopDelayMs: drainShares.map((share) => loop.percentile(100 * share) / 1e6),
    ...memoryOf(process.pid),
  });
  await lone.close();
}

/** Ends a lease as a page without links ends; returns how long it kept the process busy, since `takenAtMs` and later. */
async function end(lone: LoneFrontier, lease: Lease, takenAtMs: number): Promise<number> {
  const { admission, clock, frontier, job, leases, metrics } = lone;
  const { entry } = lease.url;
  const row = urlRow(entry.url as CanonicalUrl, job);
  lease.note = leases.add(row.key, entry.attempts);
  let busyMs = performance.now() - takenAtMs;
  const timed = <T>(work: () => T): T => {
    const beforeMs = performance.now();
    const result = work();
    busyMs += performance.now() - beforeMs;
    return result;
  };
  await leases.noted();
  // An answer never comes in the same turn of the loop.
  await nextTurn();
  timed(() => frontier.closeRequest(lease, { finishedAtMs: clock.nowMs() }));
  const fetched = { httpStatus: 200, fetchedAtMs: Math.floor(clock.nowMs()) };
  const how = { kind: "fetched", record: fetched, isPage: true, extraOps: [] } as const;
  await admission.admit({
    job,
    links: noLinks,
    excluded: [],
    depth: entry.depth,
    redirectChain: [],
    settle: () => {
      const parts = { frontier, leases, metrics, visited: undefined };
      const settlement = timed(() => settle(lease, row, how, parts));
      return {
        ...settlement,
        appended: (durable) => timed(() => settlement.appended(durable)),
      };
    },
  });
  return busyMs;
}
