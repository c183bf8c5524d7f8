import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CircuitBreaker } from "../../../src/core/politeness/circuit-breaker.ts";

const options = { windowMs: 60_000, errorShare: 0.1, samplesMin: 10, pauseMs: 30_000 };

function record(breaker: CircuitBreaker, outcomes: string, atMs: number): void {
  for (const outcome of outcomes) breaker.record(outcome === "x", atMs);
}

describe("CircuitBreaker", () => {
  it("opens when more than the allowed share failed", () => {
    const breaker = new CircuitBreaker(options);
    record(breaker, "........x", 1_000);
    expect(breaker.record(true, 2_000)).toBeCloseTo(0.2);
    expect(breaker.openUntilMs).toBe(32_000);
  });

  it("stays closed at just the allowed share", () => {
    const breaker = new CircuitBreaker(options);
    record(breaker, ".........x", 1_000);
    expect(breaker.openUntilMs).toBe(0);
  });

  it("says nothing of a host with too few outcomes", () => {
    const breaker = new CircuitBreaker(options);
    record(breaker, "xxxxxxxxx", 1_000);
    expect(breaker.openUntilMs).toBe(0);
    expect(breaker.record(true, 1_000)).toBe(1);
  });

  it("forgets what is older than the window", () => {
    const breaker = new CircuitBreaker(options);
    record(breaker, "xxxxxxxxx", 1_000);
    expect(breaker.record(true, 62_000)).toBeUndefined();
  });

  it("remembers what is younger than the window but for one bucket", () => {
    const breaker = new CircuitBreaker(options);
    record(breaker, "xxxxxxxxx", 1_000);
    expect(breaker.record(true, 55_999)).toBe(1);
  });

  it("judges what comes after a pause by itself", () => {
    const breaker = new CircuitBreaker(options);
    record(breaker, "xxxxxxxxxx", 1_000);
    expect(breaker.openUntilMs).toBe(31_000);
    record(breaker, ".", 31_000);
    expect(breaker.openUntilMs).toBe(31_000);
  });

  it("does not prolong a pause by requests that were open when it began", () => {
    const breaker = new CircuitBreaker(options);
    record(breaker, "xxxxxxxxxx", 1_000);
    record(breaker, "xxxxxxxxxx", 2_000);
    expect(breaker.openUntilMs).toBe(31_000);
    // Nor does what they brought open it again when the host is well after it.
    record(breaker, ".", 31_000);
    expect(breaker.openUntilMs).toBe(31_000);
  });

  it("forgets what was counted when the host is let back", () => {
    const breaker = new CircuitBreaker(options);
    record(breaker, "xxxxxxxxx", 1_000);
    breaker.reset();
    record(breaker, "x", 1_000);
    expect(breaker.openUntilMs).toBe(0);
  });

  it("drops buckets of a clock that was set back since", () => {
    const breaker = new CircuitBreaker(options, [{ startAtMs: 9e9, total: 50, failed: 50 }]);
    expect(breaker.record(true, 1_000)).toBeUndefined();
    expect(breaker.buckets).toEqual([{ startAtMs: 0, total: 1, failed: 1 }]);
  });

  it("keeps to its bound with buckets that were stored under other options", () => {
    const stored = Array.from({ length: 20 }, (_, at) => ({ startAtMs: at, total: 1, failed: 0 }));
    const breaker = new CircuitBreaker(options, stored.toReversed());
    expect(breaker.buckets).toEqual(stored.slice(8));
    breaker.record(false, 7_000);
    expect(breaker.buckets.map(({ startAtMs }) => startAtMs)).toEqual([
      ...stored.slice(9).map(({ startAtMs }) => startAtMs),
      5_000,
    ]);
  });

  it("agrees with counting every outcome, one bucket apart, and keeps 12 buckets at most", () => {
    const step = fc.record({ waitMs: fc.integer({ min: 0, max: 20_000 }), failed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
        const never = { ...options, errorShare: 1 };
        const breaker = new CircuitBreaker(never);
        const seen: { atMs: number; failed: boolean }[] = [];
        let nowMs = 1_000_000;
        for (const { waitMs, failed } of steps) {
          nowMs += waitMs;
          seen.push({ atMs: nowMs, failed });
          breaker.record(failed, nowMs);
          const counted = breaker.buckets.reduce((sum, bucket) => sum + bucket.failed, 0);
          const within = (ms: number) =>
            seen.filter((outcome) => outcome.failed && outcome.atMs > nowMs - ms).length;
          expect(counted).toBeGreaterThanOrEqual(within(55_000));
          expect(counted).toBeLessThanOrEqual(within(60_000));
          expect(breaker.buckets.length).toBeLessThanOrEqual(12);
        }
      }),
    );
  });
});
