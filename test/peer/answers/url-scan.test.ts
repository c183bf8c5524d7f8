import { expect, it } from "vitest";
import { listedCharactersMax, listedUrlsMax } from "../../../src/core/messages/list-message.ts";
import { compareKeys } from "../../../src/core/record/compare-keys.ts";
import { jobSpace, urlKey } from "../../../src/core/record/url-keys.ts";
import { queueKey } from "../../../src/core/record/queue-keys.ts";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import { bundleUrlsMax, QueueBundle } from "../../../src/core/record/queue-bundle.ts";
import { ExclusionRecord } from "../../../src/core/record/record.pb.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { JobId } from "../../../src/core/units.ts";
import { UrlScan } from "../../../src/peer/answers/url-scan.ts";
import type { KeyRange, StoreEntry } from "../../../src/ports/store.ts";

const job = "job" as JobId;
const host = { position: 1n, hostHash: 2n };

/** Full rows of a queue, of each of which the first URL has left. */
const rows = Array.from({ length: 40 }, (_, number) => ({
  key: queueKey(host, jobSpace(job), 5, number, [new Uint8Array(29)]),
  value: QueueBundle.encode({
    urls: Array.from({ length: bundleUrlsMax }, (_, place) => `http://a.test/${number}/${place}`),
    taken: 1,
    depth: 0,
    attempts: 0,
    unseen: 0,
    redirectChain: [],
    discoveredAtMs: 0,
  }),
}));

/** A database with these rows alone, which counts how often it is read. */
function storeOf(entries: readonly StoreEntry[]) {
  const store = {
    reads: 0,
    range: ({ gte }: KeyRange, limit: number) => {
      store.reads += 1;
      return Promise.resolve(
        entries.filter(({ key }) => compareKeys(key, gte) >= 0).slice(0, limit),
      );
    },
  };
  return store;
}

const store = storeOf(rows);

/** So many rows of excluded URLs of a job. */
function excluded(count: number, urlOf: (number: number) => string, of = job): StoreEntry[] {
  return Array.from({ length: count }, (_, number) => ({
    key: urlKey("exclusion", 1n, Uint32Array.of(0, 0, 0, number), 0, jobSpace(of)),
    value: ExclusionRecord.encode({ reason: "robots", url: urlOf(number) }),
  }));
}

const ofExclusions = { job, filter: {}, from: tagRange("exclusion").gte, count: listedUrlsMax };

it("names the URLs that are left of each row, and no more than an answer has room for", async () => {
  const names: string[] = [];
  let from: Uint8Array | undefined = tagRange("queue").gte;
  while (from) {
    const question = { job, filter: {}, from, count: listedUrlsMax };
    const { urls, reached } = await new UrlScan(store).stretch(question, ArcSet.whole);
    expect(urls.length).toBeLessThanOrEqual(listedUrlsMax);
    expect(new Set(urls.map(({ key }) => key.toString())).size).toBe(urls.length);
    names.push(...urls.map(({ url }) => url));
    from = reached;
  }
  expect(names).toEqual(rows.flatMap(({ value }) => QueueBundle.decode(value).urls.slice(1)));
});

it("passes over what is of another job or no URL, and stops behind as many as are wanted", async () => {
  const others = excluded(20, (number) => `http://b.test/${number}`, "other" as JobId);
  const own = excluded(20, (number) => (number % 2 === 0 ? "no\nurl" : `http://a.test/${number}`));
  const entries = [...others, ...own].toSorted((one, next) => compareKeys(one.key, next.key));
  const scan = new UrlScan(storeOf(entries));
  const { urls, reached } = await scan.stretch({ ...ofExclusions, count: 5 }, ArcSet.whole);
  expect(urls.map(({ url }) => url)).toEqual([1, 3, 5, 7, 9].map((n) => `http://a.test/${n}`));
  const rest = await scan.stretch(
    { ...ofExclusions, from: reached ?? new Uint8Array() },
    ArcSet.whole,
  );
  expect(rest.urls.map(({ url }) => url)).toEqual(
    [11, 13, 15, 17, 19].map((n) => `http://a.test/${n}`),
  );
  expect(rest.reached).toBeUndefined();
});

it("looks at so many rows for one answer at most, and says where to go on", async () => {
  const others = excluded(2_001, () => "http://b.test/", "other" as JobId);
  const { urls, reached } = await new UrlScan(storeOf(others)).stretch(ofExclusions, ArcSet.whole);
  expect([urls, reached]).toEqual([[], others[2_000]?.key]);
});

it("names no more than fits a message, however long they are", async () => {
  const long = `http://a.test/${"a".repeat(2_000)}`;
  const scan = new UrlScan(storeOf(excluded(400, () => long)));
  const { urls, reached } = await scan.stretch(ofExclusions, ArcSet.whole);
  expect(urls).toHaveLength(Math.ceil(listedCharactersMax / long.length));
  expect(reached).toBeDefined();
});

it("reads no rows of a kind that cannot be among those wanted", async () => {
  const unread = storeOf(excluded(1, () => "http://a.test/"));
  const scan = new UrlScan(unread);
  for (const filter of [{ state: "queued" }, { broken: true }, { http: 404 }] as const) {
    const stretch = await scan.stretch({ ...ofExclusions, filter }, ArcSet.whole);
    expect(stretch).toEqual({ urls: [] });
  }
  expect(unread.reads).toBe(0);
  const filter = { state: "excluded" } as const;
  expect((await scan.stretch({ ...ofExclusions, filter }, ArcSet.whole)).urls).toHaveLength(1);
});
