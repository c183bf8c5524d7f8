import { expect, it } from "vitest";
import { PrometheusMetrics } from "../../src/adapters/metrics/prometheus-metrics.ts";
import type { Member } from "../../src/core/membership/member.ts";
import type { MemberId } from "../../src/core/units.ts";
import { setGauges } from "../../src/peer/gauges.ts";
import { JobCounter } from "../../src/peer/jobs/job-counter.ts";
import type { Job, JobRegistry } from "../../src/peer/jobs/job-registry.ts";

const parts = {
  dispatcher: { openRequestsMax: 64 },
  frontier: {
    activeHosts: 3,
    openRequests: 2,
    countHeld: () => ({ backoff: 4, breaker: 0, halted: 1, closed: 2 }),
  },
};

/** As the gauges look at it. */
function job(state: string, queued: number): Job {
  const counter = new JobCounter(undefined);
  counter.add("queued", queued);
  return {
    leases: 0,
    definition: { state, options: { pagesMax: 0 } },
    counter,
    pagesElsewhere: 0,
  } as unknown as Job;
}

function registryOf(...jobs: Job[]): Pick<JobRegistry, "all"> {
  return { all: () => jobs };
}

async function linesOf(metrics: PrometheusMetrics): Promise<string[]> {
  const text = await metrics.text();
  return text.split("\n").filter((line) => line.startsWith("orbweaver_"));
}

it("tells what a peer is about, as it is when somebody reads it", async () => {
  const metrics = new PrometheusMetrics();
  const first = job("running", 5);
  const jobs = [first, job("running", 0), job("paused", 4), job("cancelled", 3)];
  setGauges(metrics, "1.2.3", { ...parts, jobs: registryOf(...jobs), swarm: undefined });
  const lines = await linesOf(metrics);
  expect(lines).toEqual(
    expect.arrayContaining([
      'orbweaver_info{version="1.2.3"} 1',
      "orbweaver_open_requests 2",
      "orbweaver_open_requests_max 64",
      "orbweaver_frontier_active_hosts 3",
      'orbweaver_frontier_held_hosts{state="backoff"} 4',
      'orbweaver_frontier_held_hosts{state="breaker"} 0',
      'orbweaver_frontier_held_hosts{state="halted"} 1',
      'orbweaver_frontier_held_hosts{state="closed"} 2',
      // What the cancelled one had queued waits for nothing.
      "orbweaver_frontier_queued_urls 9",
      'orbweaver_jobs{state="running"} 1',
      'orbweaver_jobs{state="finished"} 1',
      'orbweaver_jobs{state="paused"} 1',
      'orbweaver_jobs{state="cancelled"} 1',
    ]),
  );
  expect(lines.join()).not.toContain("orbweaver_members{");
  Object.assign(first, job("running", 0));
  expect(await linesOf(metrics)).toEqual(
    expect.arrayContaining([
      'orbweaver_jobs{state="running"} 0',
      'orbweaver_jobs{state="finished"} 2',
    ]),
  );
});

it("tells a state that no member is in any more as well", async () => {
  const metrics = new PrometheusMetrics();
  const [a, b] = ["a", "b"] as [MemberId, MemberId];
  const alive = { role: "active", health: "alive" } as const;
  let members: readonly Pick<Member, "id" | "role" | "health">[] = [
    { id: a, ...alive },
    { id: b, ...alive },
  ];
  setGauges(metrics, "1.2.3", {
    ...parts,
    jobs: registryOf(),
    swarm: {
      exchange: { pending: 7 },
      replicator: { queuedRows: 9, stream: (member) => ({ isPutOff: member === b }) },
      view: { members: () => members },
    },
  });
  expect(await linesOf(metrics)).toEqual(
    expect.arrayContaining([
      "orbweaver_forward_pending_urls 7",
      "orbweaver_replica_pending_rows 9",
      "orbweaver_replica_put_off_members 1",
      'orbweaver_members{state="active"} 2',
      'orbweaver_members{state="dead"} 0',
    ]),
  );
  members = [{ id: a, role: "active", health: "dead" }];
  expect(await linesOf(metrics)).toEqual(
    expect.arrayContaining([
      'orbweaver_members{state="active"} 0',
      'orbweaver_members{state="dead"} 1',
    ]),
  );
});
