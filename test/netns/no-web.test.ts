import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "../../sim/auditor/auditor.ts";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import type { SwarmPeer } from "../support/swarm-bench.ts";
import { until } from "../support/until.ts";
import { NetworkBench, type NetworkSite } from "./network-bench.ts";
import type { TestHost, TestNetwork } from "./test-network.ts";

const delayMs = 100;

/** Longer than the tries that a URL has where no server saw one: about two and a half minutes. */
const cutMs = 200_000;

/** One story: each test goes on where the one before ended. */
describe("peers whose machines lose their way to the web", { timeout: 300_000 }, () => {
  const bench = new NetworkBench();
  let network: TestNetwork;
  let site: NetworkSite;
  let old: SwarmPeer;
  /** Started amid it: nobody has ever answered it. Each crawls by itself. */
  let fresh: SwarmPeer;
  const third = 4;

  /** Gives a third of the seeds to a peer. */
  const inject = async (peer: SwarmPeer, part: number): Promise<void> => {
    const seeds = site.seeds.slice(part * third, (part + 1) * third);
    const job = ["--scope", "host", "--delay", String(delayMs)];
    expect((await bench.ask(peer, ["inject", ...seeds, ...job])).code).toBe(0);
  };

  beforeAll(async () => {
    network = await bench.network(2);
    site = await bench.siteAt(network, { sites: 3 * third, totalPages: 400 });
    const [host] = network.hosts as [TestHost];
    old = await bench.memberAt(host, site.flags);
    await inject(old, 0);
    await old.jobEnd("default");
  });
  afterAll(() => bench.clear());

  it("know it, though they have come to hosts alone that they have never asked", async () => {
    await network.cutServer();
    const cutAtMs = Date.now();
    const [, host] = network.hosts as [TestHost, TestHost];
    fresh = await bench.memberAt(host, site.flags);
    await inject(old, 1);
    await inject(fresh, 2);
    // Their names cannot even be looked up.
    for (const peer of [old, fresh])
      await until("it says so", () => peer.stderr.includes("name-server-down"), 60_000);
    const lasts = (): boolean => Date.now() - cutAtMs < cutMs;
    await until("the cut has lasted", () => !lasts(), 2 * cutMs);
  });

  it("go on once it is back, and have lost nothing", async () => {
    await network.healServer();
    const peers = [old, fresh];
    await Promise.all(peers.map((peer) => peer.jobEnd("default", 250_000)));
    for (const peer of peers) expect(peer.stderr).toContain("name-server-up");
    await site.stop();
    const graph = new TrueGraph(site.web, { seeds: site.seeds, scope: "host" });
    const report = await audit(await site.hits(), graph, { hostDelayMs: delayMs });
    const told = peers.map((peer) => peer.stderr).join("\n");
    expect(report.passed, `${renderAudit(report)}\n${told}`).toBe(true);
  });
});
