import { describe, expect, it } from "vitest";
import { UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import { PriorFetches } from "../../../src/peer/fetching/prior-fetches.ts";
import { type Job, JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { silentLogger } from "../../support/silent-logger.ts";
import { timelessStore } from "../../support/still-process.ts";

/** Two jobs that differ in `normalizeQuery` know it by different fingerprints. */
const url = "http://e.org/?b&a" as CanonicalUrl;

/** A peer of so many jobs, every third of which takes queries as they are. */
class Bench {
  readonly jobs = new JobRegistry();
  readonly store = timelessStore();
  readonly own = this.jobs.define("own");
  ranges = 0;
  asked = 0;

  static async open(): Promise<Bench> {
    const bench = new Bench();
    await bench.store.start();
    return bench;
  }

  others(count: number): Job[] {
    return Array.from({ length: count }, (_, at) =>
      this.jobs.define(`other-${at}`, { normalizeQuery: at % 3 > 0 }),
    );
  }

  /** The job has fetched the URL then. */
  async fetched(job: Job, fetchedAtMs: number, more: Partial<UrlRecord> = {}): Promise<void> {
    const done = { ...urlState.fresh, state: urlState.done, url, httpStatus: 200, etag: '"v"' };
    const capture = { file: "a.warc.gz", offset: 0, length: 100 };
    const value = UrlRecord.encode({ ...done, capture, fetchedAtMs, ...more });
    await this.store.write([{ type: "put", key: urlRow(url, job).key, value }], { sync: false });
  }

  readonly #fetches = new PriorFetches(
    {
      archive: {
        read: () => {
          const head = { status: 200, statusLine: "HTTP/1.1 200 OK", fetchedAtMs: 0, headers: [] };
          return Promise.resolve({ ...head, url, body: new Uint8Array(1), truncated: false });
        },
      },
      logger: silentLogger,
      store: {
        getMany: (keys) => this.store.getMany(keys),
        range: (...asked) => {
          this.ranges += 1;
          return this.store.range(...asked);
        },
      },
    },
    {
      peerId: "p",
      heldBytesMax: 1,
      jobs: this.jobs,
      sieve: { sieve: { mayHave: () => (this.asked += 1) > 0 } },
    },
  );

  /** When the fetch was that is found. */
  async find(of = url): Promise<number | undefined> {
    return (await this.#fetches.find(this.own, of))?.record.fetchedAtMs;
  }
}

describe("fetches of a URL by other jobs, of which there are many", () => {
  it("are found with a look at the rows that are there, and none at each job", async () => {
    const bench = await Bench.open();
    const others = bench.others(1_000);
    expect(await bench.find()).toBeUndefined();
    expect(bench).toMatchObject({ asked: 0, ranges: 2 });
    for (const [at, job] of others.entries()) await bench.fetched(job, at);
    expect(await bench.find()).toBe(999);
    // Of 334 rows by one fingerprint and 666 by the other, up to 500 at once.
    expect(bench).toMatchObject({ asked: 0, ranges: 5 });
  });

  it.each([
    ["normalizes its query", 1],
    ["takes it as it is", 0],
  ])("are found of one that %s", async (_, at) => {
    const bench = await Bench.open();
    const job = bench.others(200)[at];
    if (job) await bench.fetched(job, 7);
    expect(await bench.find()).toBe(7);
  });

  it("are none of the job itself, of an unknown one, or of another peer's", async () => {
    const bench = await Bench.open();
    const [first, second, third] = bench.others(200);
    if (!first || !second || !third) throw new Error("three jobs");
    await bench.fetched(bench.own, 9);
    await bench.fetched(new JobRegistry().define("unknown"), 8);
    await bench.fetched(first, 7, { capturedBy: "q" });
    await bench.fetched(second, 6, { url: "http://e.org/?a&b" });
    await bench.fetched(third, 5);
    expect(await bench.find()).toBe(5);
  });

  it("are found of jobs that came after an earlier question", async () => {
    const bench = await Bench.open();
    const [first] = bench.others(1);
    expect(await bench.find()).toBeUndefined();
    bench.others(200);
    if (first) await bench.fetched(first, 3);
    expect(await bench.find()).toBe(3);
    const later = bench.jobs.define("later");
    await bench.fetched(later, 4);
    expect(await bench.find()).toBe(4);
  });

  it("are found with one look where the URL is the same to all jobs", async () => {
    const bench = await Bench.open();
    bench.others(200);
    expect(await bench.find("http://e.org/" as CanonicalUrl)).toBeUndefined();
    expect(bench.ranges).toBe(1);
  });

  it("are found of the first that takes queries as they are", async () => {
    const bench = await Bench.open();
    for (let at = 0; at < 200; at += 1) bench.jobs.define(`alike-${at}`);
    expect(await bench.find()).toBeUndefined();
    await bench.fetched(bench.jobs.define("plain", { normalizeQuery: false }), 2);
    expect(await bench.find()).toBe(2);
  });
});
