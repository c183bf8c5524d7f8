import { describe, expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { Workbench } from "../../../src/core/frontier/workbench.ts";
import { notLent, type LoanSpan } from "../../../src/core/politeness/address-borrower.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import type { HostName, IpAddress, SiteName } from "../../../src/core/units.ts";

const address = "192.0.2.1" as IpAddress;
const options = { ...defaultPolitenessOptions, adaptiveFactor: 0, addressDelayMs: 250 };

function visitOf(name: string, delayMs = 1_000): HostVisit {
  const gate = new HostGate(options);
  const parts = { site: name as SiteName, gate, queue: new HostQueue(1), connectionsMax: 1 };
  const visit = new HostVisit({ host: name as HostName, ...parts, delayMs });
  visit.address = address;
  return visit;
}

/** A workbench whose addresses are lent by others, and what it has told of them. */
class LoanBench {
  readonly workbench = new Workbench(options);
  readonly told: string[] = [];
  span: LoanSpan = notLent;

  borrow(): IpAddress[] {
    return this.workbench.borrowFrom({
      spanOf: () => this.span,
      wanted: () => void this.told.push("wanted"),
      ended: () => void this.told.push("ended"),
    });
  }
}

const finish = (workbench: Workbench, visit: HostVisit, finishedAtMs: number): void =>
  workbench.release(visit, { address, finishedAtMs, delayMs: visit.delayMs });

describe("an address that others lend", () => {
  it("is wanted, and not asked, from when it is lent by others on", () => {
    const bench = new LoanBench();
    bench.workbench.place(visitOf("a.test"), 0);
    expect(bench.borrow()).toEqual([address]);
    expect(bench.told).toEqual(["wanted"]);
    expect(bench.workbench.take(10)).toBeUndefined();
  });

  it("is wanted, and not asked, where it is new", () => {
    const bench = new LoanBench();
    expect(bench.borrow()).toEqual([]);
    bench.workbench.place(visitOf("a.test"), 0);
    expect(bench.told).toEqual(["wanted"]);
    expect(bench.workbench.take(10)).toBeUndefined();
  });

  it("is asked within its span alone, and wanted anew behind it", () => {
    const bench = new LoanBench();
    const { workbench } = bench;
    const visit = visitOf("a.test");
    bench.borrow();
    workbench.place(visit, 0);
    workbench.lend(address, { fromMs: 100, untilMs: 200, watched: false });
    expect([workbench.nextDueAtMs(), workbench.take(99)]).toEqual([100, undefined]);
    expect(workbench.takeThis(visit, 99)).toBe(false);
    expect(workbench.takeThis(visit, 200)).toBe(false);
    expect(bench.told).toEqual(["wanted"]);
    expect(workbench.take(200)).toBeUndefined();
    expect(bench.told).toEqual(["wanted", "wanted"]);
    workbench.lend(address, { fromMs: 300, untilMs: 400, watched: false });
    expect(workbench.take(399)).toBe(visit);
  });

  it.each([
    ["told where that is asked for", true, 150, ["ended"]],
    ["not told within a span", false, 150, []],
    ["told behind the end of its span", false, 200, ["ended"]],
  ])("has the end of a request %s", (_, watched, endedAtMs, told) => {
    const bench = new LoanBench();
    const { workbench } = bench;
    const visit = visitOf("a.test");
    bench.span = { fromMs: 0, untilMs: 200, watched };
    bench.borrow();
    workbench.place(visit, 0);
    expect(workbench.take(100)).toBe(visit);
    finish(workbench, visit, endedAtMs);
    expect(bench.told).toEqual(told);
  });

  it("is asked without a loan for a host without a delay", () => {
    const bench = new LoanBench();
    const visit = visitOf("a.test", 0);
    bench.borrow();
    bench.workbench.place(visit, 0);
    expect(bench.workbench.take(0)).toBe(visit);
    expect(bench.told).toEqual([]);
  });
});

it("does not go on with a turn that was over before its next request could start", () => {
  const { workbench } = new LoanBench();
  const [first, second] = [visitOf("a.test", 0), visitOf("b.test", 0)];
  second.address = "192.0.2.2" as IpAddress;
  workbench.place(first, 0);
  expect(workbench.take(0)).toBe(first);
  finish(workbench, first, 10);
  workbench.place(second, 10);
  workbench.place(first, 20);
  expect(workbench.take(6_000)).toBe(second);
});
