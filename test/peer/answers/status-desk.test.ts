import { describe, expect, it } from "vitest";
import { compareKeys } from "../../../src/core/record/compare-keys.ts";
import { retag } from "../../../src/core/record/url-keys.ts";
import { robotsKey } from "../../../src/core/record/host-keys.ts";
import { ExclusionRecord, RobotsRecord, UrlRecord } from "../../../src/core/record/record.pb.ts";
import { queuedRecord, urlState } from "../../../src/core/record/url-state.ts";
import type { CanonicalUrl, HostName, OriginName, SiteName } from "../../../src/core/units.ts";
import type { Host } from "../../../src/peer/frontier/host.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import { StatusDesk } from "../../../src/peer/answers/status-desk.ts";
import { knowledgeOf } from "../../../src/peer/answers/url-knowledge.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import type { ArchivedResponse, ArchiveLocation } from "../../../src/ports/archive.ts";
import type { KeyRange, StoreEntry } from "../../../src/ports/store.ts";
import { noOutages } from "../../support/no-outages.ts";
import { testJob } from "../../support/virtual-peer.ts";

const hosts = Array.from({ length: 300 }, (_, at) => `${at}.example`);
const urls = hosts.map((host) => `http://${host}/` as CanonicalUrl);
const job = new JobRegistry().define(testJob);

function robotsOf(host: string): RobotsRecord {
  return {
    origin: `http://${host}`,
    verdict: "disallow-all",
    body: "#".repeat(400_000),
    fetchedAtMs: 0,
    expiresAtMs: 60_000,
    httpStatus: 503,
    failuresInRow: 1,
  };
}

/** The URLs queued, each with the longest robots.txt that its host may have. */
const rows = new Map<string, Uint8Array>();
for (const [at, url] of urls.entries()) {
  const host = hosts[at] ?? "";
  rows.set(String(urlRow(url, job).key), queuedRecord(0));
  const key = robotsKey(host as HostName & SiteName, `http://${host}` as OriginName);
  rows.set(String(key), RobotsRecord.encode(robotsOf(host)));
}

describe("StatusDesk", () => {
  it("does not read the robots.txts of all hosts of a batch at once", async () => {
    let held = 0;
    let most = 0;
    const getMany = async (keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> => {
      const found = keys.map((key) => rows.get(String(key)));
      const bytes = found.reduce((sum, row) => sum + (row?.length ?? 0), 0);
      held += bytes;
      most = Math.max(most, held);
      await Promise.resolve();
      held -= bytes;
      return found;
    };
    const range = () => Promise.reject(new Error("not to be called"));
    const store = { getMany, range, get: async (key: Uint8Array) => (await getMany([key]))[0] };
    const archive = { read: () => Promise.reject(new Error("not to be called")) };
    const frontier = { hostsFor: () => Promise.resolve(new Map()) };
    const parts = { frontier, outages: noOutages, peerId: "peer-0" };
    const desk = new StatusDesk({ archive, clock: { nowMs: () => 0 }, store }, parts);
    const known = await desk.known(urls, [job]);
    expect(known.map(({ reason }) => reason)).toEqual(urls.map(() => "backoff"));
    expect(most).toBeLessThan(1_000_000);
  });

  it("does not look every URL up for each of a thousand jobs", async () => {
    const registry = new JobRegistry();
    const jobs = Array.from({ length: 1_000 }, (_, n) =>
      registry.define(`job-${n}`, { normalizeQuery: n % 2 === 0 }),
    );
    const asked = ["http://a.example/?b=1&a=2", "http://b.example/", "http://c.example/"];
    const [a, b, c] = asked as CanonicalUrl[];
    if (!a || !b || !c) throw new Error("three URLs");
    const there = new Map<string, Uint8Array>();
    const put = (key: Uint8Array, value: Uint8Array): void => {
      there.set(Buffer.from(key).toString("hex"), value);
    };
    const done = { ...urlState.fresh, state: urlState.done, httpStatus: 200 };
    for (const [n, job] of jobs.entries()) {
      put(urlRow(a, job).key, UrlRecord.encode({ ...done, url: a, fetchedAtMs: n }));
    }
    const exclusion = ExclusionRecord.encode({ url: b, reason: "scope" });
    put(retag(urlRow(b, jobs[7] ?? job).key, "exclusion"), exclusion);
    let most = 0;
    const range = ({ gte, lt }: KeyRange, limit: number): Promise<StoreEntry[]> => {
      const found = [...there.keys()]
        .toSorted()
        .map((hex) => ({ key: new Uint8Array(Buffer.from(hex, "hex")), hex }))
        .filter(({ key }) => compareKeys(key, gte) >= 0 && compareKeys(key, lt) < 0)
        .slice(0, limit)
        .map(({ key, hex }) => ({ key, value: there.get(hex) ?? new Uint8Array(0) }));
      most = Math.max(most, found.length);
      return Promise.resolve(found);
    };
    const getMany = (keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> => {
      most = Math.max(most, keys.length);
      return Promise.resolve(keys.map((key) => there.get(Buffer.from(key).toString("hex"))));
    };
    const store = { get: () => Promise.resolve(undefined), getMany, range };
    const archive = { read: () => Promise.reject(new Error("not to be called")) };
    const frontier = { hostsFor: () => Promise.resolve(new Map()) };
    const parts = { frontier, outages: noOutages, peerId: "peer-0" };
    const desk = new StatusDesk({ archive, clock: { nowMs: () => 0 }, store }, parts);
    const known = await desk.known([a, b, c], jobs);
    expect(known.map(({ state }) => state)).toEqual(["done", "excluded", "unknown"]);
    expect(known.map(({ job }) => job)).toEqual(["job-999", "job-7", undefined]);
    expect(most).toBeLessThan(1_000);
  });
});

describe("knowledgeOf", () => {
  it.each([1, 20])("reads a row once for %i jobs, however often it is asked for", async (count) => {
    const registry = new JobRegistry();
    const jobs = Array.from({ length: count }, (_, n) => registry.define(`job-${n}`));
    const [first = job] = jobs;
    // Of the second the job thinks as of the first.
    const asked = ["http://a.example/", "http://a.example/?utm_source=b"] as CanonicalUrl[];
    const { key } = urlRow("http://a.example/" as CanonicalUrl, first);
    const value = queuedRecord(3);
    let reads = 0;
    const store = {
      getMany: (keys: readonly Uint8Array[]) =>
        Promise.resolve(
          keys.map((one) => {
            if (compareKeys(one, key) !== 0) return undefined;
            reads += 1;
            return value;
          }),
        ),
      range: ({ gte, lt }: KeyRange): Promise<StoreEntry[]> => {
        const isIn = compareKeys(key, gte) >= 0 && compareKeys(key, lt) < 0;
        if (isIn) reads += 1;
        return Promise.resolve(isIn ? [{ key, value }] : []);
      },
    };
    const urls = Array.from({ length: 300 }, (_, at) => asked[at % 2] ?? ("" as CanonicalUrl));
    const known = await knowledgeOf(store, urls, jobs);
    expect(known.map((one) => one?.record?.attempts)).toEqual(urls.map(() => 3));
    expect(reads).toBe(1);
  });
});

describe("what is said of a URL", () => {
  const [url] = urls as [CanonicalUrl];
  const nowMs = 10_000;
  const { key } = urlRow(url, job);
  const capture = { file: "a.warc.gz", offset: 1, length: 2 };
  const done: UrlRecord = { ...urlState.fresh, url, state: urlState.done, attempts: 1, depth: 2 };
  const answered = { ...done, httpStatus: 200, fetchedAtMs: 5_000, bodyBytes: 7 };
  const fetched = { httpStatus: 200, fetchedAt: "1970-01-01T00:00:05.000Z", bodyBytes: 7 };

  interface Facts {
    readonly record?: UrlRecord;
    readonly exclusion?: string;
    readonly job?: Partial<typeof job.definition>;
    /** Until when its origin is out of reach. */
    readonly robotsUntilMs?: number;
    readonly gate?: { readonly nextFetchAtMs: number; readonly hold: () => string | undefined };
  }

  /** What is said of it where these are the facts, and whether its host was looked up for that. */
  async function said(facts: Facts): Promise<object> {
    const { record, exclusion: reason, gate, robotsUntilMs: expiresAtMs } = facts;
    const there = new Map<string, Uint8Array>();
    if (record) there.set(String(key), UrlRecord.encode(record));
    if (reason !== undefined) {
      there.set(String(retag(key, "exclusion")), ExclusionRecord.encode({ url, reason }));
    }
    const robots = expiresAtMs && RobotsRecord.encode({ ...robotsOf("0.example"), expiresAtMs });
    const store = {
      get: () => Promise.resolve(robots || undefined),
      getMany: (keys: readonly Uint8Array[]) =>
        Promise.resolve(keys.map((one) => there.get(String(one)))),
      range: () => Promise.resolve([]),
    };
    let askedHost = false;
    const hostsFor = (names: ReadonlyMap<HostName, SiteName>): Promise<Map<HostName, Host>> => {
      askedHost = names.size > 0;
      const host = { visit: { gate } } as unknown as Host;
      return Promise.resolve(new Map(gate ? [["0.example" as HostName, host]] : []));
    };
    const archive = { read: () => Promise.reject(new Error("not to be called")) };
    const desk = new StatusDesk(
      { archive, clock: { nowMs: () => nowMs }, store },
      { frontier: { hostsFor }, outages: noOutages, peerId: "me" },
    );
    const definition = { ...job.definition, ...facts.job };
    const [known] = await desk.known([url], [{ ...job, definition }]);
    return { ...known, askedHost };
  }

  const queued = { ...urlState.fresh, state: urlState.queued, attempts: 3 };
  const gate = { nextFetchAtMs: 20_000, hold: () => "politeness" };

  it.each<[string, Facts, object]>([
    ["its turn", {}, { reason: "waiting-turn" }],
    [
      "its host, which may be asked",
      { gate: { ...gate, hold: () => undefined } },
      { reason: "waiting-turn" },
    ],
    ["its host", { gate }, { reason: "politeness" }],
    [
      "its host longer than for its origin",
      { gate, robotsUntilMs: 15_000 },
      { reason: "politeness" },
    ],
    ["its origin longer than for its host", { gate, robotsUntilMs: 30_000 }, { reason: "backoff" }],
    ["its origin no more", { robotsUntilMs: nowMs }, { reason: "waiting-turn" }],
    [
      "its job",
      { gate, robotsUntilMs: 30_000, job: { state: "paused" } },
      { reason: "job-paused", askedHost: false },
    ],
    [
      "nothing any more",
      { gate, job: { state: "cancelled" } },
      { state: "excluded", reason: "cancelled", askedHost: false },
    ],
  ])("that waits for %s", async (_, facts, expected) => {
    const common = { state: "queued", attempts: 3, job: testJob, owner: "me", askedHost: true };
    expect(await said({ record: queued, ...facts })).toEqual({ ...common, ...expected });
  });

  it.each<[string, Facts, object]>([
    ["left out", { exclusion: "scope" }, { state: "excluded", attempts: 0, reason: "scope" }],
    [
      "left out for a reason of later versions",
      { exclusion: "later" },
      { state: "excluded", attempts: 0 },
    ],
    [
      "queued, though left out before",
      { exclusion: "scope", record: queued },
      { state: "queued", attempts: 3, reason: "waiting-turn", askedHost: true },
    ],
    [
      "failed",
      { record: { ...done, failure: "tls-error" } },
      { state: "done", attempts: 1, depth: 2, reason: "tls-error" },
    ],
    [
      "forbidden",
      { record: { ...done, excluded: "robots" } },
      { state: "excluded", attempts: 1, depth: 2, reason: "robots" },
    ],
    [
      "a redirect that leads on no more",
      { record: { ...answered, redirect: "http://b.example/", excluded: "redirect-loop" } },
      {
        state: "done",
        attempts: 1,
        depth: 2,
        ...fetched,
        redirect: "http://b.example/",
        reason: "redirect-loop",
      },
    ],
    [
      "fetched",
      {
        record: {
          ...answered,
          capture,
          contentType: "text/html",
          title: "T",
          payloadDigest: "sha1:A",
          via: "http://v.example/",
          linkedAs: "http://0.example/?s=1",
        },
      },
      {
        state: "done",
        attempts: 1,
        depth: 2,
        ...fetched,
        archive: { ...capture, peer: "me" },
        contentType: "text/html",
        title: "T",
        digest: "sha1:A",
        via: "http://v.example/",
        linkedAs: "http://0.example/?s=1",
      },
    ],
    [
      "fetched by another peer",
      { record: { ...answered, capture, capturedBy: "it", body: capture, truncated: true } },
      {
        state: "done",
        attempts: 1,
        depth: 2,
        ...fetched,
        truncated: true,
        archive: { ...capture, peer: "it", body: capture },
      },
    ],
  ])("that is %s", async (_, facts, expected) => {
    const common = { job: testJob, owner: "me", askedHost: false };
    expect(await said(facts)).toEqual({ ...common, ...expected });
  });
});

describe("an archived response whose body stands elsewhere", () => {
  const [own, other] = [1, 2].map((offset) => ({ file: "a.warc.gz", offset, length: 9 }));
  const line = { status: 200, statusLine: "HTTP/1.1 200 OK" };
  const earlier = { ...line, url: "http://a.example/old", fetchedAtMs: 1, body: Uint8Array.of(1) };
  const { body } = earlier;

  it.each([
    ["is its own but for that", { ...line, statusLine: "HTTP/1.0 200 Fine" }, { body }],
    [
      "has the head of that one where nothing has changed",
      { status: 304, statusLine: "HTTP/1.1 304 Not Modified" },
      { body, ...line },
    ],
  ])("%s", async (_, head, expected) => {
    if (!own || !other) throw new Error("two places");
    const response = { ...head, url: "http://a.example/", fetchedAtMs: 2, body: new Uint8Array() };
    const told: boolean[] = [];
    const read = ({ offset }: ArchiveLocation, isTold?: boolean): Promise<ArchivedResponse> => {
      told.push(isTold === true);
      return Promise.resolve((offset === 1 ? response : earlier) as ArchivedResponse);
    };
    const none = { get: unexpected, getMany: unexpected, range: unexpected };
    const desk = new StatusDesk(
      { archive: { read }, clock: { nowMs: () => 0 }, store: none },
      { frontier: { hostsFor: unexpected }, outages: noOutages, peerId: "me" },
    );
    expect(await desk.read(own, undefined, false)).toBe(response);
    expect(await desk.read(own, other, true)).toEqual({ ...response, ...expected });
    expect(told).toEqual([false, true, true]);
  });
});

function unexpected(): Promise<never> {
  return Promise.reject(new Error("not to be called"));
}
