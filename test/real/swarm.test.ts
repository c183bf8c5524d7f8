import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "../../sim/auditor/auditor.ts";
import { renderAudit } from "../../sim/auditor/render-audit.ts";
import { defaultSampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import type { JobReport, UrlStatus } from "../../src/ports/peer-control.ts";
import type { SampleSite } from "../support/process-bench.ts";
import { SwarmBench, type SwarmPeer } from "../support/swarm-bench.ts";
import { until } from "../support/until.ts";

/** None of the kinds that make a small host's circuit breaker open. */
const noFailures = { throttled: 0, unavailable: 0, failing: 0, reset: 0 };

const delayMs = 60;

/** A graceful stop must be over by then; the command itself insists after 10 s. */
const stopMsMax = 10_000;

/** One story: each test goes on where the one before ended. */
describe("a swarm of processes through a kill, a join and a leave", () => {
  const bench = new SwarmBench();
  let site: SampleSite;
  let graph: TrueGraph;
  let first: SwarmPeer;
  let second: SwarmPeer;
  let third: SwarmPeer;
  let fourth: SwarmPeer;
  let killedAtMs: number;
  let waited: ReturnType<SwarmBench["ask"]>;

  const json = async <T>(peer: SwarmPeer, words: readonly string[]): Promise<T> => {
    const { code, stderr, stdout } = await bench.ask(peer, [...words, "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout) as T;
  };

  const hits = (count: number): Promise<void> =>
    until(`${count} requests`, () => site.server.hits.length >= count);

  const inject = async (peer: SwarmPeer, urls: readonly string[]): Promise<void> => {
    const job = ["--scope", "site", "--delay", String(delayMs)];
    expect((await bench.ask(peer, ["inject", ...urls, ...job])).code).toBe(0);
  };

  /** The roots of every second site. */
  const seeds = (parity: "even" | "odd"): readonly string[] =>
    site.seeds.filter((url) => /[02468]\.example/.test(url) === (parity === "even"));

  beforeAll(async () => {
    site = await bench.site({
      sites: 12,
      hostsPerSite: 2,
      totalPages: 500,
      // No spellings: each URL is fetched under the name that the graph gives it.
      sessionShare: 0,
      variantShare: 0,
      shares: { ...defaultSampleWebOptions.shares, ...noFailures },
    });
    graph = new TrueGraph(site.web, { seeds: site.seeds, scope: "site" });
  });
  afterAll(() => bench.clear());

  it("finds together", async () => {
    [first, second, third] = (await bench.swarm(site, 3)) as [SwarmPeer, SwarmPeer, SwarmPeer];
    const { stdout } = await bench.ask(second, ["members"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(4);
    expect(stdout).toContain(`${second.id.slice(-8)} *`);
  });

  it("takes seeds at any member, and lets a killed one's work be done by the others", async () => {
    await inject(first, seeds("even"));
    await hits(100);
    const stats = await second.stats();
    const answered = stats.members.map(({ peer }) => peer).sort();
    expect(answered).toEqual([first.id, second.id, third.id].sort());
    killedAtMs = performance.timeOrigin + performance.now();
    await third.end("SIGKILL");
    fourth = await bench.member(site, second.joinFlags);
    await Promise.all([first.sees([first, second, fourth]), fourth.sees([first, second, fourth])]);
  });

  it("takes a member in and lets another go while it crawls", async () => {
    const before = site.server.hits.length;
    await inject(fourth, seeds("odd"));
    waited = bench.ask(second, ["wait", "--job", "default", "--json"]);
    await hits(before + 60);
    expect((await second.stats()).queued).toBeGreaterThan(0);
    expect((await bench.ask(first, ["leave"])).code).toBe(0);
    expect(await first.ended).toMatchObject({ code: 0 });
    await fourth.sees([second, fourth]);
  });

  it("loses nothing, and repeats at most what was in flight at the kill", async () => {
    const { code, stdout } = await waited;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ finished: true, counts: { queued: 0 } });
    const report = await audit(site.server.hits, graph, {
      hostDelayMs: delayMs,
      interruptedAtMs: [killedAtMs],
      robotsRefetchesAllowed: 3,
    });
    expect(report.passed, renderAudit(report)).toBe(true);
  });

  it("tells every member's user the state of every page", async () => {
    const urls = [...graph.ids("must")].map((id) => graph.web.urlOf(id));
    for (const peer of [second, fourth]) {
      const states = await peer.status(urls, "default");
      expect(states.filter(({ state }) => state !== "done").map(({ url }) => url)).toEqual([]);
      expect(states.filter(({ reason }) => reason === "owner-unreachable")).toEqual([]);
    }
    const jobs = await json<readonly JobReport[]>(fourth, ["jobs"]);
    expect(jobs.map(({ definition }) => definition.id)).toEqual(["default"]);
  });

  it("hands out a page of one member at another, and says why a host waits", async () => {
    const urls = [...graph.ids("must")]
      .filter((id) => graph.web.kindOf(id) === "ordinary")
      .map((id) => graph.web.urlOf(id));
    const states = await fourth.status(urls, "default");
    const page = states.find(({ archive }) => archive?.peer === second.id) as UrlStatus;
    const { code, output } = await bench.ask(fourth, ["get", page.url]);
    expect(code).toBe(0);
    expect(output.equals(Buffer.from(site.web.page(page.url).body))).toBe(true);
    const host = await json<object>(fourth, ["host", new URL(page.url).hostname]);
    expect(host).toMatchObject({ known: true, queued: [] });
  });

  it("finds its swarm again after a restart with a bare --join", async () => {
    const askedAtMs = Date.now();
    expect(await second.end("SIGTERM")).toMatchObject({ code: 143 });
    expect(Date.now() - askedAtMs).toBeLessThan(stopMsMax);
    await fourth.sees([fourth]);
    const again = await bench.member(site, ["--join"], second.data);
    expect(again.id).toBe(second.id);
    await Promise.all([again.sees([again, fourth]), fourth.sees([again, fourth])]);
    const states = await again.status(site.seeds, "default");
    expect(states.every(({ state }) => state === "done")).toBe(true);
  });
});
