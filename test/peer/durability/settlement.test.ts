import { describe, expect, it } from "vitest";
import { QueuedRow } from "../../../src/core/frontier/queued-row.ts";
import { QueueBundle } from "../../../src/core/record/queue-bundle.ts";
import { UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import type { IpAddress, JobId } from "../../../src/core/units.ts";
import type { Lease } from "../../../src/peer/durability/lease.ts";
import { settle, type LeaseEnd } from "../../../src/peer/durability/settlement.ts";
import { JobCounter } from "../../../src/peer/jobs/job-counter.ts";
import { noMetrics } from "../../../src/ports/metrics.ts";

const via = "http://host.test/";
const linkedAs = "http://host.test/old";

/** What a visit's end makes of the record of a URL that was asked twice before, and what its job counts. */
function settled(end: LeaseEnd) {
  const value = QueueBundle.encode({
    urls: ["http://host.test/new"],
    taken: 0,
    depth: 1,
    attempts: 2,
    unseen: 0,
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
  };
  const row = { key: Uint8Array.of(2), words: new Uint32Array(4) };
  const parts = { metrics: noMetrics, visited: undefined } as Parameters<typeof settle>[3];
  const { ops } = settle(lease as Lease, row, end, parts);
  const put = ops.find(({ key }) => key === row.key);
  return { ops, record: put?.type === "put" ? UrlRecord.decode(put.value) : undefined, counter };
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

  it("is none where the URL is asked again, but an attempt", () => {
    const again = { kind: "again", url: "http://host.test/new", redirectChain: [] } as const;
    const { record, counter } = settled({ ...again, isUnseen: false });
    expect(record).toMatchObject({ state: urlState.queued, attempts: 3, depth: 1 });
    expect(counter.queued).toBe(1);
  });

  it("is no attempt where the URL is excluded", () => {
    const { record, counter } = settled({ kind: "excluded", reason: "robots" });
    expect(record).toMatchObject({ attempts: 2, excluded: "robots" });
    expect(counter.queued).toBe(0);
  });

  it("leaves the record alone that another member has brought further", () => {
    const { record, counter } = settled({ kind: "known" });
    expect(record).toBeUndefined();
    expect(counter.queued).toBe(0);
  });
});
