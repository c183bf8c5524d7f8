import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeBrokenUrls } from "../../node/broken-urls.ts";
import type { JobCounts, UrlStatus } from "../../src/ports/peer-control.ts";
import { FakePeerControl, jobReport } from "../support/fake-peer-control.ts";

const via = "http://a.example/";
const statuses: readonly Pick<UrlStatus, "url" | "state" | "httpStatus" | "reason" | "via">[] = [
  { url: "http://a.example/", state: "done", httpStatus: 200 },
  { url: "http://a.example/gone", state: "done", httpStatus: 410, via },
  { url: "http://b.example/", state: "done", reason: "connect-refused", via },
  { url: "http://a.example/private", state: "excluded", reason: "robots" },
];
const report = jobReport("crawl", { fetched: 2, failed: 1, statuses: { "2xx": 1, "4xx": 1 } });
const never = new AbortController().signal;

let dataDir: string;
let control: FakePeerControl;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "broken-"));
  control = new FakePeerControl();
  for (const each of statuses) {
    control.statuses.set(each.url, { attempts: 1, owner: "peer-0", ...each });
  }
});

afterEach(() => rm(dataDir, { recursive: true }));

async function written(): Promise<unknown[]> {
  const text = await readFile(join(dataDir, "broken.ndjson"), "utf8");
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as unknown);
}

it("lists what failed and what was answered with an error, over all parts", async () => {
  expect(await writeBrokenUrls(control, report, dataDir, never)).toBe(2);
  expect(await written()).toMatchObject([
    { url: "http://a.example/gone", httpStatus: 410, reason: null, via },
    { url: "http://b.example/", httpStatus: null, reason: "connect-refused", via },
  ]);
  expect(await readdir(dataDir)).toEqual(["broken.ndjson"]);
});

it.each<[string, Partial<UrlStatus>, Partial<JobCounts>]>([
  ["errors of other classes", { httpStatus: 999 }, { statuses: { "2xx": 1, "9xx": 1 } }],
  [
    "redirects without an end",
    { httpStatus: 302, reason: "redirect-loop" },
    { statuses: { "2xx": 1, "3xx": 1 } },
  ],
  ["hosts without an answer", { reason: "connect-refused" }, { failed: 1, statuses: {} }],
])("lists %s, where there are no others", async (_, status, counts) => {
  const broken = "http://c.example/";
  control.statuses.clear();
  control.statuses.set(broken, {
    url: broken,
    state: "done",
    attempts: 1,
    owner: "peer-0",
    ...status,
  });
  const refused = jobReport("crawl", { fetched: 2, ...counts });
  expect(await writeBrokenUrls(control, refused, dataDir, never)).toBe(1);
  expect(await written()).toMatchObject([{ url: broken, ...status }]);
});

it("leaves no list of an earlier run where nothing is broken any more", async () => {
  await writeBrokenUrls(control, report, dataDir, never);
  const sound = jobReport("crawl", { fetched: 3, statuses: { "2xx": 3 } });
  expect(await writeBrokenUrls(control, sound, dataDir, never)).toBe(0);
  expect(await readdir(dataDir)).toEqual([]);
});

it("leaves no list of an earlier run when it is cut short", async () => {
  await writeBrokenUrls(control, report, dataDir, never);
  expect(await writeBrokenUrls(control, report, dataDir, AbortSignal.abort())).toBeUndefined();
  expect(await readdir(dataDir)).toEqual([]);
});

it("passes on what keeps the peer from answering", async () => {
  const urls = () => Promise.reject(new Error("the disk has failed"));
  await expect(writeBrokenUrls({ urls }, report, dataDir, never)).rejects.toThrow("the disk");
});
