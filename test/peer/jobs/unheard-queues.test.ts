import { describe, expect, it } from "vitest";
import { UnheardQueues } from "../../../src/peer/jobs/unheard-queues.ts";

const spacesMax = 65_536;
const beyond = spacesMax + 1;

/** As many jobs as are counted, each with one URL, and one more. */
function overfull(): UnheardQueues {
  const queues = new UnheardQueues();
  for (let space = 0; space < spacesMax; space += 1) queues.add(space, 1);
  expect([queues.knows(beyond), queues.countOf(beyond)]).toEqual([true, 0]);
  queues.add(spacesMax, 1);
  return queues;
}

describe("what is queued of unknown jobs", () => {
  it("is something of each that is not counted, where they were too many", () => {
    const queues = overfull();
    expect([spacesMax, beyond].map((space) => queues.has(space))).toEqual([false, false]);
    expect([spacesMax, beyond].map((space) => queues.countOf(space))).toEqual([1, 1]);
    expect([queues.knows(beyond), queues.isEmpty]).toEqual([false, false]);
    // Those that are counted stay so.
    queues.add(7, 2);
    expect([queues.knows(7), queues.countOf(7)]).toEqual([true, 3]);
  });

  it("is no less than that when there is room again, until it is counted on disk", () => {
    const queues = overfull();
    for (let space = 0; space < 9; space += 1) queues.add(space, -1);
    queues.add(spacesMax, 1);
    expect([queues.has(spacesMax), queues.countOf(0), queues.take(spacesMax)]).toEqual([
      false,
      1,
      0,
    ]);
    queues.set(spacesMax, 2);
    queues.add(spacesMax, 1);
    expect([queues.knows(spacesMax), queues.take(spacesMax)]).toEqual([true, 3]);
    expect(queues.has(spacesMax)).toBe(false);
  });
});
