import { describe, expect, it } from "vitest";
import { RequestWindow } from "../../../src/peer/fetching/request-window.ts";
import type { LoadSample } from "../../../src/ports/process-load.ts";

const max = 256;
const lookMs = 100;

/**
 * The window after ten seconds, and the mean pace of the last five, of visits to servers that answer after `latencyMs`, in
 * a process that can take `paceMax` answers a second, in the order in which they come.
 */
function settled(world: {
  readonly latencyMs: number;
  readonly paceMax: number;
  /** What makes its turns longer besides. */
  readonly stolenMs?: number;
}): { size: number; pace: number } {
  const { paceMax, stolenMs = 0 } = world;
  let sample: LoadSample | undefined;
  const window = new RequestWindow(max, { take: () => sample });
  let nowMs = 0;
  let answers = 0;
  for (; nowMs <= 10_000; nowMs += lookMs) {
    // Servers are now quicker, now slower.
    const latencyMs = world.latencyMs * (1 + Math.sin(nowMs) / 10);
    // Little's law: what is open is the pace by the time that one of them takes.
    const wantedPace = (window.size / (latencyMs + stolenMs)) * 1_000;
    const pace = Math.min(paceMax, wantedPace);
    if (nowMs > 5_000) answers += (pace * lookMs) / 1_000;
    const queuedMs = Math.max(0, (window.size / paceMax) * 1_000 - latencyMs - stolenMs);
    sample = { busyShare: pace / paceMax, turnMs: queuedMs + stolenMs };
    const endedNow = Math.round((pace * lookMs) / 1_000);
    for (let ended = 0; ended < endedNow; ended += 1) window.ended(nowMs);
  }
  return { size: Math.round(window.size), pace: Math.round(answers / 5) };
}

describe("RequestWindow", () => {
  it("stays open while the network is what the crawl waits for", () => {
    expect(settled({ latencyMs: 500, paceMax: 1_000 }).size).toBe(max);
  });

  it("keeps a few requests open where servers answer faster than the process takes it", () => {
    const { size, pace } = settled({ latencyMs: 1, paceMax: 1_000 });
    expect(size).toBeGreaterThanOrEqual(8);
    expect(size).toBeLessThan(12);
    expect(pace).toBe(1_000);
  });

  it("leaves open what the latency needs, and cuts what only waits", () => {
    const { size, pace } = settled({ latencyMs: 100, paceMax: 1_000 });
    expect(size).toBeGreaterThanOrEqual(100);
    expect(size).toBeLessThan(115);
    expect(pace).toBeGreaterThan(990);
  });

  it("is not closed by long turns of a process that is not busy: others take the processor", () => {
    const { size } = settled({ latencyMs: 500, paceMax: 1_000, stolenMs: 60 });
    expect(size).toBe(max);
  });

  it("is never below a few requests, nor above what is allowed", () => {
    expect(settled({ latencyMs: 1, paceMax: 20 }).size).toBe(8);
    const small = new RequestWindow(3, { take: () => ({ busyShare: 1, turnMs: 1_000 }) });
    small.ended(1_000);
    small.ended(1_100);
    expect(small.size).toBe(3);
  });

  it("opens one by one from a few, and stays as it is while turns are neither short nor long", () => {
    let sample: LoadSample = { busyShare: 1, turnMs: 1_000_000 };
    const window = new RequestWindow(10, { take: () => sample });
    let nowMs = 0;
    const sizeWith = (next: LoadSample): number => {
      sample = next;
      nowMs += lookMs;
      window.ended(nowMs);
      return window.size;
    };
    sizeWith(sample);
    expect(sizeWith(sample)).toBe(8);
    expect(sizeWith({ busyShare: 0.89, turnMs: 1_000_000 })).toBe(9);
    for (const turnMs of [2.5, 4, 5]) expect(sizeWith({ busyShare: 0.9, turnMs })).toBe(9);
    expect(window.isCut).toBe(true);
    expect(sizeWith({ busyShare: 1, turnMs: 2.4 })).toBe(10);
    expect(window.isCut).toBe(false);
  });

  it("does not change without a load, nor while too little of it has been seen", () => {
    const windows = [new RequestWindow(max, undefined), new RequestWindow(max, noSample)];
    for (const window of windows) {
      for (let atMs = 0; atMs < 5_000; atMs += 50) window.ended(atMs);
      expect(window.size).toBe(max);
    }
  });
});

const noSample = { take: () => undefined };
