import { describe, expect, it } from "vitest";
import { LearnedDelay } from "../../../src/core/politeness/learned-delay.ts";
import type { VerdictKind } from "../../../src/core/politeness/retry-table.ts";

const answers = (count: number): VerdictKind[] => Array<VerdictKind>(count).fill("ok");

describe("the delay that a host is found to need", () => {
  it.each<[rule: string, kinds: VerdictKind[], delayMs: number, learnedMs: number]>([
    ["is twice the one at which it refuses", ["ok", "overloaded"], 1_000, 2_000],
    ["is bounded", ["ok", "overloaded"], 6_000, 10_000],
    ["is none where there is none", ["ok", "overloaded"], 0, 0],
    ["grows once where all is refused", ["ok", "overloaded", "overloaded"], 1_000, 2_000],
    ["is not told by an outage from the start", ["overloaded", "overloaded"], 1_000, 0],
    ["is not told by an error", ["ok", "failed", "overloaded"], 1_000, 0],
    ["is told whatever goes wrong here", ["ok", "neutral", "overloaded"], 1_000, 2_000],
    ["is told by refusals that are near", [...answers(9), "overloaded"], 1_000, 2_000],
    ["is not told by one that is rare", [...answers(10), "overloaded"], 1_000, 0],
  ])("%s", (_, kinds, delayMs, learnedMs) => {
    const learned = new LearnedDelay();
    for (const kind of kinds) learned.record(kind, delayMs);
    expect(learned.ms).toBe(learnedMs);
  });

  it("becomes no shorter by a refusal at a delay that is shorter than it", () => {
    const learned = new LearnedDelay(3_200);
    expect(learned.record("ok", 3_200)).toBe(true);
    expect(learned.record("overloaded", 1_000)).toBe(false);
    expect(learned.ms).toBe(3_100);
  });

  it("becomes shorter with each good answer, and ends", () => {
    const learned = new LearnedDelay(3_200);
    learned.record("ok", 3_200);
    expect(learned.ms).toBe(3_100);
    for (const kind of answers(400)) learned.record(kind, 1_000);
    expect(learned.ms).toBe(0);
  });
});
