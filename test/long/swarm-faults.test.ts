import { rm } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { audit } from "../../sim/auditor/auditor.ts";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import { defaultSampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import type { SampleSite } from "../support/process-bench.ts";
import { SwarmBench, type SwarmPeer } from "../support/swarm-bench.ts";
import { until } from "../support/until.ts";

/** None of the kinds that make a small host's circuit breaker open. */
const noFailures = { throttled: 0, unavailable: 0, failing: 0, reset: 0 };

const delayMs = 700;

/** How long a peer that is stopped by SIGSTOP stands still: well beyond the time after which it is taken for dead. */
const stillMs = 20_000;

/** By the clock of the server, which is in this process. */
const nowMs = (): number => performance.timeOrigin + performance.now();

/** What one run was, for the audit and for whoever has to find out what went wrong. */
interface Story {
  readonly site: SampleSite;
  readonly peers: SwarmPeer[];
  /** When one was killed or began to stand still. */
  readonly interruptedAtMs: readonly number[];
}

/** Five peers crawl; something happens to them on the way. */
describe("a swarm of five processes", () => {
  const bench = new SwarmBench();
  afterEach(() => bench.clear());

  async function crawl(
    faults: (story: Omit<Story, "interruptedAtMs">) => Promise<number[]>,
  ): Promise<void> {
    const site = await bench.site({
      sites: 30,
      hostsPerSite: 2,
      totalPages: 4_000,
      // Each host is busy to the end, so all of them are amid what happens.
      pagesExponent: 0,
      shares: { ...defaultSampleWebOptions.shares, ...noFailures },
    });
    const peers: SwarmPeer[] = await bench.swarm(site, 5);
    const [first] = peers;
    if (first === undefined) throw new RangeError("no peers");
    const job = ["--scope", "any", "--delay", String(delayMs)];
    expect((await bench.ask(first, ["inject", ...site.seeds, ...job])).code).toBe(0);
    await hits(site, 500);
    const interruptedAtMs = await faults({ site, peers });
    await end({ site, peers, interruptedAtMs });
  }

  const hits = ({ server }: SampleSite, count: number): Promise<void> =>
    until(`${count} requests`, () => server.hits.length >= count, 120_000);

  /** Waits for the end at every peer that runs, and holds the server's log against the true graph. */
  async function end({ site, peers, interruptedAtMs }: Story): Promise<void> {
    const running = peers.filter(({ isRunning }) => isRunning);
    const reports = await Promise.all(running.map((peer) => peer.jobEnd("default", 180_000)));
    const graph = new TrueGraph(site.web, { seeds: site.seeds });
    const report = await audit(site.server.hits, graph, {
      hostDelayMs: delayMs,
      interruptedAtMs,
      robotsRefetchesAllowed: 10,
    });
    const logs = peers.map(({ id, stderr }) => `=== ${id}\n${stderr}`).join("\n");
    expect(report.passed, `${renderAudit(report)}\n${logs}`).toBe(true);
    expect(reports.every(({ finished }) => finished)).toBe(true);
  }

  it("loses nothing when one is killed and comes back with its disk", async () => {
    await crawl(async ({ site, peers }) => {
      const [first, , third] = peers as [SwarmPeer, SwarmPeer, SwarmPeer];
      const killedAtMs = nowMs();
      await third.end("SIGKILL");
      await hits(site, site.server.hits.length + 500);
      peers[2] = await bench.member(site, first.joinFlags, third.data);
      await first.sees(peers, 60_000);
      return [killedAtMs];
    });
  });

  it("loses nothing when one is killed and its disk with it", async () => {
    await crawl(async ({ site, peers }) => {
      const [first, , third] = peers as [SwarmPeer, SwarmPeer, SwarmPeer];
      const killedAtMs = nowMs();
      await third.end("SIGKILL");
      await rm(third.data, { recursive: true });
      await hits(site, site.server.hits.length + 500);
      peers[2] = await bench.member(site, first.joinFlags);
      await first.sees(peers, 60_000);
      return [killedAtMs];
    });
  });

  it("fetches nothing twice when one joins and another leaves", async () => {
    await crawl(async ({ site, peers }) => {
      const [first, second] = peers as [SwarmPeer, SwarmPeer];
      peers.push(await bench.member(site, second.joinFlags));
      await second.sees(peers, 60_000);
      expect((await bench.ask(first, ["leave"])).code).toBe(0);
      await second.sees(peers.slice(1), 60_000);
      return [];
    });
  });

  it("fetches nothing twice when each is stopped and started again, one after the other", async () => {
    await crawl(async ({ site, peers }) => {
      for (const [at, peer] of [...peers.entries()]) {
        expect(await peer.end("SIGTERM")).toMatchObject({ code: 143 });
        const back = await bench.member(site, ["--join"], peer.data);
        peers[at] = back;
        await Promise.all(peers.map((each) => each.sees(peers, 60_000)));
      }
      return [];
    });
  });

  it("goes on without one that stands still, and takes it back when it moves again", async () => {
    await crawl(async ({ peers }) => {
      const [first, , third] = peers as [SwarmPeer, SwarmPeer, SwarmPeer];
      const stoppedAtMs = nowMs();
      third.signal("SIGSTOP");
      await first.sees(
        peers.filter((peer) => peer !== third),
        30_000,
      );
      await until("it has stood still", () => nowMs() - stoppedAtMs >= stillMs, 2 * stillMs);
      third.signal("SIGCONT");
      await first.sees(peers, 60_000);
      return [stoppedAtMs];
    });
  });
});
