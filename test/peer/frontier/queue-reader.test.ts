import { expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { queueKey } from "../../../src/core/record/queue-keys.ts";
import { QueueBundle } from "../../../src/core/record/queue-bundle.ts";
import type { HostName, SiteName } from "../../../src/core/units.ts";
import { Host } from "../../../src/peer/frontier/host.ts";
import { QueueReader } from "../../../src/peer/frontier/queue-reader.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";

function hostNamed(name: string): Host {
  const [gate, queue] = [new HostGate(defaultPolitenessOptions), new HostQueue(8)];
  const parts = { host: name as HostName, site: name as SiteName, gate, queue };
  return new Host(new HostVisit({ ...parts, connectionsMax: 1, delayMs: 0 }), undefined);
}

const value = new Uint8Array(0);
const urlRow = new Uint8Array(29);

it("finds the jobs that have rows of a host on disk or in the journal, and looks for no others", async () => {
  const jobs = new JobRegistry();
  const all = Array.from({ length: 50 }, (_, number) => jobs.define(`job-${number}`));
  const [host, other] = [hostNamed("a.example"), hostNamed("b.example")];
  const keyOf = (of: Host, number: number, sequence: number): Uint8Array =>
    queueKey(of.keys, all[number]?.space ?? 0, 0, sequence, [urlRow]);
  const disk = [1, 2, 3].flatMap((sequence) => [
    keyOf(host, 7, sequence),
    keyOf(host, 30, sequence),
  ]);
  disk.push(...all.map((_, number) => keyOf(other, number, 1)));
  let reads = 0;
  const reader = new QueueReader(
    {
      range: ({ gte, lt }, limit) => {
        reads += 1;
        const within = disk.filter(
          (key) => Buffer.compare(key, gte) >= 0 && Buffer.compare(key, lt) < 0,
        );
        const first = within.toSorted((one, next) => Buffer.compare(one, next)).slice(0, limit);
        return Promise.resolve(first.map((key) => ({ key, value })));
      },
    },
    {
      jobs,
      journal: {
        flushed: () => {
          disk.push(keyOf(host, 42, 1));
          return Promise.resolve();
        },
      },
    },
  );
  host.expectOnDisk();
  expect(host.isUnread).toBe(true);
  await reader.findJobs(host);
  expect(host.isUnread).toBe(false);
  expect(new Set(host.jobs)).toEqual(new Set([7, 30, 42].map((number) => all[number])));
  expect(reads).toBe(4);
});

it("has a host read again of which more was expected while it was read", async () => {
  const host = hostNamed("a.example");
  host.expectOnDisk();
  const journal = {
    flushed: () => {
      host.expectOnDisk();
      return Promise.resolve();
    },
  };
  const jobs = new JobRegistry();
  for (const id of ["one", "two", "three"]) jobs.define(id);
  const store = { range: () => Promise.resolve([]) };
  await new QueueReader(store, { jobs, journal }).findJobs(host);
  expect(host.isUnread).toBe(true);
});

it("reads no more of long rows than there is to be in memory", async () => {
  const host = hostNamed("a.example");
  const jobs = new JobRegistry();
  const { definition, space } = jobs.define("job");
  const long = QueueBundle.encode({
    urls: ["http://a.example/"],
    taken: 0,
    depth: 0,
    attempts: 0,
    unseen: 0,
    redirectChain: ["x".repeat(500_000)],
    discoveredAtMs: 0,
  });
  const rows = [1, 2, 3, 4, 5].map((sequence) => {
    return { key: queueKey(host.keys, space, 0, sequence, [urlRow]), value: long };
  });
  const journal = { flushed: () => Promise.resolve() };
  const store = { range: () => Promise.resolve(rows) };
  const { queue } = host.visit;
  queue.expectOnDisk(definition.id);
  await new QueueReader(store, { jobs, journal }).refill(host, definition.id);
  expect(queue.heldCount).toBe(1);
  expect(queue.liveCount).toBe(Infinity);
});

it("fills a head up with what is still in the journal, too", async () => {
  const host = hostNamed("a.example");
  const jobs = new JobRegistry();
  const { definition, space } = jobs.define("job");
  const bundle = { urls: ["http://a.example/"], taken: 0, depth: 0, attempts: 0, unseen: 0 };
  const row = {
    key: queueKey(host.keys, space, 0, 1, [urlRow]),
    value: QueueBundle.encode({ ...bundle, redirectChain: [], discoveredAtMs: 0 }),
  };
  const rows: (typeof row)[] = [];
  const journal = { flushed: () => Promise.resolve(void rows.push(row)) };
  const store = { range: () => Promise.resolve([...rows]) };
  const { queue } = host.visit;
  queue.expectOnDisk(definition.id);
  await new QueueReader(store, { jobs, journal }).refill(host, definition.id);
  expect([queue.heldCount, queue.liveCount]).toEqual([1, 1]);
});

it("reads on behind a row of which all URLs have been taken, and are queued still", async () => {
  const host = hostNamed("a.example");
  const jobs = new JobRegistry();
  const { definition, space } = jobs.define("job");
  const bundle = {
    taken: 0,
    depth: 0,
    attempts: 0,
    unseen: 0,
    redirectChain: [],
    discoveredAtMs: 0,
  };
  const urlsOf = (sequence: number, count: number): string[] =>
    Array.from({ length: count }, (_, at) => `http://a.example/${sequence}/${at}`);
  const rows = [10, 1].map((count, sequence) => ({
    key: queueKey(
      host.keys,
      space,
      0,
      sequence,
      Array.from({ length: count }, () => urlRow),
    ),
    value: QueueBundle.encode({ ...bundle, urls: urlsOf(sequence, count) }),
  }));
  const journal = { flushed: () => Promise.resolve() };
  const store = {
    range: ({ gte }: { readonly gte: Uint8Array }, limit: number) =>
      Promise.resolve(rows.filter(({ key }) => Buffer.compare(key, gte) >= 0).slice(0, limit)),
  };
  const reader = new QueueReader(store, { jobs, journal });
  const { queue } = host.visit;
  queue.expectOnDisk(definition.id);
  const taken: unknown[] = [];
  for (let refills = 0; refills < 5 && queue.refillsNeeded().length > 0; refills += 1) {
    await reader.refill(host, definition.id);
    while (queue.heldCount > 0) taken.push(queue.take(() => true)?.entry.url);
  }
  expect(taken).toEqual([...urlsOf(0, 10), ...urlsOf(1, 1)]);
});
