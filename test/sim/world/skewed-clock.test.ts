import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Dice } from "../../../sim/world/dice.ts";
import { SkewedClock } from "../../../sim/world/skewed-clock.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";

describe("a skewed clock", () => {
  it("never runs backwards, and never wakes a sleeper before its time", async () => {
    const skew = fc.record({
      offsetMs: fc.integer({ min: -300_000, max: 300_000 }),
      driftPpm: fc.double({ min: -500, max: 500, noNaN: true }),
    });
    const sleeps = fc.array(fc.double({ min: 0, max: 100_000, noNaN: true }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(skew, sleeps, async (given, sleepsMs) => {
        const trueClock = new VirtualClock();
        const clock = new SkewedClock(trueClock, given);
        await trueClock.run(
          (async () => {
            for (const ms of sleepsMs) {
              const startMs = clock.nowMs();
              await clock.sleep(ms);
              expect(clock.nowMs()).toBeGreaterThanOrEqual(startMs);
              expect(clock.nowMs()).toBeGreaterThanOrEqual(startMs + ms);
              expect(clock.nowMs()).toBeLessThan(startMs + ms + 1);
            }
          })(),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("is off by its offset, and by its drift the more the longer it runs", async () => {
    const trueClock = new VirtualClock();
    const fast = new SkewedClock(trueClock, { offsetMs: 60_000, driftPpm: 500 });
    const slow = new SkewedClock(trueClock, { offsetMs: -1_000, driftPpm: -100 });
    expect(fast.nowMs() - trueClock.nowMs()).toBe(60_000);
    await trueClock.run(trueClock.sleep(1_000_000));
    expect(fast.nowMs() - trueClock.nowMs()).toBeCloseTo(60_500, 0);
    expect(slow.nowMs() - trueClock.nowMs()).toBeCloseTo(-1_100, 0);
  });
});

describe("a clock on the wall", () => {
  it("is set under a process, whose own clock goes on, and shows the next process its time", async () => {
    const trueClock = new VirtualClock();
    const clock = new SkewedClock(trueClock, { offsetMs: 2_000, driftPpm: 100 });
    await trueClock.run(trueClock.sleep(1_000_000));
    const nowMs = clock.nowMs();
    expect(clock.wallMs()).toBe(nowMs);
    expect(clock.isSet).toBe(false);
    for (const offsetMs of [-3_600_000, 5_000]) {
      clock.set(offsetMs);
      expect(clock.isSet).toBe(true);
      expect(clock.nowMs()).toBe(nowMs);
      expect(clock.wallMs() - trueClock.nowMs()).toBeCloseTo(offsetMs, 3);
    }
    const next = clock.begunAnew();
    expect(next.nowMs()).toBeCloseTo(clock.wallMs(), 3);
    expect(next.isSet).toBe(false);
    await trueClock.run(trueClock.sleep(1_000_000));
    expect(next.nowMs() - trueClock.nowMs()).toBeCloseTo(5_100, 0);
  });
});

describe("dice", () => {
  it("give the same forks whatever has been drawn, and different ones for different names", () => {
    const rolls = (dice: Dice): number[] => [1, 2, 3].map(() => dice.next());
    const used = new Dice(7);
    rolls(used);
    expect(rolls(used.fork("a").fork("b"))).toEqual(rolls(new Dice(7).fork("a").fork("b")));
    const others = [
      new Dice(7).fork("b"),
      new Dice(8).fork("a"),
      new Dice(7),
      new Dice(7).fork("ab"),
    ];
    for (const other of others) {
      expect(rolls(other)).not.toEqual(rolls(new Dice(7).fork("a")));
    }
  });

  it("draw what their names say", () => {
    const dice = new Dice(1);
    const many = <T>(draw: () => T): T[] => Array.from({ length: 20_000 }, draw);
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean(many(() => dice.next()))).toBeCloseTo(0.5, 1);
    expect(mean(many(() => dice.exponential(10)))).toBeCloseTo(10, 0);
    expect(mean(many(() => (dice.chance(0.3) ? 1 : 0)))).toBeCloseTo(0.3, 1);
    expect(new Set(many(() => dice.integer(3, 6)))).toEqual(new Set([3, 4, 5, 6]));
    const draws = many(() => dice.lognormal(100, 0.6)).sort((a, b) => a - b);
    expect((draws[10_000] ?? 0) / 100).toBeCloseTo(1, 1);
    expect(Math.log((draws[16_826] ?? 1) / 100)).toBeCloseTo(0.6, 1);
  });

  it("shuffle without losing anything, into every order", () => {
    const dice = new Dice(1);
    const orders = new Set(Array.from({ length: 500 }, () => dice.shuffled([1, 2, 3]).join("")));
    expect([...orders].sort()).toEqual(["123", "132", "213", "231", "312", "321"]);
  });
});
