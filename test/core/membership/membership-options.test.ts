import { describe, expect, it } from "vitest";
import {
  exchangeScale,
  lanMembership,
  localMembership,
  suspicionBoundsMs,
  wanMembership,
  type MembershipOptions,
} from "../../../src/core/membership/membership-options.ts";
import { suspicionTimeoutMs } from "../../../src/core/membership/suspicion.ts";
import type { Millis } from "../../../src/core/units.ts";

/** What the spreading of a claim is given, lost broadcasts included. */
const spreadMs = 500;

/**
 * Time from a crash until some member tells the others that it happened, in all but one of a hundred cases. What
 * remains is the spreading of that claim; losses and a broken connection, which is seen at once, are left out.
 *
 * Each of the `n - 1` others starts one probe an interval, and it is the dead one's turn with the probability `1 / (n - 1)`.
 */
function detectionP99Ms(options: MembershipOptions, members: number): Millis {
  const others = members - 1;
  const free = Math.log(0.01) / (others * Math.log1p(-1 / others));
  const intervals = Math.max(1, Math.min(free, 2 * others - 1));
  const { minMs } = suspicionBoundsMs(options, members);
  return (intervals + 1) * options.probeIntervalMs + minMs;
}

/**
 * How long a member may be stopped without being told dead, the time for its refutation to spread included: the probe that
 * it first misses may start just as it stops.
 */
function stallToleratedMs(options: MembershipOptions, members: number): Millis {
  return options.probeIntervalMs + suspicionBoundsMs(options, members).minMs;
}

describe("the presets", () => {
  it.each([
    ["lan", lanMembership],
    ["local", localMembership],
  ])("know of a death in under 5 s among 8, and forgive a stop of 2 s (%s)", (_, options) => {
    expect(detectionP99Ms(options, 8)).toBeLessThan(5_000 - spreadMs);
    for (const members of [2, 3, 4, 8, 100, 10_000]) {
      expect(stallToleratedMs(options, members)).toBeGreaterThan(2_000 + spreadMs);
    }
  });

  it("give the indirect way as long as the direct one", () => {
    for (const options of [lanMembership, localMembership, wanMembership]) {
      expect(options.probeTimeoutMs * 2).toBeLessThanOrEqual(options.probeIntervalMs);
    }
  });

  it.each([
    [2, 300 + 300 + 2_700],
    [3, 3 * 300 + 300 + 2_700],
    [8, 4.268 * 300 + 300 + 2_700],
    [1_000, 4.603 * 300 + 300 + 8_100],
  ])("detect within the waiting, the probe and the suspicion, for %i members", (members, ms) => {
    expect(Math.abs(detectionP99Ms(lanMembership, members) - ms)).toBeLessThan(1);
  });

  it.each([
    [1, 2_700, 8_100],
    [10, 2_700, 8_100],
    [100, 5_400, 16_200],
    [1_000, 8_100, 24_300],
  ])("give a suspect among %i members from %i to %i ms", (members, minMs, maxMs) => {
    const bounds = suspicionBoundsMs(lanMembership, members);
    expect(Math.round(bounds.minMs)).toBe(minMs);
    expect(Math.round(bounds.maxMs)).toBe(maxMs);
  });

  it.each([
    [1, 1],
    [32, 1],
    [33, 2],
    [64, 2],
    [65, 3],
    [1_024, 6],
  ])("make exchanges among %i members %i times as rare", (members, scale) => {
    expect(exchangeScale(members)).toBe(scale);
  });
});

describe("suspicionTimeoutMs", () => {
  it.each([
    [0, 3, 30_000],
    [1, 3, 16_000],
    [2, 3, 7_811],
    [3, 3, 2_000],
    [4, 3, 2_000],
    [0, 1, 30_000],
    [1, 1, 2_000],
    [0, 0, 2_000],
    [0, -1, 2_000],
  ])("after %i of %i confirmations is %i ms", (confirmations, needed, timeoutMs) => {
    const bounds = { minMs: 2_000, maxMs: 30_000 };
    expect(Math.round(suspicionTimeoutMs(bounds, confirmations, needed))).toBe(timeoutMs);
  });
});
