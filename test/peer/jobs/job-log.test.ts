import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/peer/jobs/job-registry.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { JobLog } from "../../../src/peer/jobs/job-log.ts";
import type { LogFields } from "../../../src/ports/logger.ts";
import { htmlPage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const job = testJob;

describe("the log of a peer", () => {
  it("tells what becomes of a job", async () => {
    const machine = new VirtualPeer((url) => (url.endsWith("/1") ? htmlPage() : undefined));
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(["http://site.example/1"], { delayMs: 2_000 });
        await peer.changeJob(job, "pause");
        await peer.changeJob(job, "resume");
        const { changed } = await peer.inject(job, [], { depthMax: 3, delayMs: 2_000 });
        expect(changed).toEqual([{ option: "depthMax", before: 1_000, after: 3 }]);
        await peer.jobFinished(job, new AbortController().signal);
        await machine.clock.sleep(1_000);
      })(),
    );
    const by = "here";
    expect(machine.logged).toEqual([
      ["job-started", { job, by, scope: "site", state: "running" }],
      ["job-paused", { job, by }],
      ["job-resumed", { job, by }],
      ["job-changed", { job, by, now: "depthMax=3" }],
      [
        "job-finished",
        { job, pages: 1, fetched: 1, failed: 0, seconds: expect.any(Number) as number },
      ],
    ]);
  });

  it("tells the end of a job that was resumed and cancelled between two looks", async () => {
    const machine = new VirtualPeer(() => htmlPage());
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        const urls = [1, 2, 3].map((page) => `http://site.example/${page}`);
        await machine.inject(urls, { delayMs: 60_000 });
        await peer.changeJob(job, "pause");
        await machine.clock.sleep(10_000);
        await peer.changeJob(job, "resume");
        await peer.changeJob(job, "cancel");
        await machine.clock.sleep(10_000);
      })(),
    );
    expect(machine.logged.map(([event]) => event)).toEqual([
      "job-started",
      "job-paused",
      "job-resumed",
      "job-cancelled",
      "job-finished",
    ]);
  });

  it("tells in a swarm the end of a cancelled job at once: nobody can bring more of it", () => {
    const logged: string[] = [];
    const log = new JobLog({ info: (event) => void logged.push(event) }, false);
    const here = new JobRegistry((...change) => log.changed(...change));
    here.define(job);
    here.changeState(job, "cancel");
    log.observe([here.get(job)], 0);
    expect(logged).toEqual(["job-started", "job-cancelled", "job-finished-here"]);
  });

  it("tells of others' jobs as it hears of them what is known: nothing of those that are over", () => {
    const logged: [string, LogFields | undefined][] = [];
    const log = new JobLog({ info: (...line) => void logged.push([line[0], line[1]]) }, false);
    const here = new JobRegistry((...change) => log.changed(...change));
    const there = new JobRegistry();
    for (const [name, change] of [["paused", "pause"], ["over", "cancel"], ["some"]] as const) {
      const { id } = there.define(name).definition;
      if (change !== undefined) there.changeState(id, change);
      here.merge(there.get(id).definition);
    }
    expect(logged).toEqual([
      ["job-heard", { job: "paused", scope: "site", state: "paused" }],
      ["job-heard", { job: "some", scope: "site" }],
    ]);
  });

  it("tells in a swarm what others did, and an end only when it lasts", () => {
    const logged: [string, LogFields | undefined][] = [];
    const log = new JobLog({ info: (...line) => void logged.push([line[0], line[1]]) }, false);
    const here = new JobRegistry((...change) => log.changed(...change));
    const there = new JobRegistry();
    there.define(job);
    here.merge(there.get(job).definition);
    there.changeState(job, "pause");
    here.merge(there.get(job).definition);
    there.changeState(job, "resume");
    here.merge(there.get(job).definition);
    const by = "another-member";
    expect(logged).toEqual([
      ["job-heard", { job, scope: "site" }],
      ["job-paused", { job, by }],
      ["job-resumed", { job, by }],
    ]);
    const known: Job = here.get(job);
    log.observe([known], 0);
    log.observe([], 4_999);
    expect(logged).toHaveLength(3);
    log.observe([], 5_000);
    log.observe([], 10_000);
    expect(logged.slice(3).map(([event]) => event)).toEqual(["job-finished-here"]);
  });
});
