import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { FreedPlaces } from "../../../src/peer/frontier/freed-places.ts";
import type { Host } from "../../../src/peer/frontier/host.ts";
import { JobRegistry, type Job } from "../../../src/peer/jobs/job-registry.ts";

const active = 400;
const roused = 32;

interface Resting {
  readonly number: number;
  readonly opensInMs?: number;
  readonly isOfOthers?: boolean;
}

/** Rests hosts, ends a lease of a job at its limit, and tells who was roused at once. */
function rousedOf(resting: readonly Resting[]): readonly number[] {
  const clock = new VirtualClock();
  const job = new JobRegistry().define("limited");
  const numbers = new Map<Host, number>();
  for (const { number, opensInMs = 0, isOfOthers = false } of resting) {
    const host = {
      visit: { gate: { nextFetchAtMs: clock.nowMs() + opensInMs } },
      mayHave: (asked: Job) => asked === job && !isOfOthers,
    };
    numbers.set(host as unknown as Host, number);
  }
  const found: number[] = [];
  const stop = new AbortController();
  const places = new FreedPlaces(
    clock,
    { size: active, resting: () => numbers.keys() },
    {
      signal: stop.signal,
      rouse: (host) => void found.push(numbers.get(host) ?? -1),
      rouseAll: () => void found.push(-1),
    },
  );
  places.leaseEnded(job, false);
  stop.abort();
  return found;
}

const hosts = (from: number, differences: Omit<Resting, "number"> = {}): Resting[] =>
  Array.from({ length: 100 }, (_, at) => ({ number: from + at, ...differences }));

describe("a place that a job at its limit has again", () => {
  it("rouses no more hosts than it needs, who rests longest first", () => {
    expect(rousedOf(hosts(0))).toEqual(Array.from({ length: roused }, (_, at) => at));
  });

  it("is left to hosts that may be asked now", () => {
    const found = rousedOf([...hosts(0, { opensInMs: 1 }), ...hosts(100)]);
    expect(found).toEqual(Array.from({ length: roused }, (_, at) => 100 + at));
  });

  it("is left to hosts of the job", () => {
    const found = rousedOf([...hosts(0, { isOfOthers: true }), ...hosts(100)]);
    expect(found).toEqual(Array.from({ length: roused }, (_, at) => 100 + at));
  });
});
