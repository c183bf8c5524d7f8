import { beforeEach, describe, expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import type { VerdictKind } from "../../../src/core/politeness/retry-table.ts";
import { HostRecord } from "../../../src/core/record/record.pb.ts";
import type { HostName, SiteName } from "../../../src/core/units.ts";
import { Host } from "../../../src/peer/frontier/host.ts";
import { setPace } from "../../../src/peer/frontier/host-pace.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";

const delayMs = 1_000;
const { breaker } = defaultPolitenessOptions;

let host: Host;
let nowMs = 0;

/** A request that takes `tookMs` ends; returns whether that was to be written, and writes it where it was. */
function requestEnds(kind: VerdictKind = "ok", tookMs = 10): boolean {
  const startedAtMs = nowMs;
  nowMs += tookMs;
  const verdict = { kind, startedAtMs, headAtMs: nowMs, finishedAtMs: nowMs };
  host.visit.gate.record(verdict, delayMs);
  const isNews = host.leaseEnds(nowMs);
  if (isNews) host.save();
  nowMs = host.visit.gate.nextFetchAtMs;
  return isNews;
}

beforeEach(() => {
  nowMs = 1_000_000;
  const gate = new HostGate(defaultPolitenessOptions);
  const queue = new HostQueue(8);
  const names = { host: "a.example" as HostName, site: "a.example" as SiteName };
  host = new Host(new HostVisit({ ...names, gate, queue, connectionsMax: 1, delayMs }), undefined);
});

describe("the end of a request", () => {
  it("is written the first time, and then no more as long as all is well", () => {
    expect([requestEnds(), requestEnds(), requestEnds()]).toEqual([true, false, false]);
  });

  it("is written as long as a failure counts, and once more when it is forgotten", () => {
    requestEnds();
    const kinds: VerdictKind[] = ["failed", "ok", "ok"];
    expect(kinds.map((kind) => requestEnds(kind))).toEqual([true, true, true]);
    nowMs += 2 * breaker.windowMs;
    expect([requestEnds(), requestEnds()]).toEqual([true, false]);
  });

  it("is written where the host is to rest for longer than a delay", () => {
    requestEnds();
    expect(requestEnds("ok", 100 * delayMs)).toBe(true);
    host.visit.gate.restUntil(nowMs + 60_000);
    expect(requestEnds()).toBe(true);
    expect(requestEnds()).toBe(false);
  });

  it("is written where robots.txt asks for another pace", () => {
    requestEnds();
    host.crawlDelayMs = 500;
    expect([requestEnds(), requestEnds()]).toEqual([true, false]);
    host.crawlDelayMs = undefined;
    expect([requestEnds(), requestEnds()]).toEqual([true, false]);
  });
});

describe("a host that is forgotten", () => {
  it("leaves the pace behind that was not written", () => {
    requestEnds();
    requestEnds();
    const { nextFetchAtMs } = host.visit.gate;
    const [op] = host.leave(nextFetchAtMs - 1);
    const value = op?.type === "put" ? op.value : Uint8Array.of();
    expect(HostRecord.decode(value).politeUntilMs).toBe(nextFetchAtMs);
    expect(host.leave(nextFetchAtMs - 1)).toEqual([]);
  });

  it("leaves nothing that its row says already, or that is over", () => {
    requestEnds();
    expect(host.leave(0)).toEqual([]);
    requestEnds();
    expect(host.leave(host.visit.gate.nextFetchAtMs)).toEqual([]);
  });
});

describe("a host that gives its place up until it opens", () => {
  it("writes all that its row does not say of when that is, and nothing where the row says it", () => {
    requestEnds();
    expect(host.close()).toEqual([]);
    host.visit.gate.restUntil(nowMs + 600_000);
    const [op, ...others] = host.close();
    expect(others).toEqual([]);
    const record = op?.type === "put" ? HostRecord.decode(op.value) : undefined;
    expect(record).toMatchObject({ nextFetchAtMs: nowMs + 600_000 });
    expect(host.close()).toEqual([]);
  });
});

describe("a host that was found to need a longer delay than its jobs want", () => {
  it("has that delay still when it is made of its row", () => {
    const names = { host: host.visit.host, jobs: [], breakerBuckets: [] };
    const record = { ...names, nextFetchAtMs: 0, failuresInRow: 0, learnedDelayMs: 5_000 };
    const known = new Host(host.visit, record);
    const job = new JobRegistry().define("job");
    expect(job.definition.options.delayMs).toBeLessThan(5_000);
    known.jobs.add(job);
    known.visit.queue.expectOnDisk(job.definition.id);
    setPace(known, defaultPolitenessOptions);
    expect(known.visit.delayMs).toBe(5_000);
  });
});
