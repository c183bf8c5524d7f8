import { describe, expect, it } from "vitest";
import { unpackLinks } from "../../../src/core/page/packed-links.ts";
import { UrlRecord } from "../../../src/core/record/record.pb.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import type { Admission, AdmissionRequest } from "../../../src/peer/admission/admission.ts";
import type { DigestFinding } from "../../../src/peer/fetching/digest-index.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import type { Settlement } from "../../../src/peer/durability/settlement.ts";
import { PageFinisher } from "../../../src/peer/fetching/page-finisher.ts";
import type { UnchangedFetch } from "../../../src/peer/fetching/prior-fetches.ts";
import type { Host } from "../../../src/peer/frontier/host.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import type { FetchResponse } from "../../../src/ports/fetcher.ts";
import { noMetrics } from "../../../src/ports/metrics.ts";
import type { ParseRequest } from "../../../src/ports/page-parser.ts";
import { InlineParser } from "../../support/inline-parser.ts";
import { silentLogger } from "../../support/silent-logger.ts";

type Parts = ConstructorParameters<typeof PageFinisher>[1];
type Ports = ConstructorParameters<typeof PageFinisher>[0];

const url = "http://a.example/page";
const html = ["content-type", "text/html"];
const place = { file: "f.warc.gz", offset: 7, length: 8 };

interface Answer {
  readonly status?: number;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly rest?: Partial<FetchResponse>;
}

/** Ends a lease with what the server answered; what admission is asked for, and what becomes of the URL. */
class Bench {
  /** The page and what led to it. */
  entry = {
    url,
    depth: 2,
    attempts: 0,
    unseen: 0,
    redirectChain: [] as string[],
    via: "http://v.example/",
  };
  earlier: DigestFinding = "new";
  unchanged: UnchangedFetch | undefined;
  backHost: Host | undefined;
  readonly job = new JobRegistry().define("test", { scope: "any", pathSegmentsMax: 2 });
  readonly parsed: ParseRequest[] = [];
  /** Links that its page has too many. */
  linksLeftOut: number | undefined;
  readonly warned: unknown[] = [];
  archived = 0;
  digests = 0;
  requests: AdmissionRequest[] = [];
  settlements: Settlement[] = [];

  async finish({ status = 200, headers = html, body = "", rest = {} }: Answer): Promise<void> {
    const bytes = new TextEncoder().encode(body);
    const message = { status, headers, httpVersion: "1.1", statusText: "", encodedBody: bytes };
    const requestHeaders: string[] = [];
    const response = {
      ...{ kind: "response" as const, ...message, requestHeaders, body: bytes, bodyRead: true },
      ...{ startedAtMs: 0, headAtMs: 0, finishedAtMs: 0, ...rest },
    };
    const { truncation } = response;
    const exchange = {
      ...{
        url: this.entry.url,
        address: "10.0.0.1",
        method: "GET" as const,
        ...message,
        requestHeaders,
      },
      ...{ fetchedAtMs: 1.5, ...(truncation && { truncation }) },
    };
    const row = urlRow(url as CanonicalUrl, this.job);
    const queued = { key: new Uint8Array(1), take: () => undefined };
    const lease = { host: {}, job: this.job, url: { row: queued, entry: this.entry } };
    const finisher = await this.#newFinisher();
    await finisher.finishResponse(
      lease as unknown as Lease,
      row,
      exchange,
      response,
      this.unchanged,
    );
  }

  async #newFinisher(): Promise<PageFinisher> {
    const inline = new InlineParser();
    await inline.start();
    const admit = (request: AdmissionRequest): Promise<undefined> => {
      this.requests.push(request);
      const settlement = request.settle?.(this.backHost);
      if (settlement) this.settlements.push(settlement);
      return Promise.resolve(undefined);
    };
    const parts = {
      peerId: "me",
      admission: { admit } as unknown as Admission,
      digests: {
        find: () => Promise.resolve(this.earlier),
        add: () => {
          this.digests += 1;
          return [];
        },
      },
      visited: undefined,
    };
    const ports = {
      archive: {
        append: () => {
          this.archived += 1;
          return place;
        },
      },
      logger: { ...silentLogger, warn: (...event: unknown[]) => void this.warned.push(event) },
      metrics: noMetrics,
      parser: {
        pendingMax: 1,
        payloadDigest: (payload: Uint8Array) => inline.payloadDigest(payload),
        parse: async (request: ParseRequest) => {
          this.parsed.push(request);
          const { linksLeftOut } = this;
          return { ...(await inline.parse(request)), ...(linksLeftOut && { linksLeftOut }) };
        },
      },
    };
    return new PageFinisher(ports as unknown as Ports, parts as unknown as Parts);
  }

  /** The URL's record as it becomes. */
  get record(): UrlRecord {
    const { key } = urlRow(url as CanonicalUrl, this.job);
    const ops = this.settlements.flatMap((settlement) => settlement.ops);
    const op = ops.find((one) => one.type === "put" && Buffer.compare(one.key, key) === 0);
    if (op?.type !== "put") throw new Error("the URL has no record");
    return UrlRecord.decode(op.value);
  }

  get pages(): number {
    return this.job.counter.pages;
  }
}

/** What another job has fetched of the page. */
function priorFetch(): UnchangedFetch {
  const body = new TextEncoder().encode('<a href="/kept">kept</a>');
  const capture = { ...place, offset: 99 };
  const headers = [...html, "x-robots-tag", "none"];
  const response = { url, fetchedAtMs: 5, status: 200, headers, body };
  const record = { payloadDigest: "sha1:EARLIER", capture };
  return { response, headers, record } as unknown as UnchangedFetch;
}

describe("a response", () => {
  it("is archived with the links of its page, which are one further from a seed", async () => {
    const bench = new Bench();
    await bench.finish({ body: '<title>T</title><a href="/next">next</a>' });
    const [request] = bench.requests;
    expect(request && unpackLinks(request.links)).toEqual(["http://a.example/next"]);
    expect(request).toMatchObject({ depth: 3, via: url });
    expect(bench.record).toMatchObject({ httpStatus: 200, title: "T", capture: place });
    expect(bench.record).toMatchObject({ capturedBy: "me", fetchedAtMs: 1, truncated: false });
    expect([bench.archived, bench.digests, bench.pages]).toEqual([1, 1, 1]);
  });

  it.each([undefined, 7])(
    "tells of links that are too many, and of nothing else: %s",
    async (links) => {
      const bench = new Bench();
      bench.linksLeftOut = links;
      await bench.finish({ body: "<p>" });
      expect(bench.warned).toEqual(links === undefined ? [] : [["links-left-out", { url, links }]]);
    },
  );

  it("whose body was declined leaves its URL out", async () => {
    const bench = new Bench();
    await bench.finish({ rest: { bodyRead: false } });
    expect(bench.record.excluded).toBe("content-type");
    expect(bench.archived).toBe(0);
  });

  it.each<[string, Answer]>([
    ["an error", { status: 404, body: "<p>none" }],
    ["no body", { body: "" }],
    ["a body that was cut", { body: "<p>some", rest: { truncation: "length" } }],
  ])("with %s is none that others are the same as", async (_, answer) => {
    const bench = new Bench();
    await bench.finish(answer);
    expect([bench.archived, bench.digests]).toEqual([1, 0]);
    expect(bench.record.truncated).toBe(answer.rest !== undefined);
  });

  it("with an error is no page, and leads nowhere", async () => {
    const bench = new Bench();
    await bench.finish({ status: 404, body: '<a href="/next">next</a>' });
    expect(bench.pages).toBe(0);
    expect(bench.requests[0]?.links.ends).toHaveLength(0);
  });

  it("that says that nothing has changed is read as the earlier one, under its own x-robots-tag", async () => {
    const bench = new Bench();
    bench.unchanged = priorFetch();
    await bench.finish({ status: 304, headers: ["x-robots-tag", "noindex"] });
    const [request] = bench.requests;
    expect(request && unpackLinks(request.links)).toEqual(["http://a.example/kept"]);
    expect(bench.record).toMatchObject({ payloadDigest: "sha1:EARLIER", body: { offset: 99 } });
    expect(bench.parsed[0]?.revisitOf).toMatchObject({ reason: "server-not-modified" });
    expect([bench.pages, bench.digests]).toEqual([1, 0]);
  });

  it("that says so of one whose body is elsewhere refers to that place", async () => {
    const bench = new Bench();
    const { record, ...prior } = priorFetch();
    bench.unchanged = { ...prior, record: { ...record, body: { ...place, offset: 42 } } };
    await bench.finish({ status: 304, headers: [] });
    expect(bench.record.body?.offset).toBe(42);
  });
});

describe("a redirect", () => {
  const to = (location: string): Answer => ({ status: 301, headers: ["location", location] });

  it("is followed as far from a seed as its page is, on behalf of whoever links to that", async () => {
    const bench = new Bench();
    await bench.finish(to("http://b.example/"));
    const [request] = bench.requests;
    expect(request && unpackLinks(request.links)).toEqual(["http://b.example/"]);
    expect(request).toMatchObject({ depth: 2, redirectChain: [url], via: "http://v.example/" });
    expect(bench.record).toMatchObject({ httpStatus: 301, redirect: "http://b.example/" });
    expect(bench.record.excluded).toBeUndefined();
  });

  it("is archived, and asked again, where it leads to another spelling", async () => {
    const bench = new Bench();
    bench.entry.url = `${url}?utm_source=x`;
    await bench.finish(to(url));
    expect(bench.archived).toBe(1);
    expect(bench.settlements[0]?.again?.entry).toMatchObject({ url, attempts: 1, unseen: 0 });
  });

  it.each([
    ["that its chain has had", "http://c.example/", "redirect-loop", "redirect-loop"],
    ["that the job does not want", "http://c.example/a/b/c", undefined, "path-depth"],
  ])("to a place %s says where it leads, and why no further", async (_, target, own, reason) => {
    const bench = new Bench();
    bench.entry.redirectChain = ["http://c.example/"];
    await bench.finish(to(target));
    expect(bench.record).toMatchObject({ httpStatus: 301, redirect: target });
    expect(bench.record.excluded).toBe(own);
    const [request] = bench.requests;
    const excluded = request?.excluded.map((out) => [out.reason, ...unpackLinks(out.links)]);
    expect(excluded).toEqual([[reason, target]]);
  });

  it.each([
    ["is asked again there, afresh", {} as unknown as Host, undefined],
    ["ends where another member has that page", undefined, "redirect-loop"],
  ])("that leads its chain back to a page %s", async (_, host, excluded) => {
    const bench = new Bench();
    bench.backHost = host;
    const first = "http://c.example/";
    bench.entry.redirectChain = [`${first}?utm_source=x`];
    Object.assign(bench.entry, { unseen: 1, attempts: 1 });
    await bench.finish(to(first));
    expect(bench.requests[0]).toMatchObject({ backTo: first, links: { text: "" } });
    expect(bench.record.excluded).toBe(excluded);
    const again = bench.settlements[0]?.again;
    const expected = { url: first, attempts: 1, unseen: 0 };
    if (host) expect(again).toMatchObject({ host, entry: expected });
    else expect(again).toBeUndefined();
  });
});
