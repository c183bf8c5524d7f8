import { describe, expect, it } from "vitest";
import { compareKeys } from "../../../src/core/record/compare-keys.ts";
import { retag, robotsKey } from "../../../src/core/record/keys.ts";
import { ExclusionRecord, RobotsRecord, UrlRecord } from "../../../src/core/record/record.pb.ts";
import { queuedRecord, urlState } from "../../../src/core/record/url-state.ts";
import type { CanonicalUrl, HostName, OriginName, SiteName } from "../../../src/core/units.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import { StatusDesk } from "../../../src/peer/answers/status-desk.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import type { KeyRange, StoreEntry } from "../../../src/ports/store.ts";
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
    const desk = new StatusDesk({ archive, clock: { nowMs: () => 0 }, store }, frontier, "peer-0");
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
    const desk = new StatusDesk({ archive, clock: { nowMs: () => 0 }, store }, frontier, "peer-0");
    const known = await desk.known([a, b, c], jobs);
    expect(known.map(({ state }) => state)).toEqual(["done", "excluded", "unknown"]);
    expect(known.map(({ job }) => job)).toEqual(["job-999", "job-7", undefined]);
    expect(most).toBeLessThan(1_000);
  });
});
