import { expect, it } from "vitest";
import {
  defaultJobOptions,
  patternCharactersOfAllMax,
  type JobDefinition,
} from "../../../../src/core/jobs/job-definition.ts";
import type { JobId } from "../../../../src/core/units.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { SpreadBench } from "./spread-bench.ts";

const characters = 1_048_576;
const exclude = ["x".repeat(characters)];

function definitionOf(name: string): JobDefinition {
  const options = { ...defaultJobOptions, exclude };
  return { id: name as JobId, revision: 1, stateRevision: 1, state: "running", options };
}

it("of made-up jobs no more wait to be counted than there may be patterns of all jobs, and there is room again", async () => {
  const jobs = Object.assign(new JobRegistry(), { isUncounted: () => true });
  const bench = new SpreadBench(0, "active", jobs);
  const counts: number[] = [];
  const ends: (() => void)[] = [];
  bench.count = async (ids) => {
    counts.push(ids.length);
    await new Promise<void>((resolve) => ends.push(resolve));
  };
  const end = async (): Promise<void> => {
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  const made = Array.from({ length: 100 }, (_, n) => definitionOf(`made-up-${n}`));
  const atOnce = patternCharactersOfAllMax / characters;
  for (let round = 0; round < 2; round += 1) {
    // The first is being counted while the others come.
    bench.spread.take(made);
    await end();
    bench.spread.take(made.slice(0, 1));
    await end();
  }
  expect(counts).toEqual([1, atOnce, atOnce, atOnce]);
});
