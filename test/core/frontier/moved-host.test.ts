import { describe, expect, it } from "vitest";
import { InvariantError } from "../../../src/core/errors.ts";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { Workbench } from "../../../src/core/frontier/workbench.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import type { HostName, IpAddress, SiteName } from "../../../src/core/units.ts";

const options = { ...defaultPolitenessOptions, adaptiveFactor: 0, addressDelayMs: 250 };
const delayMs = 1_000;

function visitOf(name: string, address: IpAddress, connectionsMax = 1): HostVisit {
  const visit = new HostVisit({
    host: name as HostName,
    site: name as SiteName,
    gate: new HostGate(options),
    queue: new HostQueue(1),
    connectionsMax,
    delayMs,
  });
  visit.address = address;
  return visit;
}

describe("a host whose address changes while it is asked", () => {
  const [old, next] = ["10.0.0.1", "10.0.0.2"] as [IpAddress, IpAddress];
  const end = { headAtMs: 2_000, finishedAtMs: 2_000, delayMs };

  /** With a request open at each of its addresses, and a neighbour that waits at each. */
  function movedHost() {
    const workbench = new Workbench(options);
    const moved = visitOf("a.test", old, 2);
    workbench.place(moved, 0);
    workbench.take(0);
    moved.address = next;
    workbench.place(moved, 0);
    workbench.take(delayMs);
    const [atOld, atNext] = [visitOf("b.test", old), visitOf("c.test", next)];
    workbench.place(atOld, delayMs);
    workbench.place(atNext, delayMs);
    return { workbench, moved, atOld, atNext };
  }

  it("frees the address that its later request took, when that one is the first to end", () => {
    const { workbench, moved, atNext } = movedHost();
    workbench.release(moved, { ...end, address: next });
    expect(workbench.take(2_249)).toBeUndefined();
    expect(workbench.take(2_250)).toBe(atNext);
    expect(workbench.take(10_000)).toBeUndefined();
  });

  it("frees the address that its earlier request took, for those that wait there", () => {
    const { workbench, moved, atOld } = movedHost();
    workbench.release(moved, { ...end, address: old });
    expect(workbench.take(2_250)).toBe(atOld);
    expect(workbench.take(10_000)).toBeUndefined();
  });

  it("tells where the turn was that it has taken, be its address another one by now", () => {
    const workbench = new Workbench(options);
    const moved = visitOf("a.test", old);
    workbench.place(moved, 0);
    moved.address = next;
    expect(workbench.take(0)).toBe(moved);
    expect(workbench.openedAt(moved)).toBe(old);
    expect(() => {
      workbench.release(moved, { ...end, address: next });
    }).toThrow(InvariantError);
  });
});
