import { beforeEach, describe, expect, it } from "vitest";
import { CrawlError, type CrawlErrorCode } from "../../../src/core/errors.ts";
import { UrlRecord } from "../../../src/core/record/record.pb.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { BodyBudget } from "../../../src/peer/fetching/body-budget.ts";
import { PriorFetches, type PriorFetch } from "../../../src/peer/fetching/prior-fetches.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import type { ArchivedResponse, ArchiveLocation } from "../../../src/ports/archive.ts";
import { silentLogger } from "../../support/silent-logger.ts";

const none = (): void => undefined;
const notAsked = () => Promise.reject(new Error("of so few jobs each is looked up"));
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
        store: { getMany: () => Promise.resolve([UrlRecord.encode(record)]), range: notAsked },
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

describe("the rows of other jobs", () => {
  it("are looked for with what the URL is to them computed once, for all that are alike", async () => {
    const jobs = new JobRegistry();
    const own = jobs.define("own");
    for (let i = 0; i < 10; i += 1) jobs.define(`other-${i}`, { normalizeQuery: i % 5 > 0 });
    const asked: Uint32Array[] = [];
    const mayHave = (_space: number, words: Uint32Array): boolean => asked.push(words) < 0;
    const fetches = new PriorFetches(
      {
        archive: { read: () => Promise.reject(new Error("nothing is archived")) },
        logger: silentLogger,
        store: { getMany: () => Promise.resolve([]), range: notAsked },
      },
      { peerId: "p", heldBytesMax: 1, jobs, sieve: { sieve: { mayHave } } },
    );
    const found = await fetches.find(own, "http://e.org/?b&a" as CanonicalUrl);
    expect(found).toBeUndefined();
    expect([asked.length, new Set(asked).size]).toEqual([10, 2]);
  });
});

describe("the earlier fetch from which a conditional request is made", () => {
  const jobs = new JobRegistry();
  const own = jobs.define("own");
  const others = ["first", "second"].map((name) => jobs.define(name));
  const at = (file: string): ArchiveLocation => ({ file, offset: 0, length: 100 });

  interface Bench {
    readonly prior: PriorFetch | undefined;
    readonly read: string[];
    readonly asked: Uint8Array[];
    readonly warned: string[];
  }

  /** Looks for one where other jobs have these records. */
  async function find(
    records: readonly Partial<UrlRecord>[],
    archived: (file: string) => string | CrawlError = () => url,
    mayHave: (space: number) => boolean = () => true,
  ): Promise<Bench> {
    const bench = { read: [] as string[], asked: [] as Uint8Array[], warned: [] as string[] };
    const read = ({ file }: ArchiveLocation): Promise<ArchivedResponse> => {
      bench.read.push(file);
      const found = archived(file);
      if (found instanceof CrawlError) return Promise.reject(found);
      const head = { status: 200, statusLine: "HTTP/1.1 200 OK", fetchedAtMs: 0, headers: [] };
      return Promise.resolve({ ...head, url: found, body: new Uint8Array(1), truncated: false });
    };
    const getMany = (keys: readonly Uint8Array[]) => {
      bench.asked.push(...keys);
      return Promise.resolve(records.map((one) => UrlRecord.encode(one)));
    };
    const fetches = new PriorFetches(
      {
        archive: { read },
        logger: { ...silentLogger, warn: (event) => void bench.warned.push(event) },
        store: { getMany, range: notAsked },
      },
      { peerId: "p", heldBytesMax: 1, jobs, sieve: { sieve: { mayHave } } },
    );
    return { prior: await fetches.find(own, url), ...bench };
  }

  it("is the latest of other jobs, whichever tells of it first", async () => {
    const [early, late] = [5, 6].map((fetchedAtMs) => {
      return { ...record, fetchedAtMs, capturedBy: "p", capture: at(`${fetchedAtMs}`) };
    });
    if (!early || !late) throw new Error("two records");
    for (const records of [
      [early, late],
      [late, early],
    ]) {
      const { prior, read, asked } = await find(records);
      expect(prior?.record.fetchedAtMs).toBe(6);
      expect(read).toEqual(["6"]);
      expect(asked).toEqual(others.map((job) => urlRow(url, job).key));
    }
  });

  it.each([
    ["of another URL with the same dedupe key", { url: "http://e.org/?utm_source=x" }],
    ["without a validator", { etag: undefined }],
    ["with a validator that cannot be sent", { etag: "\u{1}" }],
    ["of an error page", { httpStatus: 404 }],
    ["of a body that was cut", { truncated: true }],
    ["of another peer, whose archive has it", { capturedBy: "q" }],
    ["that is in no archive", { capture: undefined }],
  ])("is none %s", async (_, more) => {
    const { prior, read } = await find([{ ...record, ...more } as Partial<UrlRecord>]);
    expect(prior).toBeUndefined();
    expect(read).toEqual([]);
  });

  it("is where its content is, which an earlier one has brought", async () => {
    const { prior, read } = await find([{ ...record, body: at("body") }]);
    expect(prior?.location).toEqual(at("body"));
    expect(read).toEqual(["body", "a.warc.gz"]);
  });

  it("is none whose own head, which is in force, cannot be read", async () => {
    const gone = new CrawlError("NOT_ARCHIVED", "cannot be read");
    const { prior } = await find([{ ...record, body: at("body") }], (file) =>
      file === "body" ? url : gone,
    );
    expect(prior).toBeUndefined();
  });

  it("is none whose content is archived under another URL", async () => {
    expect((await find([record], () => "http://e.org/copy")).prior).toBeUndefined();
  });

  it("is none that the archive has no more, which is told where it is damaged", async () => {
    const failing = (code: CrawlErrorCode) => () => new CrawlError(code, "cannot be read");
    const gone = await find([record], failing("NOT_ARCHIVED"));
    expect(gone).toMatchObject({ prior: undefined, warned: [] });
    const damaged = await find([record], failing("ARCHIVE_CORRUPT"));
    expect(damaged).toMatchObject({ prior: undefined, warned: ["archive-damaged"] });
    await expect(find([record], failing("DISK_FULL"))).rejects.toThrow("cannot be read");
  });

  it("is not looked for in jobs that have never seen the URL", async () => {
    const [first] = others;
    const { asked } = await find([record], undefined, (space) => space === first?.space);
    expect(asked).toEqual(first && [urlRow(url, first).key]);
    expect(await find([record], undefined, () => false)).toMatchObject({ asked: [], read: [] });
  });
});

/** With room for one long body. */
function newBudget(): { budget: BodyBudget; firstWait: Promise<undefined> } {
  const { promise: firstWait, resolve } = Promise.withResolvers<undefined>();
  const options = { bytesMax: 2 * longBytes, smallBytesMax: longBytes - 1 };
  return { budget: new BodyBudget(options, longBytes, () => resolve(undefined)), firstWait };
}
