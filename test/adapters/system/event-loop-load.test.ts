import { describe, expect, it } from "vitest";
import { EventLoopLoad } from "../../../src/adapters/system/event-loop-load.ts";
import type { LoadSample } from "../../../src/ports/process-load.ts";
import { until } from "../../support/until.ts";

/** Takes samples until one shows what is wanted, with `work` in every turn of the loop. */
async function sampleWith(work: () => void, isWanted: (sample: LoadSample) => boolean) {
  const load = new EventLoopLoad();
  let last: LoadSample | undefined;
  await until("a sample as it is wanted", () => {
    work();
    last = load.take() ?? last;
    return last !== undefined && isWanted(last);
  });
  return last;
}

describe("EventLoopLoad", () => {
  it("shows a loop that has nothing to do as idle", async () => {
    const sample = await sampleWith(
      () => undefined,
      ({ busyShare }) => busyShare < 0.5,
    );
    expect(sample?.turnMs).toBeLessThan(60);
  });

  it("shows a loop whose turns are long as busy, and how long they are", async () => {
    const sample = await sampleWith(
      () => {
        for (const endMs = performance.now() + 60; performance.now() < endMs;);
      },
      ({ busyShare, turnMs }) => busyShare > 0.5 && turnMs > 8,
    );
    expect(sample?.busyShare).toBeLessThanOrEqual(1);
  });

  it("gives none before it has seen anything", () => {
    const load = new EventLoopLoad();
    expect(load.take()).toBeUndefined();
  });
});
