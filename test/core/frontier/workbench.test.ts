import { describe, expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { Workbench, type RequestEnd } from "../../../src/core/frontier/workbench.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import type { HostName, IpAddress, SiteName } from "../../../src/core/units.ts";

const options = { ...defaultPolitenessOptions, adaptiveFactor: 0, addressDelayMs: 250 };
const delayMs = 1_000;

function visitOf(
  name: string,
  address: string,
  changes: { connectionsMax?: number; delayMs?: number } = {},
): HostVisit {
  const visit = new HostVisit({
    host: name as HostName,
    site: name as SiteName,
    gate: new HostGate(options),
    queue: new HostQueue(1),
    connectionsMax: 1,
    delayMs,
    ...changes,
  });
  visit.address = address as IpAddress;
  return visit;
}

/** A request ends at the address that its host has still. */
function release(workbench: Workbench, visit: HostVisit, end: Omit<RequestEnd, "address">): void {
  workbench.release(visit, { ...end, address: visit.address as IpAddress });
}

/** A request that went well and took no time. */
function finish(workbench: Workbench, visit: HostVisit, atMs: number): void {
  visit.gate.record(
    { kind: "ok", startedAtMs: atMs, headAtMs: atMs, finishedAtMs: atMs },
    visit.delayMs,
  );
  release(workbench, visit, { headAtMs: atMs, finishedAtMs: atMs, delayMs: visit.delayMs });
}

describe("Workbench", () => {
  it("hands out a host when it is placed, and again when its delay is over", () => {
    const workbench = new Workbench(options);
    const visit = visitOf("a.test", "10.0.0.1");
    expect(workbench.nextDueAtMs()).toBeUndefined();
    workbench.place(visit, 5_000);
    expect(workbench.take(5_000)).toBe(visit);
    expect(workbench.take(5_000)).toBeUndefined();
    finish(workbench, visit, 5_000);
    workbench.place(visit, 5_000);
    expect(workbench.nextDueAtMs()).toBe(6_000);
    expect(workbench.take(5_999)).toBeUndefined();
    expect(workbench.take(6_000)).toBe(visit);
  });

  it("does not place a host again by itself", () => {
    const workbench = new Workbench(options);
    const visit = visitOf("a.test", "10.0.0.1");
    workbench.place(visit, 0);
    workbench.take(0);
    finish(workbench, visit, 0);
    expect(workbench.size).toBe(0);
    expect(workbench.take(1_000_000)).toBeUndefined();
  });

  it("counts open requests on the host, on the whole, and what is in place", () => {
    const workbench = new Workbench(options);
    const visit = visitOf("a.test", "10.0.0.1");
    workbench.place(visit, 0);
    expect([workbench.size, workbench.openRequests, visit.openRequests]).toEqual([1, 0, 0]);
    workbench.take(0);
    expect([workbench.size, workbench.openRequests, visit.openRequests]).toEqual([0, 1, 1]);
    finish(workbench, visit, 0);
    expect([workbench.size, workbench.openRequests, visit.openRequests]).toEqual([0, 0, 0]);
  });

  it("keeps hosts on one address apart by the address's delay, and one at a time", () => {
    const workbench = new Workbench(options);
    const [a, b] = [visitOf("a.test", "10.0.0.1"), visitOf("b.test", "10.0.0.1")];
    workbench.place(a, 0);
    workbench.place(b, 0);
    expect(workbench.take(0)).toBe(a);
    expect(workbench.nextDueAtMs()).toBeUndefined();
    expect(workbench.take(10_000)).toBeUndefined();
    finish(workbench, a, 10_000);
    expect(workbench.nextDueAtMs()).toBe(10_250);
    expect(workbench.take(10_249)).toBeUndefined();
    expect(workbench.take(10_250)).toBe(b);
  });

  it("never keeps an address closed longer than the host's own delay", () => {
    const workbench = new Workbench(options);
    const changes = { delayMs: 0 };
    const [a, b] = [visitOf("a.test", "10.0.0.1", changes), visitOf("b.test", "10.0.0.1", changes)];
    workbench.place(a, 0);
    workbench.place(b, 0);
    expect(workbench.take(0)).toBe(a);
    finish(workbench, a, 10);
    expect(workbench.take(10)).toBe(b);
  });

  it("keeps an address's clock while no host stands on it", () => {
    const workbench = new Workbench(options);
    const [a, b] = [visitOf("a.test", "10.0.0.1"), visitOf("b.test", "10.0.0.1")];
    workbench.place(a, 0);
    workbench.take(0);
    finish(workbench, a, 0);
    expect(workbench.take(100)).toBeUndefined();
    workbench.place(b, 100);
    expect(workbench.nextDueAtMs()).toBe(250);
  });

  it("counts the address's delay from the response's head", () => {
    const workbench = new Workbench(options);
    const [a, b] = [visitOf("a.test", "10.0.0.1"), visitOf("b.test", "10.0.0.1")];
    workbench.place(a, 0);
    workbench.place(b, 0);
    workbench.take(0);
    release(workbench, a, { headAtMs: 100, finishedAtMs: 200, delayMs });
    expect(workbench.nextDueAtMs()).toBe(350);
  });

  it("remembers an address as long as it is in use, and forgets it when its clock has run out", () => {
    const workbench = new Workbench(options);
    const [a, b, c] = ["a.test", "b.test", "c.test"].map((name) => visitOf(name, "10.0.0.1"));
    if (a === undefined || b === undefined || c === undefined) throw new Error("three hosts");
    workbench.place(a, 0);
    workbench.take(0);
    finish(workbench, a, 0);
    workbench.place(b, 100);
    expect(workbench.take(250)).toBe(b);
    workbench.place(c, 250);
    expect(workbench.take(500)).toBeUndefined();
    workbench.remove(c);
    finish(workbench, b, 500);
    workbench.take(749);
    expect(workbench.addressCount).toBe(1);
    workbench.take(750);
    expect(workbench.addressCount).toBe(0);
  });

  it("counts the address's delay from the end of a request that had no head", () => {
    const workbench = new Workbench(options);
    const [a, b] = [visitOf("a.test", "10.0.0.1"), visitOf("b.test", "10.0.0.1")];
    workbench.place(a, 0);
    workbench.place(b, 0);
    workbench.take(0);
    release(workbench, a, { finishedAtMs: 7_000, delayMs });
    expect(workbench.nextDueAtMs()).toBe(7_250);
  });

  it("holds a host back whose gate has closed since it was placed", () => {
    const workbench = new Workbench(options);
    const [a, b] = [visitOf("a.test", "10.0.0.1"), visitOf("b.test", "10.0.0.1")];
    workbench.place(a, 0);
    workbench.place(b, 0);
    a.gate.record({ kind: "failed", startedAtMs: 0, finishedAtMs: 0 }, 30_000);
    expect(workbench.take(0)).toBe(b);
    finish(workbench, b, 0);
    expect(workbench.take(29_999)).toBeUndefined();
    expect(workbench.take(30_000)).toBe(a);
  });

  it("takes up a gate that was released when the host is placed again", () => {
    const workbench = new Workbench(options);
    const visit = visitOf("a.test", "10.0.0.1", { delayMs: 0 });
    visit.gate.record(
      { kind: "overloaded", startedAtMs: 0, finishedAtMs: 0, retryAfterMs: 60_000 },
      0,
    );
    workbench.place(visit, 0);
    expect(workbench.nextDueAtMs()).toBe(60_000);
    visit.gate.release();
    workbench.place(visit, 10);
    expect(workbench.take(10)).toBe(visit);
  });

  it("lets a job open several requests at once to a host and its address", () => {
    const workbench = new Workbench(options);
    const visit = visitOf("a.test", "10.0.0.1", { connectionsMax: 2, delayMs: 0 });
    workbench.place(visit, 0);
    expect(workbench.take(0)).toBe(visit);
    expect(workbench.size).toBe(1);
    expect(workbench.take(0)).toBe(visit);
    expect(workbench.take(0)).toBeUndefined();
    workbench.place(visit, 0);
    expect(workbench.size).toBe(0);
    finish(workbench, visit, 0);
    workbench.place(visit, 0);
    expect(workbench.take(0)).toBe(visit);
  });

  it("keeps the starts of several requests to one host as far apart as its delay", () => {
    const workbench = new Workbench(options);
    const visit = visitOf("a.test", "10.0.0.1", { connectionsMax: 2 });
    workbench.place(visit, 0);
    workbench.take(0);
    expect(workbench.nextDueAtMs()).toBe(1_000);
    workbench.place(visit, 500);
    expect(workbench.take(999)).toBeUndefined();
    expect(workbench.take(1_000)).toBe(visit);
  });

  it("keeps the starts of requests to one address apart while they are open", () => {
    const workbench = new Workbench(options);
    const changes = { connectionsMax: 2 };
    const [a, b] = [visitOf("a.test", "10.0.0.1", changes), visitOf("b.test", "10.0.0.1", changes)];
    workbench.place(a, 0);
    workbench.place(b, 0);
    expect(workbench.take(0)).toBe(a);
    expect(workbench.take(249)).toBeUndefined();
    expect(workbench.take(250)).toBe(b);
  });

  it("does not let a host with many connections shut out a neighbour with one", () => {
    const workbench = new Workbench(options);
    const many = visitOf("a.test", "10.0.0.1", { connectionsMax: 2, delayMs: 0 });
    const one = visitOf("b.test", "10.0.0.1", { delayMs: 0 });
    workbench.place(many, 0);
    workbench.place(one, 1);
    expect(workbench.take(1)).toBe(many);
    expect(workbench.take(2)).toBeUndefined();
    finish(workbench, many, 3);
    expect(workbench.take(3)).toBe(one);
  });

  describe("with hosts that have no delay", () => {
    /** Asks whoever is next again and again, each request taking `tookMs`. */
    function asked(visits: readonly HostVisit[], times: number, tookMs: number): string[] {
      const workbench = new Workbench(options);
      for (const visit of visits) workbench.place(visit, 0);
      return Array.from({ length: times }, (_, round) => {
        const visit = workbench.take(round * tookMs);
        if (visit === undefined) return "nobody";
        finish(workbench, visit, (round + 1) * tookMs);
        workbench.place(visit, (round + 1) * tookMs);
        return visit.host;
      });
    }
    const rotation = ["a", "b", "a", "b"].map((name) => `${name}.test`);
    const two = (changes: Parameters<typeof visitOf>[2]): HostVisit[] => [
      visitOf("a.test", "10.0.0.1", changes),
      visitOf("b.test", "10.0.0.2", changes),
    ];

    it("asks one for the whole of its turn before the next: the requests share a connection", () => {
      const turn = (host: string) => Array.from({ length: 16 }, () => host);
      const turns = [...turn("a.test"), ...turn("b.test"), ...turn("a.test")];
      expect(asked(two({ delayMs: 0 }), 48, 1)).toEqual(turns);
    });

    it("ends a turn after some seconds, so that a slow host does not hold up its neighbours", () => {
      expect(asked(two({ delayMs: 0 }), 4, 5_000)).toEqual(rotation);
    });

    it("gives no turn to hosts that several connections are kept to", () => {
      expect(asked(two({ delayMs: 0, connectionsMax: 2 }), 4, 1)).toEqual(rotation);
    });

    it("does not go on with a host that was taken out, whose gate has closed or whose neighbour is asked", () => {
      const workbench = new Workbench(options);
      const changes = { delayMs: 0 };
      const [a, b] = [
        visitOf("a.test", "10.0.0.1", changes),
        visitOf("b.test", "10.0.0.1", changes),
      ];
      workbench.place(a, 0);
      workbench.take(0);
      finish(workbench, a, 1);
      workbench.place(a, 1);
      workbench.remove(a);
      expect(workbench.take(1)).toBeUndefined();
      workbench.place(b, 1);
      expect(workbench.take(1)).toBe(b);
      workbench.place(a, 1);
      expect(workbench.take(1)).toBeUndefined();
      finish(workbench, b, 2);
      a.gate.restUntil(100);
      expect(workbench.take(2)).toBeUndefined();
      expect(workbench.take(100)).toBe(a);
    });
  });

  it("charges no delay for a turn that made no request", () => {
    const workbench = new Workbench(options);
    const visit = visitOf("a.test", "10.0.0.1");
    workbench.place(visit, 0);
    workbench.take(0);
    release(workbench, visit, { finishedAtMs: 5, delayMs: 0 });
    workbench.place(visit, 5);
    expect(workbench.take(5)).toBe(visit);
  });

  it("leaves a host in its turn when it is placed again", () => {
    const workbench = new Workbench(options);
    const [a, b] = [visitOf("a.test", "10.0.0.1"), visitOf("b.test", "10.0.0.2")];
    workbench.place(a, 0);
    workbench.place(b, 1);
    workbench.place(a, 2);
    expect(workbench.take(2)).toBe(a);
    expect(workbench.take(2)).toBe(b);
  });

  it("lets no newcomer pass those that wait already", () => {
    const workbench = new Workbench(options);
    const [a, b] = [visitOf("a.test", "10.0.0.1"), visitOf("b.test", "10.0.0.2")];
    a.gate.opened(0, 5);
    workbench.place(a, 5);
    workbench.place(b, 20);
    expect(workbench.take(20)).toBe(a);
  });

  it("follows a host to another address, while its open requests stay on the old one", () => {
    const workbench = new Workbench(options);
    const address = "10.0.0.1" as IpAddress;
    const moving = visitOf("a.test", address, { connectionsMax: 2, delayMs: 0 });
    const left = visitOf("b.test", address, { delayMs: 0 });
    workbench.place(moving, 0);
    workbench.take(0);
    moving.address = "10.0.0.2" as IpAddress;
    workbench.place(moving, 0);
    workbench.place(left, 0);
    expect(workbench.take(0)).toBe(moving);
    expect(workbench.openedAt(moving)).toBe("10.0.0.2");
    expect(workbench.take(0)).toBeUndefined();
    workbench.release(moving, { address, finishedAtMs: 1, delayMs: 0 });
    expect(workbench.take(1)).toBe(left);
  });

  it("hands out a certain host where it is the next one at its address, and due", () => {
    const workbench = new Workbench(options);
    const [first, second] = [visitOf("a.test", "10.0.0.1"), visitOf("b.test", "10.0.0.1")];
    workbench.place(first, 0);
    workbench.place(second, 1);
    expect(workbench.takeThis(second, 5)).toBe(false);
    expect(workbench.takeThis(first, 5)).toBe(true);
    expect([first.openRequests, workbench.size]).toEqual([1, 1]);
    finish(workbench, first, 5);
    expect(workbench.takeThis(second, 254)).toBe(false);
    expect(workbench.takeThis(second, 255)).toBe(true);
    expect(workbench.takeThis(second, 255)).toBe(false);
  });

  it("takes a host out, and keeps its open requests", () => {
    const workbench = new Workbench(options);
    const [a, b] = [visitOf("a.test", "10.0.0.1"), visitOf("b.test", "10.0.0.1")];
    workbench.place(a, 0);
    workbench.take(0);
    workbench.place(b, 0);
    workbench.remove(b);
    workbench.remove(b);
    finish(workbench, a, 0);
    expect(workbench.take(100_000)).toBeUndefined();
    expect(() => finish(workbench, a, 0)).toThrow("released that was never taken");
  });

  it("goes on with those behind a host that is taken out", () => {
    const workbench = new Workbench(options);
    const [busy, alone] = ["a.test", "b.test"].map((name, at) =>
      visitOf(name, "10.0.0.1", { connectionsMax: 3 - 2 * at, delayMs: 0 }),
    ) as [HostVisit, HostVisit];
    workbench.place(busy, 0);
    workbench.take(0);
    workbench.place(alone, 0);
    workbench.place(busy, 0);
    expect([workbench.take(0), workbench.take(1)]).toEqual([busy, undefined]);
    workbench.remove(alone);
    expect(workbench.take(1)).toBe(busy);
  });

  it("stops when a host without an address is placed", () => {
    const visit = visitOf("a.test", "10.0.0.1");
    visit.address = undefined;
    expect(() => new Workbench(options).place(visit, 0)).toThrow("when it has an address");
  });
});
