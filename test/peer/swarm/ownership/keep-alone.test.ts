import { expect, it } from "vitest";
import { VirtualDisk } from "../../../../sim/world/virtual-disk.ts";
import { defaultSieveOptions } from "../../../../src/core/sieve/sieve.ts";
import type { CanonicalUrl } from "../../../../src/core/units.ts";
import { sieveKeyOfRow, SieveKeeper } from "../../../../src/peer/admission/sieve-keeper.ts";
import { urlRow } from "../../../../src/peer/admission/url-row.ts";
import type { Journal } from "../../../../src/peer/durability/journal.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { generationOp } from "../../../../src/peer/swarm/members/saved-generation.ts";
import { keepAlone } from "../../../../src/peer/swarm/ownership/keep-alone.ts";
import type { StoreOp } from "../../../../src/ports/store.ts";
import { silentLogger } from "../../../support/silent-logger.ts";
import { timelessStore } from "../../../support/still-process.ts";
import { job, queueRow } from "../answers/queued-rows.ts";

const urls = ["http://a.example/1", "http://a.example/2"];
const put = (row: { key: Uint8Array; value: Uint8Array }): StoreOp => ({ type: "put", ...row });

/** A start of a peer that crawls alone, whose last run left this many URLs in the job's total. */
async function started(disk: VirtualDisk, counted = 7) {
  const store = timelessStore(disk);
  await store.start();
  const jobs = new JobRegistry();
  const { counter } = jobs.define(job.definition.id);
  counter.add("queued", counted);
  const sieve = new SieveKeeper(defaultSieveOptions, silentLogger);
  const journal = {
    full: false,
    append: (ops: readonly StoreOp[]) => {
      disk.apply(ops);
      return Promise.resolve();
    },
  } as unknown as Journal;
  await keepAlone(store, { jobs, journal, sieve });
  await store.stop();
  return { queued: counter.queued, sieve: sieve.sieve };
}

it("counts at the first start alone after each run in a swarm what is queued on the disk", async () => {
  const disk = new VirtualDisk();
  disk.apply([put(queueRow("a.example", 1, urls))]);
  const queued = async (): Promise<number> => (await started(disk)).queued;
  // What one that was never in a swarm has counted is right.
  expect(await queued()).toBe(7);
  disk.apply([generationOp(1)]);
  expect([await queued(), await queued()]).toEqual([2, 7]);
  disk.apply([generationOp(2)]);
  expect([await queued(), await queued()]).toEqual([2, 7]);
});

it("makes known what is queued, and deletes what is no row of a queue", async () => {
  const disk = new VirtualDisk();
  const [row, none] = [queueRow("a.example", 1, urls), queueRow("b.example", 2, urls)];
  disk.apply([put(row), put({ ...none, value: Uint8Array.of(0xff) }), generationOp(1)]);
  const { queued, sieve } = await started(disk);
  expect(queued).toBe(2);
  expect([disk.has(row.key), disk.has(none.key)]).toEqual([true, false]);
  for (const url of urls) {
    const { key } = urlRow(url as CanonicalUrl, job);
    const { space, words, at } = sieveKeyOfRow(key);
    expect([disk.has(key), sieve.mayHave(space, words, at)]).toEqual([true, true]);
  }
});
