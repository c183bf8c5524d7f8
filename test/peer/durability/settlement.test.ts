import { describe, expect, it } from "vitest";
import { QueuedRow } from "../../../src/core/frontier/queued-row.ts";
import { QueueBundle } from "../../../src/core/record/queue-bundle.ts";
import { UrlRecord } from "../../../src/core/record/record.pb.ts";
import { queuedRecord, urlState } from "../../../src/core/record/url-state.ts";
import { mergeRow } from "../../../src/core/replication/merge-row.ts";
import type { IpAddress, JobId } from "../../../src/core/units.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import { settle, type LeaseEnd, type Queued } from "../../../src/peer/durability/settlement.ts";
import { JobCounter } from "../../../src/peer/jobs/job-counter.ts";
import { noMetrics } from "../../../src/ports/metrics.ts";

type Parts = Parameters<typeof settle>[3];

const via = "http://host.test/";
const linkedAs = "http://host.test/old";

/** What a visit's end makes of the record of a URL that was asked twice before, and what its job counts. */
function settled(end: LeaseEnd, note?: number) {
  const value = QueueBundle.encode({
    urls: ["http://host.test/new"],
    taken: 0,
    depth: 1,
    attempts: 2,
    unseen: 1,
    redirectChain: [linkedAs],
    via,
    discoveredAtMs: 0,
  });
  const [url] = QueuedRow.urlsOf({ key: Uint8Array.of(1), value, job: "j" as JobId });
  if (!url) throw new Error("a new row has a URL");
  const counter = new JobCounter(undefined);
  counter.add("queued");
  const lease: Partial<Lease> = {
    job: { counter } as Lease["job"],
    url,
    address: "192.0.2.1" as IpAddress,
    ...(note !== undefined && { note }),
  };
  const row = { key: Uint8Array.of(2), words: new Uint32Array(4) };
  const removed: number[] = [];
  const leases = { remove: (lease: number) => removed.push(lease) };
  const parts = { frontier: { settle: () => undefined }, leases, metrics: noMetrics };
  const { again, appended, ops } = settle(lease as Lease, row, end, parts as unknown as Parts);
  const put = ops.find(({ key }) => key === row.key);
  const record = put?.type === "put" ? UrlRecord.decode(put.value) : undefined;
  return { again, appended, counter, ops, record, removed };
}

function fetched(httpStatus: number, excluded?: string): LeaseEnd {
  const record = { httpStatus, ...(excluded !== undefined && { excluded }) };
  return { kind: "fetched", record, isPage: true, extraOps: [] };
}

describe("the end of a visit", () => {
  it.each<[string, LeaseEnd, boolean]>([
    ["an answer", fetched(200), false],
    ["a redirect", fetched(399), false],
    ["a redirect that has no end", fetched(302, "redirect-loop"), true],
    ["an error", fetched(400), true],
    ["a failure", { kind: "failed", failure: "head-timeout" }, true],
  ])(
    "that is %s counts as an attempt; where the link is, is told of broken ones alone",
    (_, end, told) => {
      const { record } = settled(end);
      expect(record?.attempts).toBe(3);
      expect([record?.via, record?.linkedAs]).toEqual(
        told ? [via, linkedAs] : [undefined, undefined],
      );
    },
  );

  it("becomes durable with what comes with it", () => {
    const digest = { type: "put", key: Uint8Array.of(3), value: Uint8Array.of(4) } as const;
    const end: LeaseEnd = {
      kind: "fetched",
      record: { httpStatus: 200 },
      isPage: true,
      extraOps: [digest],
    };
    expect(settled(end).ops).toContain(digest);
  });

  it.each([
    ["is durable", () => Promise.resolve(undefined), [7]],
    ["cannot be written", () => Promise.reject<undefined>(new Error("the disk is full")), []],
  ])("that %s is a request, and takes its lease away only then", async (_, written, removed) => {
    const durable = written();
    const visit = settled(fetched(200), 7);
    expect(visit.counter.counts().requests).toBe(1);
    visit.appended(durable);
    expect(visit.removed).toEqual([]);
    await durable.catch(() => undefined);
    expect(visit.removed).toEqual(removed);
  });

  it("that took no request has no lease to take away", async () => {
    const visit = settled({ kind: "excluded", reason: "robots" });
    expect(visit.counter.counts().requests).toBe(0);
    visit.appended(Promise.resolve());
    await Promise.resolve();
    expect(visit.removed).toEqual([]);
  });

  it("is none where the URL is asked again, but an attempt", () => {
    const again = { kind: "again", url: "http://host.test/new", redirectChain: [] } as const;
    const { record, counter } = settled({ ...again, isUnseen: false });
    expect(record).toMatchObject({ state: urlState.queued, attempts: 3 });
    expect(counter.queued).toBe(1);
    for (const isUnseen of [false, true]) {
      const { entry } = settled({ ...again, isUnseen }).again ?? {};
      expect(entry).toMatchObject({ attempts: 3, unseen: isUnseen ? 2 : 1 });
    }
  });

  it("that has the URL asked again leaves a record that a copy's join with it is the same as", () => {
    const again = { kind: "again", url: "http://host.test/new", redirectChain: [] } as const;
    const { record } = settled({ ...again, isUnseen: false });
    const ended = record && UrlRecord.encode(record);
    const copy = ended && mergeRow("url", queuedRecord(0), ended)?.value;
    expect(copy).toEqual(ended);
  });

  it("that leads back to a page queues that one anew, and counts it", () => {
    const rowKey = Uint8Array.of(5);
    const back = { rowKey, entry: { attempts: 4 } } as unknown as Queued;
    const { again, counter, ops } = settled({ ...fetched(302), back } as LeaseEnd);
    expect(again).toBe(back);
    expect(counter.queued).toBe(1);
    const put = ops.find(({ key }) => key === rowKey);
    const record = put?.type === "put" ? UrlRecord.decode(put.value) : undefined;
    expect(record).toMatchObject({ state: urlState.queued, attempts: 4 });
  });

  it("is no attempt where the URL is excluded", () => {
    const { record, counter } = settled({ kind: "excluded", reason: "robots" });
    expect(record).toMatchObject({ attempts: 2, excluded: "robots" });
    expect(counter.queued).toBe(0);
  });

  it("is no attempt where robots.txt failed, for which the URL was not asked for", () => {
    const { record } = settled({ kind: "failed", failure: "connection-reset", isUnasked: true });
    expect(record).toMatchObject({ attempts: 2, failure: "connection-reset", via, linkedAs });
  });

  it("leaves the record alone that another member has brought further", () => {
    const { record, counter } = settled({ kind: "known" });
    expect(record).toBeUndefined();
    expect(counter.queued).toBe(0);
  });
});
