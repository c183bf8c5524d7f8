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
describe("a peer whose machine loses its way to the web", { timeout: 300_000 }, () => {
  const bench = new NetworkBench();
  let network: TestNetwork;
  let site: NetworkSite;
  let peer: SwarmPeer;
  const half = 6;

  const inject = async (seeds: readonly string[]): Promise<void> => {
    const job = ["--scope", "host", "--delay", String(delayMs)];
    expect((await bench.ask(peer, ["inject", ...seeds, ...job])).code).toBe(0);
  };

  beforeAll(async () => {
    network = await bench.network(1);
    site = await bench.siteAt(network, { sites: 2 * half, totalPages: 400 });
    const [host] = network.hosts as [TestHost];
    peer = await bench.memberAt(host, site.flags);
    await inject(site.seeds.slice(0, half));
    await peer.jobEnd("default");
  });
  afterAll(() => bench.clear());

  it("knows it, though it has come to hosts alone that it has never asked", async () => {
    await network.cutServer();
    const cutAtMs = Date.now();
    await inject(site.seeds.slice(half));
    // Their names cannot even be looked up.
    await until("it says so", () => peer.stderr.includes("name-server-down"), 60_000);
    const lasts = (): boolean => Date.now() - cutAtMs < cutMs;
    await until("the cut has lasted", () => !lasts(), 2 * cutMs);
  });

  it("goes on once it is back, and has lost nothing", async () => {
    await network.healServer();
    await peer.jobEnd("default", 250_000);
    expect(peer.stderr).toContain("name-server-up");
    await site.stop();
    const graph = new TrueGraph(site.web, { seeds: site.seeds, scope: "host" });
    const report = await audit(await site.hits(), graph, { hostDelayMs: delayMs });
    expect(report.passed, `${renderAudit(report)}\n${peer.stderr}`).toBe(true);
  });
});
