import { expect, it } from "vitest";
import { noJobCounts, sumJobCounts, type JobCounts } from "../../../src/core/answers/job-counts.ts";
import { decodeStatsReply, encodeStatsReply } from "../../../src/core/messages/stats-message.ts";
import type { ExclusionReason } from "../../../src/core/jobs/exclusion.ts";
import type { JobId } from "../../../src/core/units.ts";
import { JobCounter } from "../../../src/peer/jobs/job-counter.ts";

/** What others read of the totals. */
function toldOf(counter: JobCounter): JobCounts | undefined {
  const reply = encodeStatsReply({
    version: "1",
    generation: 1,
    upMs: 0,
    openRequests: 0,
    activeHosts: 0,
    pagesPerSecond: 0,
    jobs: [{ job: "news" as JobId, counts: counter.counts(), finished: true }],
    past: [],
  });
  return decodeStatsReply(reply)?.jobs[0]?.counts;
}

it("counts a reason that is the name of something which every object has", () => {
  const counter = new JobCounter(undefined);
  counter.addSkipped("constructor" as "scope", 3);
  expect(counter.counts().skipped).toEqual({ constructor: 3 });
});

it("keeps few of the unknown reasons that an earlier version has saved, so that others can read the totals", () => {
  const strange = Array.from({ length: 70 }, (_, at) => [`strange-${"x".repeat(at)}`, 1]);
  const named = Object.fromEntries(strange) as Record<string, number>;
  const skipped = { scope: 2, ...named };
  const saved = new TextEncoder().encode(JSON.stringify({ ...noJobCounts, skipped }));
  const counter = new JobCounter(saved);
  expect(Object.keys(counter.counts().skipped)).toHaveLength(1 + 16);
  expect(counter.counts().skipped).toHaveProperty("scope", 2);
  expect(counter.takesReason("strange-y")).toBe(false);
});

it("takes what it lets in off what another member has counted as skipped, also after a restart", () => {
  const [keeper, heir] = [new JobCounter(undefined), new JobCounter(undefined)];
  keeper.addSkipped("scope", 3);
  heir.addSkipped("scope", 1);
  heir.addSkipped("scope", -3);
  const restarted = new JobCounter(heir.takeChanged());
  const told = toldOf(restarted);
  expect(told?.skipped).toEqual({});
  const sum = sumJobCounts([keeper.counts(), told ?? noJobCounts]);
  expect(sum).toEqual({ ...noJobCounts, skipped: { scope: 1 } });
  restarted.addSkipped("scope", -1);
  expect(sumJobCounts([keeper.counts(), restarted.counts()]).skipped).toEqual({});
});

it("lets in few of the unknown reasons that rows of others give, so that totals can be told", () => {
  let counter = new JobCounter(undefined);
  const names = Array.from({ length: 50 }, (_, at) => `strange-${"x".repeat(1 + at)}`);
  const reasons = ["Not A Name", "scope", ...names] as ExclusionReason[];
  for (const reason of reasons.slice(0, 10)) counter.addSkipped(reason, -1);
  counter = new JobCounter(counter.takeChanged());
  for (const reason of reasons) counter.addSkipped(reason, -1);
  const letIn = toldOf(counter)?.letIn ?? {};
  expect(letIn).toMatchObject({ scope: 2, "strange-x": 2 });
  expect(Object.keys(letIn)).toHaveLength(1 + 16);
});
