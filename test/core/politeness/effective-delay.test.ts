import { expect, it } from "vitest";
import { effectiveDelayMs } from "../../../src/core/politeness/effective-delay.ts";

it.each([
  { jobMs: 1_000, crawlMs: undefined, delayMs: 1_000, rule: "the job's delay stands alone" },
  { jobMs: 1_000, crawlMs: 5_000, delayMs: 5_000, rule: "a longer Crawl-delay wins" },
  { jobMs: 1_000, crawlMs: 200, delayMs: 1_000, rule: "a shorter Crawl-delay loses" },
  { jobMs: 0, crawlMs: undefined, delayMs: 0, rule: "0 is no delay" },
  { jobMs: 1_000, crawlMs: 3_600_000, delayMs: 30_000, rule: "a Crawl-delay is capped" },
  { jobMs: 60_000, crawlMs: 3_600_000, delayMs: 60_000, rule: "the job's own delay is not capped" },
])("$rule", ({ jobMs, crawlMs, delayMs }) => {
  expect(effectiveDelayMs(jobMs, crawlMs, { crawlDelayMaxMs: 30_000 })).toBe(delayMs);
});
