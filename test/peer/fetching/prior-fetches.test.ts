import { beforeEach, describe, expect, it } from "vitest";
import { UrlRecord } from "../../../src/core/record/record.pb.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { BodyBudget } from "../../../src/peer/fetching/body-budget.ts";
import { PriorFetches } from "../../../src/peer/fetching/prior-fetches.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import type { ArchivedResponse } from "../../../src/ports/archive.ts";

const none = (): void => undefined;
const url = "http://e.org/" as CanonicalUrl;
const longBytes = 300_000;

const record: Partial<UrlRecord> = {
  url,
  httpStatus: 200,
  etag: '"v1"',
  capture: { file: "a.warc.gz", offset: 0, length: 100 },
};

/** What is being read of the archive, and what was most at once. */
class Reads {
  now = 0;
  most = 0;
  all = 0;

  async one(bodyBytes: number): Promise<ArchivedResponse> {
    this.all += 1;
    this.now += 1;
    this.most = Math.max(this.most, this.now);
    await new Promise((resolve) => setImmediate(resolve));
    this.now -= 1;
    const body = new Uint8Array(bodyBytes);
    const head = { url, status: 200, statusLine: "HTTP/1.1 200 OK", fetchedAtMs: 0, headers: [] };
    return { ...head, body, truncated: false };
  }
}

describe("PriorFetches", () => {
  const jobs = new JobRegistry();
  const own = jobs.define("own");
  jobs.define("other");
  let reads: Reads;

  beforeEach(() => {
    reads = new Reads();
  });

  function priorFetches(bodyBytes: number): PriorFetches {
    return new PriorFetches(
      {
        archive: { read: () => reads.one(bodyBytes) },
        logger: { debug: none, info: none, warn: none, error: none },
        store: { getMany: () => Promise.resolve([UrlRecord.encode(record)]) },
      },
      {
        peerId: "p",
        heldBytesMax: longBytes - 1,
        jobs,
        sieve: { sieve: { mayHave: () => true } },
      },
    );
  }

  it("holds a short body while its server is asked, and reads it once", async () => {
    const prior = await priorFetches(100).find(own, url);
    expect(prior?.response?.body).toHaveLength(100);
    const { budget } = newBudget();
    const fetch = prior && (await priorFetches(100).unchanged(prior, budget.open()));
    expect(fetch?.response).toBe(prior?.response);
    expect(reads.all).toBe(1);
    expect(budget.bytes).toBe(0);
  });

  it("holds no long body while its server is asked, and waits for room when it is needed", async () => {
    const fetches = priorFetches(longBytes);
    const prior = await fetches.find(own, url);
    expect(prior).toMatchObject({ response: undefined, conditions: { "if-none-match": '"v1"' } });
    const { budget, firstWait } = newBudget();
    const first = budget.open();
    first.take(longBytes);
    const unchanged = prior && fetches.unchanged(prior, budget.open());
    await firstWait;
    expect(reads.all).toBe(1);
    first.close();
    expect((await unchanged)?.response.body).toHaveLength(longBytes);
    expect(budget.bytes).toBe(longBytes);
  });

  it("reads few records at a time, however many URLs are asked for", async () => {
    const fetches = priorFetches(longBytes);
    await Promise.all(Array.from({ length: 40 }, () => fetches.find(own, url)));
    expect(reads).toMatchObject({ all: 40, most: 4 });
  });
});

/** With room for one long body. */
function newBudget(): { budget: BodyBudget; firstWait: Promise<undefined> } {
  const { promise: firstWait, resolve } = Promise.withResolvers<undefined>();
  const options = { bytesMax: 2 * longBytes, smallBytesMax: longBytes - 1 };
  return { budget: new BodyBudget(options, longBytes, () => resolve(undefined)), firstWait };
}
