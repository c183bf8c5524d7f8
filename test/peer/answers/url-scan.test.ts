import { expect, it } from "vitest";
import { listedUrlsMax } from "../../../src/core/messages/list-message.ts";
import { compareKeys } from "../../../src/core/record/compare-keys.ts";
import { jobSpace, queueKey, tagRange } from "../../../src/core/record/keys.ts";
import { bundleUrlsMax, QueueBundle } from "../../../src/core/record/queue-bundle.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { JobId } from "../../../src/core/units.ts";
import { UrlScan } from "../../../src/peer/answers/url-scan.ts";
import type { KeyRange } from "../../../src/ports/store.ts";

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

const store = {
  range: ({ gte }: KeyRange, limit: number) =>
    Promise.resolve(rows.filter(({ key }) => compareKeys(key, gte) >= 0).slice(0, limit)),
};

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
