import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TrueGraph } from "../../sim/sample-web/true-graph.ts";
import type { PageKind } from "../../sim/sample-web/sample-web-options.ts";
import { defaultSampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import type { JobReport, PeerStats, UrlStatus } from "../../src/ports/peer-control.ts";
import type { Ended } from "../support/peer-process.ts";
import { ProcessBench } from "../support/process-bench.ts";
import type { RunningPeer, SampleSite } from "../support/process-bench.ts";
import { until } from "../support/until.ts";

const noFailures = { throttled: 0, unavailable: 0, failing: 0, reset: 0 };
const jobFlags = ["--scope", "any", "--delay", "5"];

/** One story: each test goes on where the one before ended, as a user's session does. */
describe("a running peer and the commands that talk to it", () => {
  const bench = new ProcessBench();
  let site: SampleSite;
  let graph: TrueGraph;
  let data: string;
  let peer: RunningPeer;

  /** A client command, to its end; `--data` tells it where the peer is. */
  const command = (words: readonly string[], input?: string): Promise<Ended> =>
    bench.run([...words, "--data", data], input === undefined ? {} : { input });

  const json = async <T>(words: readonly string[]): Promise<T> =>
    JSON.parse((await command([...words, "--json"])).stdout) as T;

  const urlOfKind = (wanted: PageKind): string => {
    for (const id of graph.ids("must")) {
      if (graph.web.kindOf(id) === wanted) return graph.web.urlOf(id);
    }
    throw new RangeError(`no ${wanted} page`);
  };

  beforeAll(async () => {
    site = await bench.site({
      sites: 4,
      hostsPerSite: 1,
      totalPages: 240,
      // No spellings: each URL is fetched under the name that the graph gives it.
      sessionShare: 0,
      variantShare: 0,
      shares: { ...defaultSampleWebOptions.shares, ...noFailures },
    });
    graph = new TrueGraph(site.web, { seeds: site.seeds });
    data = await bench.directory();
    peer = await bench.peer(data, [...site.flags]);
  });
  afterAll(() => bench.clear());

  it("takes URLs as arguments, from a file and from standard input", async () => {
    const [first = "", second = "", third = "", fourth = ""] = site.seeds;
    const argument = await command(["inject", first, ...jobFlags, "--json"]);
    expect(argument).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(argument.stdout)).toMatchObject({ job: "default", added: 1, known: 0 });

    const file = join(data, "urls.txt");
    await writeFile(file, `# two seeds\n\n${second}\n${third}\nno url at all\n`);
    const fromFile = await command(["inject", "--file", file, ...jobFlags]);
    expect(fromFile.code).toBe(0);
    expect(fromFile.stdout).toMatch(/^job default: \d+ added, \d known already, 1 rejected\n$/);
    expect(fromFile.stderr).toContain(`${file}, line 5: "no url at all"`);

    expect(await command(["inject", "-", ...jobFlags], `${fourth}\n`)).toMatchObject({ code: 0 });
  });

  it("makes peer wait end when everything that can be reached is fetched", async () => {
    const report = await json<JobReport>(["wait", "--job", "default"]);
    expect(report.finished).toBe(true);
    expect(report.counts).toMatchObject({
      pages: graph.htmlPages(),
      fetched: graph.counts().must,
      queued: 0,
    });
  });

  it("tells the state of each URL in a line of JSON with all the fields that were promised", async () => {
    const page = urlOfKind("ordinary");
    const missing = urlOfKind("missing");
    const redirect = urlOfKind("redirect");
    const [denied = 0] = graph.ids("robots");
    const unknown = "https://elsewhere.example/";
    const urls = [page, missing, redirect, graph.web.urlOf(denied), unknown];
    const { code, stdout } = await command(["status", ...urls, "--json"]);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    const states = lines.map((line) => JSON.parse(line) as UrlStatus);
    expect(states.map(({ url }) => url)).toEqual(urls);
    expect(states).toMatchObject([
      { state: "done", httpStatus: 200, attempts: 1 },
      { state: "done", httpStatus: 404, attempts: 1 },
      { state: "done", redirect: expect.stringMatching(/^http:/) as string },
      { state: "excluded", reason: "robots", attempts: 0 },
      { state: "unknown", attempts: 0 },
    ]);
    const promised = "url state httpStatus fetchedAt attempts redirect reason owner".split(" ");
    for (const state of states)
      expect(Object.keys(state)).toEqual(expect.arrayContaining(promised));
    expect(Date.parse(states[0]?.fetchedAt ?? "")).toBeGreaterThan(Date.parse("2026-01-01"));
  });

  it("hands out an archived body byte for byte, and its head", async () => {
    const url = urlOfKind("ordinary");
    const { code, stdout } = await command(["get", url]);
    expect(code).toBe(0);
    expect(Buffer.from(stdout).equals(Buffer.from(site.web.page(url).body))).toBe(true);
    const head = await command(["get", url, "--headers"]);
    expect(head.stdout).toMatch(/^HTTP\/1\.1 200 OK\n/);
    expect(head.stdout.toLowerCase()).toContain("\nlast-modified: thu, 01 jan 2026 00:00:00 gmt\n");
    const nothing = await command(["get", "https://elsewhere.example/"]);
    expect(nothing).toMatchObject({ code: 1, stdout: "" });
    expect(nothing.stderr).toMatch(/^peer: [^\n]*nothing is archived[^\n]*\n$/);
  });

  it("shows what it does", async () => {
    const stats = await json<PeerStats>(["stats"]);
    expect(stats).toMatchObject({ queued: 0, openRequests: 0, jobs: [{ finished: true }] });
    const text = await command(["stats"]);
    expect(text).toMatchObject({ code: 0, stderr: "" });
    expect(text.stdout).toContain("default");
  });

  it("pauses a job, goes on with it and cancels it", async () => {
    const flags = ["--job", "slow", "--scope", "any", "--delay", "200"];
    expect(await command(["inject", ...site.seeds, ...flags])).toMatchObject({ code: 0 });
    const paused = await json<JobReport>(["jobs", "pause", "slow"]);
    expect(paused.definition.state).toBe("paused");
    await until("nothing is open", async () => (await statsOf(peer)).openRequests === 0);
    const before = site.server.hits.length;
    const waiting = (await statusOf(peer, site.seeds, "slow")).filter(isQueued);
    expect(waiting.every(({ reason }) => reason === "job-paused")).toBe(true);
    expect(site.server.hits.length).toBe(before);

    await json<JobReport>(["jobs", "resume", "slow"]);
    await until("it goes on", () => site.server.hits.length > before);

    const cancelled = await json<JobReport>(["jobs", "cancel", "slow"]);
    expect(cancelled.definition.state).toBe("cancelled");
    const { code, stdout } = await command(["wait", "--job", "slow", "--json"]);
    expect(code).toBe(1);
    const end = JSON.parse(stdout) as JobReport;
    expect(end).toMatchObject({ finished: true, counts: { queued: 0 } });
    expect(end.counts.skipped.cancelled).toBeGreaterThan(0);
    expect(await command(["jobs", "show", "none"])).toMatchObject({ code: 1 });
  });

  it("leaves when asked, and takes up its work in the same directory", async () => {
    const flags = ["--job", "later", "--scope", "any", "--delay", "10"];
    await command(["inject", ...site.seeds, ...flags]);
    const left = await command(["leave", "--json"]);
    expect(left).toMatchObject({ code: 0 });
    const ended = await peer.process.ended;
    expect(ended).toMatchObject({ code: 0 });
    const ofSlow = ended.stderr.split("\n").filter((line) => / job=slow\b/.test(line));
    expect(ofSlow.map((line) => /INFO +(\S+)/.exec(line)?.[1])).toEqual([
      "job-started",
      "job-paused",
      "job-resumed",
      "job-cancelled",
      "job-finished",
    ]);
    const gone = await command(["stats"]);
    expect(gone).toMatchObject({ code: 1, stdout: "" });
    expect(gone.stderr).toMatch(/^peer: no peer runs in [^\n]*\n$/);

    peer = await bench.peer(data, [...site.flags]);
    const report = await json<JobReport>(["wait", "--job", "later"]);
    expect(report.counts).toMatchObject({
      fetched: graph.counts().must,
      queued: 0,
      duplicateFetches: 0,
    });
    const jobs = await json<readonly JobReport[]>(["jobs"]);
    const ids = jobs.map(({ definition }) => definition.id as string);
    expect(ids.sort()).toEqual(["default", "later", "slow"]);
  });
});

function isQueued({ state }: UrlStatus): boolean {
  return state === "queued";
}

async function statsOf({ api }: RunningPeer): Promise<PeerStats> {
  return (await (await fetch(`${api}/v1/stats`)).json()) as PeerStats;
}

async function statusOf(
  { api }: RunningPeer,
  urls: readonly string[],
  job: string,
): Promise<readonly UrlStatus[]> {
  const answer = await fetch(`${api}/v1/status`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ urls, job }),
  });
  return ((await answer.json()) as { readonly urls: readonly UrlStatus[] }).urls;
}
