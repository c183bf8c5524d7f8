import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditCheckName } from "../../sim/auditor/audit-rules.ts";
import { audit } from "../../sim/auditor/auditor.ts";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import type { Hit } from "../../sim/sample-web/hit-log.ts";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import type { WaitDocument } from "../../src/adapters/http-api/job-routes.ts";
import type { SwarmPeer } from "../support/swarm-bench.ts";
import { until } from "../support/until.ts";
import { NetworkBench, type NetworkSite } from "./network-bench.ts";
import type { TestHost, TestNetwork } from "./test-network.ts";

/** Between two requests to a host: so long that the crawl is not over before the cut is. */
const delayMs = 700;

const cutMs = 60_000;

/** For a request that was under way when the last peer saw the swarm whole, and for the delay after it. */
const settlingMs = 1_000;

/** For what was fetched on one side to be known on the other, once all see each other again. */
const exchangeMsMax = 20_000;

/** A server cannot tell peers apart: across a cut these hold for each side alone. */
const paceChecks: readonly AuditCheckName[] = [
  "host-gap",
  "address-gap",
  "host-overlap",
  "address-overlap",
];

/** One story: each test goes on where the one before ended. */
describe("a swarm on five machines whose network is cut in two", () => {
  const bench = new NetworkBench();
  let network: TestNetwork;
  let site: NetworkSite;
  let peers: readonly SwarmPeer[];
  let waits: readonly ReturnType<NetworkBench["ask"]>[];
  let hits: readonly Hit[];
  let repeated: readonly (readonly Hit[])[];
  let graph: TrueGraph;
  /** From the cut until no peer takes another one for dead any more. */
  const apart = { fromMs: 0, untilMs: 0 };

  const few = <T>(all: readonly T[]): readonly T[] => all.slice(0, 2);
  const many = <T>(all: readonly T[]): readonly T[] => all.slice(2);

  const isOfFew = ({ client }: Hit): boolean =>
    few(network.hosts).some(({ openAddress }) => openAddress === client);

  const isApart = ({ arrivedAtMs }: Hit): boolean =>
    arrivedAtMs > apart.fromMs && arrivedAtMs < apart.untilMs;

  /** What of the pace was not kept, were these all requests. */
  const paceViolations = async (some: readonly Hit[]): Promise<string[]> => {
    const { checks } = await audit(some, graph, { hostDelayMs: delayMs });
    const broken = checks.filter(({ name, passed }) => paceChecks.includes(name) && !passed);
    return broken.flatMap(({ name, examples }) =>
      examples.map(({ url, detail }) => `${name} ${url} ${detail}`),
    );
  };

  beforeAll(async () => {
    network = await bench.network(5);
    site = await bench.siteAt(network, {
      sites: 20,
      totalPages: 5_400,
      pagesExponent: 0,
      // None of the kinds that make a small host's circuit breaker open.
      "shares.throttled": 0,
      "shares.unavailable": 0,
      "shares.failing": 0,
      "shares.reset": 0,
    });
    graph = new TrueGraph(site.web, { seeds: site.seeds });
  });
  afterAll(() => bench.clear());

  it("finds together and crawls", async () => {
    const start = (host: TestHost, words: readonly string[]): Promise<SwarmPeer> =>
      bench.memberAt(host, ["--listen", `${host.address}:0`, ...site.flags, ...words]);
    const [first, ...others] = network.hosts as [TestHost, ...TestHost[]];
    const founder = await start(first, []);
    const joined = await Promise.all(others.map((host) => start(host, founder.joinFlags)));
    peers = [founder, ...joined];
    await Promise.all(peers.map((peer) => peer.sees(peers, 60_000)));
    const job = ["--scope", "any", "--delay", String(delayMs)];
    expect((await bench.ask(founder, ["inject", ...site.seeds, ...job])).code).toBe(0);
    waits = peers.map((peer) => bench.ask(peer, ["wait", "--job", "default", "--json"]));
    await until("500 requests", async () => (await site.hits()).length >= 500, 60_000);
  });

  it("goes on on both sides of the cut, and finds together again after it", async () => {
    apart.fromMs = Date.now();
    await network.cut(few(network.hosts));
    const sides = [few(peers), many(peers)];
    await Promise.all(sides.flatMap((side) => side.map((peer) => peer.sees(side))));
    const lasts = (): boolean => Date.now() - apart.fromMs < cutMs;
    await until("the cut has lasted", () => !lasts(), 2 * cutMs);
    await network.heal();
    await Promise.all(peers.map((peer) => peer.sees(peers, 60_000)));
    apart.untilMs = Date.now() + settlingMs;
  });

  it("finishes, as every member's user is told", async () => {
    for (const { code, stdout } of await Promise.all(waits)) {
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ finished: true, counts: { queued: 0 } });
    }
    await site.stop();
    hits = await site.hits();
  });

  it("loses nothing, and fetches again only what it could not know of", async () => {
    const ofPage = Map.groupBy(hits, ({ host, path }) => {
      const target = site.web.locate(host, path);
      return target.kind === "page" ? target.id : undefined;
    });
    ofPage.delete(undefined);
    repeated = [...ofPage.values()].filter(({ length }) => length > 1);
    const report = await audit(hits, graph, {
      hostDelayMs: delayMs,
      refetchesAllowed: repeated.length,
      // A host's new owner on the other side reads them for itself.
      robotsRefetchesAllowed: 10,
    });
    const broken = report.checks.filter(
      ({ name, passed }) => !passed && !paceChecks.includes(name),
    );
    const logs = peers.map(({ id, stderr }) => `=== ${id}\n${stderr}`).join("\n");
    expect(broken, `${renderAudit(report)}\n${logs}`).toEqual([]);

    const unexplained = repeated.filter((requests) => {
      const [one, other, ...more] = requests.toSorted((a, b) => a.arrivedAtMs - b.arrivedAtMs);
      if (one === undefined || other === undefined || more.length > 0) return true;
      const isKnown =
        one.arrivedAtMs > apart.untilMs || other.arrivedAtMs > apart.untilMs + exchangeMsMax;
      return isOfFew(one) === isOfFew(other) || other.arrivedAtMs < apart.fromMs || isKnown;
    });
    expect(unexplained).toEqual([]);
  });

  it("keeps each host's delay: each side during the cut, all together before and after", async () => {
    const [ofFew, ofMany] = [hits.filter(isOfFew), hits.filter((hit) => !isOfFew(hit))];
    const together = hits.filter((hit) => !isApart(hit));
    for (const some of [ofFew, ofMany, together]) {
      expect(some.length).toBeGreaterThan(500);
      expect(await paceViolations(some)).toEqual([]);
    }
    // Both sides were at work meanwhile, so that there was something to keep apart.
    expect(ofFew.filter(isApart).length).toBeGreaterThan(500);
    expect(ofMany.filter(isApart).length).toBeGreaterThan(500);
  });

  it("counts what was fetched on both sides", async () => {
    const { counts } = JSON.parse((await waits[0])?.stdout ?? "") as WaitDocument;
    expect(repeated.length).toBeGreaterThan(0);
    expect(counts.overlapFetches).toBeLessThanOrEqual(repeated.length);
    // One whose second answer was still being taken in when the first one's record came over is not told apart.
    expect(counts.overlapFetches).toBeGreaterThan(repeated.length * 0.98);
  });
});
