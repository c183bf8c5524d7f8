import { describe, expect, it } from "vitest";
import {
  defaultSampleWebOptions,
  type SampleWebOptions,
} from "../../../sim/sample-web/sample-web-options.ts";
import { SampleWeb } from "../../../sim/sample-web/sample-web.ts";
import { TrueGraph } from "../../../sim/sample-web/true-graph.ts";
import { Dice } from "../../../sim/world/dice.ts";
import { VirtualFetcher } from "../../../sim/world/virtual-fetcher.ts";
import { VirtualParser } from "../../../sim/world/virtual-parser.ts";
import { VirtualProbe } from "../../../sim/world/virtual-probe.ts";
import { VirtualProcess } from "../../../sim/world/virtual-process.ts";
import { VirtualResolver } from "../../../sim/world/virtual-resolver.ts";
import { VirtualWeb, type VirtualHit } from "../../../sim/world/virtual-web.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { compileJobRules } from "../../../src/core/jobs/job-rules.ts";
import { defaultJobOptions, type JobDefinition } from "../../../src/core/jobs/job-definition.ts";
import { unpackLinks } from "../../../src/core/page/packed-links.ts";
import type { PackedLinks } from "../../../src/core/page/parsed-page.ts";
import { parsePage } from "../../../src/core/page/parse-page.ts";
import type {
  CanonicalUrl,
  HostName,
  IpAddress,
  JobId,
  OriginName,
} from "../../../src/core/units.ts";
import { dedupeKey } from "../../../src/core/url/dedupe-key.ts";
import { hostOf, originOf } from "../../../src/core/url/site-of.ts";
import { defaultFetchLimits } from "../../../src/ports/fetcher.ts";
import type { FetchOutcome, FetchResponse } from "../../../src/ports/fetcher.ts";
import type { ParsedPage } from "../../../src/ports/page-parser.ts";
import type { ResolveOutcome } from "../../../src/ports/resolver.ts";

const job: JobDefinition = {
  id: "job" as JobId,
  revision: 1,
  stateRevision: 1,
  state: "running",
  options: { ...defaultJobOptions, scope: "any", depthMax: 1_000 },
};

/** Every kind of page and host that the sample web has. */
const everyKind: Partial<SampleWebOptions> = {
  sites: 12,
  totalPages: 1_500,
  hostsPerAddress: 3,
  robotsMissingShare: 0.2,
  robotsFailingShare: 0.05,
  crawlDelayShare: 0.2,
};

class WebBench {
  readonly clock = new VirtualClock();
  readonly sample: SampleWeb;
  readonly web: VirtualWeb;
  readonly process: VirtualProcess;
  readonly fetcher: VirtualFetcher;
  readonly parser: VirtualParser;
  readonly resolver: VirtualResolver;
  readonly hits: VirtualHit[] = [];

  constructor(options: Partial<SampleWebOptions> = {}) {
    this.sample = new SampleWeb({ ...defaultSampleWebOptions, ...options }, 80);
    this.web = new VirtualWeb(this.sample, this.clock, new Dice(1));
    this.process = new VirtualProcess("peer-1", 1, this.clock);
    this.fetcher = new VirtualFetcher(this.web, this.process);
    this.parser = new VirtualParser(this.web.pages, this.process);
    this.resolver = new VirtualResolver(this.web, this.process, new Dice(2));
    this.web.onHit((hit) => this.hits.push(hit));
  }

  fetch(
    url: string,
    headers: Record<string, string> = {},
    signal = new AbortController().signal,
  ): Promise<FetchOutcome> {
    const address = "127.1.0.1" as IpAddress;
    const limits = defaultFetchLimits;
    const wantsBody = (): boolean => true;
    return this.fetcher.fetch(
      { url: url as CanonicalUrl, address, headers, limits, wantsBody },
      signal,
    );
  }

  /** URLs that a response leads to. */
  async linksOf(url: CanonicalUrl, response: FetchResponse): Promise<CanonicalUrl[]> {
    const at = response.headers.indexOf("location");
    if (at >= 0) return [response.headers[at + 1] as CanonicalUrl];
    return unpackLinks((await this.parse(url, response)).links);
  }

  parse(url: CanonicalUrl, response: FetchResponse): Promise<ParsedPage> {
    return this.parser.parse({
      exchange: {
        url,
        address: "",
        method: "GET",
        status: response.status,
        httpVersion: "1.1",
        statusText: "",
        headers: response.headers,
        requestHeaders: [],
        encodedBody: response.encodedBody,
        fetchedAtMs: response.startedAtMs,
      },
      payloadDigest: this.parser.payloadDigest(response.encodedBody),
      body: response.body,
      contentHeaders: response.headers,
      follow: response.status === 200,
      job,
      depth: 1,
      redirectChain: [],
      sitemaps: [],
    });
  }

  /** A crawl without any politeness: breadth first, one request at a time. */
  async crawl(seeds: readonly string[]): Promise<Set<string>> {
    await this.parser.start();
    const robots = new Map<string, "rules" | "none" | "failing">();
    const queue = seeds as CanonicalUrl[];
    const seen = new Set(queue.map((url) => dedupeKey(url)));
    const fetched = new Set<string>();
    for (const url of queue) {
      const origin = originOf(url);
      if (!robots.has(origin)) {
        const answer = await this.fetch(`${origin}/robots.txt`);
        const status = answer.kind === "response" ? answer.status : 0;
        robots.set(origin, status === 200 ? "rules" : status === 404 ? "none" : "failing");
      }
      const rules = robots.get(origin);
      const isRuled = /\/private\/(?!open\/)|\.tmp$/.test(url);
      if (rules === "failing" || (rules === "rules" && isRuled)) continue;
      let answer = await this.fetch(url);
      if (answer.kind === "response" && answer.headers.includes("retry-after")) {
        answer = await this.fetch(url);
      }
      fetched.add(url);
      if (answer.kind === "failure") continue;
      for (const link of await this.linksOf(url, answer)) {
        if (seen.has(dedupeKey(link))) continue;
        seen.add(dedupeKey(link));
        queue.push(link);
      }
    }
    return fetched;
  }
}

describe("the virtual web", () => {
  it("reaches nobody from a machine without a network, until it has one again", async () => {
    const bench = new WebBench();
    const [url = ""] = bench.sample.rootUrls();
    const host = new URL(url).hostname as HostName;
    const forever = new AbortController().signal;
    const end = bench.web.cutOff(["peer-1"]);
    const probe = new VirtualProbe(bench.web, bench.process);
    const origin = new URL(url).origin as OriginName;
    const ask = (): Promise<[FetchOutcome, ResolveOutcome, boolean, boolean]> =>
      bench.clock.run(
        Promise.all([
          bench.fetch(url),
          bench.resolver.resolve(host, forever),
          probe.reaches(origin, forever),
          probe.resolves(origin, forever),
        ]),
      );
    const [fetched, resolved, ...looks] = await ask();
    expect(looks).toEqual([false, false]);
    expect(fetched).toMatchObject({ failure: "connect-timeout" });
    expect(resolved).toMatchObject({ failure: "dns-timeout" });
    expect(bench.hits).toEqual([]);
    end();
    expect(await ask()).toMatchObject([{ kind: "response" }, { kind: "addresses" }, true, true]);
  });

  it("leads a crawl to exactly the pages of the true graph, whatever they are", async () => {
    const bench = new WebBench(everyKind);
    const seeds = [bench.sample.rootUrl(0)];
    const graph = new TrueGraph(bench.sample, { seeds });
    const must = new Set(Array.from(graph.ids("must"), (id) => bench.sample.urlOf(id)));
    const kinds = Object.values(graph.kinds()).filter((count) => count > 0);
    expect(kinds.length).toBeGreaterThan(10);
    const fetched = await bench.clock.run(bench.crawl(seeds));
    expect([...must].filter((url) => !fetched.has(url))).toEqual([]);
    expect([...fetched].filter((url) => !must.has(url))).toEqual([]);
  });

  it("answers as the sample web does, but for the bytes", async () => {
    const bench = new WebBench(everyKind);
    await bench.clock.run(
      (async () => {
        for (let id = 0; id < bench.sample.layout.pageCount; id += 1) {
          const url = bench.sample.urlOf(id);
          const real = bench.sample.page(url);
          const outcome = await bench.fetch(url);
          const { throttle } = real;
          const first = throttle === undefined ? real.status : throttle.status;
          const status = outcome.kind === "response" ? outcome.status : "reset";
          expect([url, status]).toEqual([url, real.resets ? "reset" : first]);
          if (outcome.kind === "failure" || throttle !== undefined) continue;
          const location = real.headers.find(([name]) => name === "location")?.[1];
          const at = outcome.headers.indexOf("location");
          const target = location && new URL(location, url).href;
          expect(at < 0 ? undefined : outcome.headers[at + 1]).toBe(target);
        }
      })(),
    );
  });

  it("leads where the markup of the same page leads, link by link", async () => {
    const bench = new WebBench(everyKind);
    const keysOf = (links: PackedLinks): string[] =>
      unpackLinks(links)
        .map((url) => dedupeKey(url))
        .sort();
    await bench.clock.run(
      (async () => {
        await bench.parser.start();
        const { normalizeQuery } = job.options;
        const rules = compileJobRules(job);
        let links = 0;
        for (let id = 0; id < bench.sample.layout.pageCount; id += 3) {
          const url = bench.sample.urlOf(id) as CanonicalUrl;
          const real = bench.sample.page(url);
          const headers = real.headers.flat();
          const { body, status } = real;
          const page = { url, headers, body, follow: status === 200, depth: 1, sitemaps: [] };
          const ofJob = { rules, normalizeQuery, readsSitemaps: false, botName: "orbweaver" };
          const parsed = parsePage({ ...page, ...ofJob });
          const outcome = await bench.fetch(url);
          if (outcome.kind === "failure" || outcome.status !== status) continue;
          const virtual = await bench.parse(url, outcome);
          expect([url, keysOf(virtual.links)]).toEqual([url, keysOf(parsed.links)]);
          expect(virtual.excluded.map((one) => [one.reason, keysOf(one.links)])).toEqual(
            parsed.excluded.map((one) => [one.reason, keysOf(one.links)]),
          );
          const { html, noindex } = parsed;
          expect(virtual).toMatchObject({ html, noindex });
          links += virtual.links.ends.length;
        }
        expect(links).toBeGreaterThan(3_000);
      })(),
    );
  });

  it("gives two pages with one content one digest, and others others", async () => {
    const bench = new WebBench(everyKind);
    await bench.clock.run(
      (async () => {
        const byDigest = new Map<string, Set<string>>();
        for (let id = 0; id < bench.sample.layout.pageCount; id += 1) {
          const { site, index } = bench.sample.layout.placeOf(id);
          const kind = bench.sample.layout.kindOf(site, index);
          if (kind !== "ordinary" && kind !== "duplicate") continue;
          const outcome = await bench.fetch(bench.sample.urlOf(id));
          if (outcome.kind === "failure") continue;
          const digest = bench.parser.payloadDigest(outcome.encodedBody);
          const originals = byDigest.get(digest) ?? new Set();
          byDigest.set(
            digest,
            originals.add(`${site} ${bench.sample.layout.originalOf(site, index)}`),
          );
          expect(digest).toMatch(/^sha1:[A-Z2-7]{32}$/);
        }
        expect(byDigest.size).toBeGreaterThan(500);
        expect([...byDigest.values()].filter(({ size }) => size > 1)).toEqual([]);
      })(),
    );
  });

  it("never ends in a trap", async () => {
    const bench = new WebBench({ sites: 1, totalPages: 3, trapShare: 1 });
    const root = bench.sample.rootUrl(0) as CanonicalUrl;
    await bench.clock.run(
      (async () => {
        await bench.parser.start();
        let url = `${originOf(root)}/deep/` as CanonicalUrl;
        for (let level = 0; level < 2; level += 1) {
          const response = await bench.fetch(url);
          if (response.kind === "failure") throw new Error(response.failure);
          url = (await bench.linksOf(url, response))[0] ?? url;
        }
        expect(url).toBe(`${originOf(root)}/deep/level/level/`);
      })(),
    );
  });

  it("logs a hit when the request arrives, at true times, with who asked", async () => {
    const bench = new WebBench({ sites: 1, totalPages: 40 });
    await bench.clock.run(bench.fetch(bench.sample.rootUrl(0)));
    const [hit] = bench.hits;
    expect(bench.hits).toHaveLength(1);
    expect(hit).toMatchObject({ peer: "peer-1", generation: 1, status: 200, page: 0 });
    expect(hit?.endMs).toBeGreaterThan(hit?.atMs ?? Infinity);
    expect(bench.clock.nowMs()).toBeGreaterThan(hit?.endMs ?? Infinity);
  });

  it("sees the request of a process that dies, which hears nothing more", async () => {
    const bench = new WebBench({ sites: 1, totalPages: 40 });
    const heard: unknown[] = [];
    void bench.fetch(bench.sample.rootUrl(0)).then((outcome) => heard.push(outcome));
    bench.process.end();
    void bench.fetch(bench.sample.rootUrl(0)).then((outcome) => heard.push(outcome));
    await bench.clock.run(bench.clock.sleep(60_000));
    expect(bench.hits).toHaveLength(1);
    expect(heard).toEqual([]);
  });

  it("ends a fetch that is aborted, stopped, or too slow", async () => {
    const bench = new WebBench({ sites: 1, totalPages: 40 });
    await bench.clock.run(
      (async () => {
        const url = bench.sample.rootUrl(0);
        const abort = new AbortController();
        const aborted = bench.fetch(url, {}, abort.signal);
        abort.abort();
        expect(await aborted).toMatchObject({ failure: "aborted" });
        const remove = bench.web.addRule(() => ({ kind: "delay", ms: 20_000 }));
        expect(await bench.fetch(url)).toMatchObject({ failure: "head-timeout" });
        remove();
        const stopped = bench.fetch(url);
        await bench.fetcher.stop();
        expect(await stopped).toMatchObject({ failure: "aborted" });
        expect(await bench.fetch(url)).toMatchObject({ failure: "aborted" });
      })(),
    );
  });

  it("lets rules answer instead of a page, and says what has not changed", async () => {
    const bench = new WebBench({ sites: 1, totalPages: 40 });
    await bench.clock.run(
      (async () => {
        const url = bench.sample.rootUrl(0);
        const plain = await bench.fetch(url);
        const etag =
          plain.kind === "response" ? plain.headers[plain.headers.indexOf("etag") + 1] : "";
        const again = await bench.fetch(url, { "if-none-match": etag ?? "" });
        expect(again).toMatchObject({ status: 304 });
        const rules = [
          bench.web.addRule(({ host }) =>
            host === hostOf(url as CanonicalUrl)
              ? { kind: "status", status: 429, retryAfterSeconds: 9 }
              : undefined,
          ),
        ];
        expect(await bench.fetch(url)).toMatchObject({ status: 429 });
        expect(bench.hits.at(-1)).toMatchObject({ status: 429, retryAfterSeconds: 9 });
        for (const remove of rules) remove();
        bench.web.addRule(() => ({ kind: "redirect", location: `${url}?again` }));
        expect(await bench.fetch(url)).toMatchObject({ headers: ["location", `${url}?again`] });
      })(),
    );
  });

  it("resolves its names, to shared addresses too", async () => {
    const bench = new WebBench({ sites: 6, hostsPerSite: 2, hostsPerAddress: 3, totalPages: 60 });
    await bench.clock.run(
      (async () => {
        const { signal } = new AbortController();
        const addresses = new Set<string>();
        for (let site = 0; site < 6; site += 1) {
          for (let label = 0; label < 2; label += 1) {
            const name = bench.sample.names.hostName({ site, label }) as HostName;
            const outcome = await bench.resolver.resolve(name, signal);
            if (outcome.kind === "addresses") addresses.add(outcome.addresses[0] ?? "");
          }
        }
        expect(addresses.size).toBe(4);
        const unknown = await bench.resolver.resolve("nowhere.example" as HostName, signal);
        expect(unknown).toMatchObject({ failure: "dns-not-found" });
      })(),
    );
  });
});
