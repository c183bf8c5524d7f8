import { expect, it, onTestFinished } from "vitest";
import { SharedStats } from "../../../src/adapters/http-api/shared-stats.ts";
import type { SwarmStats } from "../../../src/ports/peer-control.ts";
import { fakePeerApi } from "../../support/fake-peer-api.ts";
import { FakePeerControl, jobReport } from "../../support/fake-peer-control.ts";
import { until } from "../../support/until.ts";

/** Counts how often the swarm is asked. */
class CountingPeer extends FakePeerControl {
  looks = 0;

  override swarmStats(): Promise<SwarmStats> {
    this.looks += 1;
    return super.swarmStats();
  }
}

it("sums the swarm's figures once for all whose wait ends at the same moment", async () => {
  const control = new CountingPeer();
  const api = fakePeerApi(control);
  await api.start();
  onTestFinished(() => api.stop());
  control.reports.set("j", jobReport("j", { queued: 5 }));
  const answers = Array.from({ length: 100 }, async () => {
    const response = await fetch(`${api.url}/v1/jobs/j/wait`);
    return await response.json();
  });
  await until("all of them wait", () => control.waiting === 100);
  control.finish();
  for (const answer of await Promise.all(answers)) {
    expect(answer).toMatchObject({ over: true, finished: true, counts: { queued: 0 } });
  }
  expect(control.looks).toBe(1);
});

it("gives nobody figures that were taken before the question", async () => {
  const control = new CountingPeer();
  const stats = new SharedStats(control);
  const before = await stats.take();
  control.reports.set("j", jobReport("j", { queued: 5 }));
  const [one, other] = await Promise.all([stats.take(), stats.take()]);
  expect(before.jobs).toEqual([]);
  expect(one.jobs).toHaveLength(1);
  expect(other).toBe(one);
  expect(control.looks).toBe(2);
});
