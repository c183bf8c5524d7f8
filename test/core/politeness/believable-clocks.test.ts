import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { believableClocks } from "../../../src/core/politeness/believable-clocks.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";

const options = defaultPolitenessOptions;
const nowMs = 1_800_000_000_000;
const dayMs = 86_400_000;
const yearsMs = 10 * 365 * dayMs;
const open = { nextFetchAtMs: 0, failuresInRow: 0, breakerBuckets: [] };

describe("a gate that was kept", () => {
  it.each([
    ["politeUntilMs", options.crawlDelayMaxMs],
    ["haltedUntilMs", options.haltMs],
    ["backoffUntilMs", options.retryAfterMaxMs],
    ["breakerUntilMs", options.breaker.pauseMs],
  ] as const)("is not closed for years by %s", (clock, restMs) => {
    const kept = { ...open, nextFetchAtMs: nowMs + yearsMs, [clock]: nowMs + yearsMs };
    const others = clock === "politeUntilMs" ? {} : { politeUntilMs: nowMs };
    const gate = new HostGate(options, believableClocks({ ...kept, ...others }, options, nowMs));
    expect(gate.nextFetchAtMs).toBe(nowMs + restMs);
  });

  it("keeps the longest backoff, spread as it may be, where no Retry-After may ask for more", () => {
    const short = { ...options, retryAfterMaxMs: 0 };
    const longestMs = short.backoffMaxMs * (1 + short.backoffJitterShare);
    for (const restMs of [longestMs, longestMs + 1]) {
      const kept = { ...open, politeUntilMs: nowMs, backoffUntilMs: nowMs + restMs };
      expect(believableClocks(kept, short, nowMs).nextFetchAtMs).toBe(nowMs + longestMs);
    }
  });

  it("is not closed for years where only the latest clock was kept", () => {
    const kept = { ...open, nextFetchAtMs: nowMs + yearsMs };
    const gate = new HostGate(options, believableClocks(kept, options, nowMs));
    expect(gate.nextFetchAtMs).toBe(nowMs + options.crawlDelayMaxMs);
  });

  it("opens when it would have where only the latest clock was kept", () => {
    const kept = { ...open, nextFetchAtMs: nowMs + dayMs };
    expect(believableClocks(kept, options, nowMs)).toMatchObject({
      politeUntilMs: nowMs + dayMs,
      nextFetchAtMs: nowMs + dayMs,
    });
  });

  it("does not take a failure's clock for its politeness delay", () => {
    const kept = { ...open, politeUntilMs: nowMs, nextFetchAtMs: nowMs + yearsMs };
    expect(believableClocks(kept, options, nowMs).nextFetchAtMs).toBe(nowMs);
  });

  it("opens when it would have, where a rule can have closed it", () => {
    const until = (maxMs: number): fc.Arbitrary<number> =>
      fc.integer({ min: 0, max: nowMs + maxMs });
    const clocks = fc.record({
      politeUntilMs: until(dayMs),
      haltedUntilMs: until(options.haltMs),
      backoffUntilMs: until(options.retryAfterMaxMs),
      breakerUntilMs: until(options.breaker.pauseMs),
    });
    fc.assert(
      fc.property(clocks, (kept) => {
        const nextFetchAtMs = Math.max(...Object.values(kept));
        const gate = new HostGate(
          options,
          believableClocks({ ...open, ...kept, nextFetchAtMs }, options, nowMs),
        );
        expect(gate.nextFetchAtMs).toBe(nextFetchAtMs);
      }),
    );
  });
});
