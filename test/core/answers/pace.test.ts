import { describe, expect, it } from "vitest";
import { Pace } from "../../../src/core/answers/pace.ts";

describe("Pace", () => {
  it("is nothing before anything was observed", () => {
    const pace = new Pace(5_000, 1_000);
    expect(pace.perSecond).toBe(0);
    pace.observe(9_000, 1_000);
    expect(pace.perSecond).toBe(0);
  });

  it("is right from the first moment on where the rate stays the same", () => {
    const pace = new Pace(5_000, 1_000);
    for (let tick = 1; tick <= 400; tick += 1) {
      pace.observe(5_000 + 10 * tick, 1_000 + 250 * tick);
      expect(pace.perSecond).toBeCloseTo(40, 6);
    }
  });

  it("follows a change within some tens of seconds, and fades where nothing comes any more", () => {
    const pace = new Pace(0, 0);
    for (let second = 1; second <= 60; second += 1) pace.observe(10 * second, 1_000 * second);
    for (let second = 61; second <= 70; second += 1) pace.observe(600, 1_000 * second);
    expect(pace.perSecond).toBeGreaterThan(3);
    expect(pace.perSecond).toBeLessThan(4);
    pace.observe(600, 200_000);
    expect(pace.perSecond).toBeLessThan(0.01);
  });
});
