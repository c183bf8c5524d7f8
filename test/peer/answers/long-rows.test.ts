import { expect, it } from "vitest";
import { Dice } from "../../../sim/world/dice.ts";
import { VirtualDisk } from "../../../sim/world/virtual-disk.ts";
import { noDiskTimes, VirtualStore } from "../../../sim/world/virtual-store.ts";
import { UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { urlRow } from "../../../src/peer/admission/url-row.ts";
import { knowledgeOf } from "../../../src/peer/answers/url-knowledge.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import type { StoreEntry } from "../../../src/ports/store.ts";
import { stillProcess } from "../../support/still-process.ts";

const nameOf = (n: number): CanonicalUrl => `http://a.example/${n}` as CanonicalUrl;

/** So many jobs have fetched so many URLs, of rows so long; what is known of them, and how many rows were read at once. */
async function asked(jobsCount: number, urlsCount: number, rowBytes: number) {
  const title = "t".repeat(rowBytes);
  const registry = new JobRegistry();
  const jobs = Array.from({ length: jobsCount }, (_, n) => registry.define(`job-${n}`));
  const urls = Array.from({ length: urlsCount }, (_, n) => nameOf(n));
  const disk = new VirtualDisk();
  for (const url of urls) {
    const done = { ...urlState.fresh, url, state: urlState.done, httpStatus: 200, title };
    disk.apply(
      jobs.map((job, n) => {
        const value = UrlRecord.encode({ ...done, fetchedAtMs: n });
        return { type: "put", key: urlRow(url, job).key, value } as const;
      }),
    );
  }
  const store = new VirtualStore(disk, stillProcess(), new Dice(1), noDiskTimes);
  await store.start();
  let most = 0;
  const range: typeof store.range = async (...range): Promise<StoreEntry[]> => {
    const rows = await store.range(...range);
    most = Math.max(most, rows.length);
    return rows;
  };
  const getMany: typeof store.getMany = async (keys) => {
    const rows = await store.getMany(keys);
    most = Math.max(most, rows.filter((row) => row).length);
    return rows;
  };
  // The last one is asked for twice.
  const known = await knowledgeOf({ getMany, range }, [...urls, nameOf(urlsCount - 1)], jobs);
  return { most, times: known.map((each) => each?.record?.fetchedAtMs) };
}

it("no more than a few of the long rows of a URL are in memory at once, and all of them are looked at", async () => {
  const { most, times } = await asked(20, 1, 400_000);
  expect(times).toEqual([19, 19]);
  expect(most).toBeLessThanOrEqual(3);
});

it("no more than some of the rows of many URLs are in memory at once where there are few jobs", async () => {
  const { most, times } = await asked(8, 40, 10);
  expect(times).toEqual(Array.from({ length: 41 }, () => 7));
  expect(most).toBeLessThanOrEqual(128);
});
