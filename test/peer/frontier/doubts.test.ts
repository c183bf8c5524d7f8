import { describe, expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { HostVisit } from "../../../src/core/frontier/host-visit.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { HostRecord } from "../../../src/core/record/record.pb.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import { circle, type RingPosition } from "../../../src/core/ring/ring-position.ts";
import type { HostName, SiteName } from "../../../src/core/units.ts";
import { Doubts } from "../../../src/peer/frontier/doubts.ts";
import { Host } from "../../../src/peer/frontier/host.ts";
import type { Clock } from "../../../src/ports/clock.ts";

const delayMs = 1_000;
const half = ArcSet.of([{ from: 0 as RingPosition, to: (circle / 2) as RingPosition }]);
const otherHalf = ArcSet.whole.subtract(half);

class SetClock implements Clock {
  ms = 50_000;
  nowMs(): number {
    return this.ms;
  }
  wallMs(): number {
    return this.ms;
  }
  sleep(): Promise<void> {
    return Promise.resolve();
  }
  call(): never {
    throw new Error("nothing waits here");
  }
}

/** @param record what an earlier process has left of it */
function someHost(record?: HostRecord): Host {
  const gate = new HostGate(defaultPolitenessOptions);
  const name = { host: "a.example" as HostName, site: "a.example" as SiteName };
  const queue = new HostQueue(8);
  return new Host(new HostVisit({ ...name, gate, queue, connectionsMax: 1, delayMs }), record);
}

describe("Doubts", () => {
  function begun(): { readonly clock: SetClock; readonly doubts: Doubts } {
    const clock = new SetClock();
    const doubts = new Doubts(clock, () => undefined);
    doubts.begin();
    return { clock, doubts };
  }

  it("let a host rest for a full delay from when others may have asked it last", () => {
    const { clock, doubts } = begun();
    doubts.add(ArcSet.whole, 300);
    clock.ms += 100;
    const host = someHost();
    doubts.heed(host);
    expect(host.visit.gate.nextFetchAtMs).toBe(50_000 - 300 + delayMs);
  });

  it("let a host of an earlier process rest for a full delay from when this one began", () => {
    const { clock, doubts } = begun();
    clock.ms += 100;
    const [known, found] = [someHost(HostRecord.decode(new Uint8Array(0))), someHost()];
    for (const host of [known, found]) doubts.heed(host);
    expect(known.visit.gate.nextFetchAtMs).toBe(50_000 + delayMs);
    expect(found.visit.gate.nextFetchAtMs).toBe(0);
  });

  it("let a host rest that was asked beside its visits, for as long as it asked for", () => {
    const { doubts } = begun();
    const rests = [69_000, 69_500].map((atMs) => {
      const host = someHost();
      doubts.asked(host.visit.host, atMs, atMs === 69_000 ? 70_200 : 0);
      doubts.heed(host);
      return host.visit.gate.nextFetchAtMs;
    });
    expect(rests).toEqual([70_200, 70_500]);
  });

  it("forget of many hosts the one that was asked first beside its visits", () => {
    const { doubts } = begun();
    const names = Array.from({ length: 4_097 }, (_, at) => `${at}.example` as HostName);
    const [first, second, third] = names as [HostName, HostName, HostName];
    for (const name of names.slice(0, -1)) doubts.asked(name, 1, 9_000);
    expect(doubts.restUntilMs(first)).toBe(9_000);
    doubts.asked(first, 2);
    doubts.asked(names.at(-1) ?? first, 3, 9_000);
    expect([first, second, third].map((name) => doubts.restUntilMs(name))).toEqual([
      9_000, 0, 9_000,
    ]);
  });

  it("tell their age for whoever is given the arcs", () => {
    const { clock, doubts } = begun();
    expect(doubts.ageMs(ArcSet.whole)).toBeUndefined();
    doubts.add(half, 300);
    clock.ms += 100.5;
    expect(doubts.ageMs(ArcSet.whole)).toBe(400);
    expect(doubts.ageMs(half)).toBe(400);
    expect(doubts.ageMs(otherHalf)).toBeUndefined();
  });

  it("are not lessened by an older doubt", () => {
    const { doubts } = begun();
    doubts.add(half, 100);
    doubts.add(ArcSet.whole, 900);
    expect(doubts.ageMs(half)).toBe(100);
    expect(doubts.ageMs(otherHalf)).toBe(900);
  });

  it("are as young as the youngest of those within the arcs that are given", () => {
    for (const [young, old] of [
      [half, otherHalf],
      [otherHalf, half],
    ] as const) {
      const { doubts } = begun();
      doubts.add(old, 900);
      doubts.add(young, 100);
      expect(doubts.ageMs(ArcSet.whole)).toBe(100);
    }
  });

  it("leave a host alone of which all is known", () => {
    const { doubts } = begun();
    const host = someHost();
    doubts.add(ArcSet.whole.subtract(ArcSet.of([around(host.position)])));
    doubts.heed(host);
    expect(host.visit.gate.nextFetchAtMs).toBe(0);
  });
});

function around(position: RingPosition): { from: RingPosition; to: RingPosition } {
  return { from: position, to: (position + 1) as RingPosition };
}
