import { describe, expect, it } from "vitest";
import { partition } from "../../../sim/world/network-rules.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";
import { jobSpace } from "../../../src/core/record/url-keys.ts";
import type { JobId } from "../../../src/core/units.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

describe("a job of a swarm", () => {
  it("rests at all peers when one pauses it, goes on when another resumes it, and ends when cancelled", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 500 });
      await bench.pass(2_000);
      await bench.peer(1).changeJob(job, "pause");
      // Requests in flight, and news on their way.
      await bench.pass(1_000);
      const atRest = bench.hits.length;
      await bench.pass(10_000);
      expect(bench.hits.length).toBe(atRest);
      await bench.peer(2).changeJob(job, "resume");
      await bench.pass(3_000);
      const after = bench.hits.length;
      expect(after).toBeGreaterThan(atRest);
      expect(after).toBeLessThan(200);
      await bench.peer(0).changeJob(job, "cancel");
      await bench.finished(1);
      const atEnd = bench.hits.length;
      await bench.pass(5_000);
      expect(bench.hits.length).toBe(atEnd);
      const states = bench.peers.map((peer) => peer.job(job).definition.state);
      expect(states).toEqual(["cancelled", "cancelled", "cancelled"]);
    });
  });

  it("is the same everywhere after it was changed at two peers at once", async () => {
    const bench = new SwarmBench(4);
    const definitions = await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 60_000 });
      await bench.pass(1_000);
      const heal = bench.world.network.addRule(partition([0, 1], [2, 3]));
      await Promise.all([
        bench.peer(0).changeJob(job, "pause"),
        bench.peer(3).inject(job, [], { priority: 9 }),
      ]);
      heal();
      await bench.pass(30_000);
      return bench.peers.map((peer) => peer.job(job).definition);
    });
    expect(definitions[0]).toMatchObject({ state: "paused", options: { priority: 9 } });
    for (const definition of definitions) expect(definition).toEqual(definitions[0]);
  });

  it("is found by a peer that has not heard of it, and unknown where nobody has", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      const heal = bench.world.network.addRule(partition([0], [1, 2]));
      await bench.peer(0).inject(job, [], { priority: 9 });
      heal();
      const late = bench.peer(2);
      expect(() => late.job(job)).toThrow("no job");
      expect((await late.findJob(job)).definition.options.priority).toBe(9);
      await bench.peer(1).changeJob(job, "pause");
      const unknown = late.changeJob("no-such-job" as JobId, "pause");
      await expect(unknown).rejects.toMatchObject({ code: "JOB_UNKNOWN" });
    });
  });

  it("keeps its options when a peer is given seeds of it before it has found the swarm", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      const strict = { scope: "host", delayMs: 10_000, exclude: ["/private"] } as const;
      await bench.peer(0).inject(job, [], strict);
      const late = bench.world.addMachine();
      await late.start();
      // As `peer --join --seed` does it.
      await late.peer.inject(job, bench.world.sampleWeb.rootUrls().slice(0, 1));
      await bench.settled();
      await bench.pass(10_000);
      const definitions = bench.peers.map((peer) => peer.job(job).definition);
      for (const { options } of definitions) expect(options).toMatchObject(strict);
      const states = await late.peer.status(bench.world.sampleWeb.rootUrls().slice(0, 1), job);
      expect(states[0]?.state).not.toBe("unknown");
    });
  });

  it("goes on when it is resumed at a peer that is just back and has not heard of the pause", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 5_000 });
      await bench.pass(1_000);
      await bench.machine(2).stop();
      await bench.peer(0).changeJob(job, "pause");
      await bench.machine(2).start();
      await bench.peer(2).changeJob(job, "resume");
      await bench.settled();
      await bench.pass(10_000);
      const states = bench.peers.map((peer) => peer.job(job).definition.state);
      expect(states).toEqual(["running", "running", "running"]);
    });
  });

  it("is neither made nor changed by a peer that finds no swarm, and asked for in vain there", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      bench.world.network.addRule(partition([0, 1], [2]));
      const lost = bench.world.addMachine();
      await lost.start();
      await expect(lost.peer.inject(job, [])).rejects.toMatchObject({ code: "SWARM_BUSY" });
      expect(lost.peer.jobs()).toEqual([]);
      await expect(lost.peer.findJob(job)).rejects.toMatchObject({ code: "JOB_UNKNOWN" });
    });
  });

  it.each(["leave", "stop"] as const)(
    "is not made by a peer that is told to %s while it looks for its swarm",
    async (end) => {
      const bench = new SwarmBench(2);
      await bench.run(async () => {
        await bench.begin();
        bench.world.network.addRule(partition([0, 1], [2]));
        const lost = bench.world.addMachine();
        await lost.start();
        const { peer } = lost;
        const refused = expect(peer.inject(job, [])).rejects.toMatchObject({
          code: "PEER_STOPPED",
        });
        await bench.pass(1_000);
        await peer[end]();
        await refused;
        expect(peer.jobs()).toEqual([]);
      });
    },
  );

  it("is neither paused nor resumed once it was cancelled; cancelling it again is quiet", () => {
    const jobs = new JobRegistry();
    const { id } = jobs.define("job-0").definition;
    const cancelled = jobs.changeState(id, "cancel").definition;
    for (const change of ["pause", "resume"] as const) {
      const refused = expect.objectContaining({ code: "JOB_CANCELLED" }) as Error;
      expect(() => jobs.changeState(id, change)).toThrow(refused);
    }
    expect(jobs.changeState(id, "cancel").definition).toBe(cancelled);
    // What another member tells is no user's wish: it loses, and nobody is told so.
    expect(jobs.merge({ ...cancelled, state: "running", stateRevision: 9 })).toBe(false);
    expect(jobs.get(id).definition).toBe(cancelled);
  });

  it("is not taken from others when it looks like another one", () => {
    const jobs = new JobRegistry();
    const here = jobs.define("job-0");
    const space = jobSpace(here.definition.id);
    const alike = { ...here.definition, id: "another" as JobId };
    // Two names with one number cannot be found in a test's time: the number is given to another name instead.
    Object.defineProperty(here, "definition", { value: alike });
    expect(jobs.merge({ ...alike, id: "job-0" as JobId, revision: 7 })).toBe(false);
    expect(jobs.bySpace(space)?.definition).toEqual(alike);
  });

  it("ends with its number of pages over all peers, and at most a second's more", async () => {
    const bench = new SwarmBench(4);
    const { pages, finished, report } = await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 1_000, pagesMax: 60 });
      await bench.finished(3);
      const report = (await bench.peer(2).swarmStats()).jobs[0];
      await bench.pass(5_000);
      const pages = bench.hits.length;
      return { pages, report, finished: bench.peers.map((peer) => peer.job(job).finished) };
    });
    expect(pages).toBeGreaterThanOrEqual(60);
    // Twelve sites with a request a second each, for the second between two tellings and the request in flight.
    expect(pages).toBeLessThanOrEqual(60 + 2 * 12 + 12);
    expect(report?.counts.pages).toBe(pages);
    expect(finished).toEqual([true, true, true, true]);
  });

  it("stays at its number of pages when members leave, are restarted and join later", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 1_000, pagesMax: 60 });
      await bench.finished(0);
      const pages = bench.hits.length;
      const leave = async (index: number): Promise<void> => {
        await bench.peer(index).leave();
        await bench.machine(index).stop();
        await bench.pass(30_000);
      };
      await leave(2);
      for (const machine of [bench.machine(0), bench.machine(1)]) {
        await machine.stop();
        await bench.pass(5_000);
        await machine.start();
        await bench.settled();
        await bench.pass(20_000);
      }
      expect(bench.hits.length).toBe(pages);
      await bench.world.addMachine().start();
      await bench.settled();
      await bench.pass(20_000);
      // Until it has been told of the others' pages, those that are gone included: one of each site.
      const atLast = bench.hits.length;
      expect(atLast).toBeLessThanOrEqual(pages + 12);
      await leave(0);
      bench.machine(1).powerFailure();
      await bench.pass(120_000);
      expect(bench.hits.length).toBe(atLast);
      expect(bench.peer(3).job(job).finished).toBe(true);
    });
  });
});

describe("the figures of a swarm", () => {
  it("add up, and are the same at every peer", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.finished(0);
      const all = await Promise.all(bench.peers.map((peer) => peer.swarmStats()));
      for (const [at, stats] of all.entries()) {
        expect(stats.members[0]?.peer).toBe(`peer-${at}`);
        expect(stats.members.map(({ peer }) => peer).sort()).toEqual([
          "peer-0",
          "peer-1",
          "peer-2",
        ]);
        expect(stats.silent).toEqual([]);
        expect(stats.jobs[0]).toMatchObject({
          finished: true,
          definition: { state: "finished" },
          counts: { pages: 240, fetched: 240, queued: 0, statuses: { "2xx": 240 } },
        });
        const shares = stats.jobs[0]?.shares ?? [];
        expect(shares.every(({ counts }) => counts.pages > 0)).toBe(true);
      }
      const rows = bench.peer(1).members();
      expect(rows.map(({ id }) => id)).toEqual(["peer-1", "peer-0", "peer-2"]);
      expect(rows.every(({ state, weight }) => state === "active" && weight === 1)).toBe(true);
      expect(rows.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    });
  });

  it("name those who do not answer, and keep what a peer did that has stopped", async () => {
    const bench = new SwarmBench(4);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.finished(0);
      await bench.machine(1).stop();
      await bench.pass(1_000);
      const stopped = await bench.peer(3).swarmStats();
      expect(stopped.silent).toEqual([]);
      expect(stopped.jobs[0]?.counts.pages).toBe(240);
      const past = stopped.jobs[0]?.shares.filter((share) => share.past);
      expect(past?.map(({ peer }) => peer)).toEqual(["peer-1"]);
      bench.machine(2).powerFailure();
      const silent = await bench.peer(3).swarmStats();
      expect(silent.silent).toEqual(["peer-2"]);
      expect(silent.jobs[0]).toMatchObject({ finished: false, counts: { pages: 240 } });
      await bench.machine(1).start();
      await bench.pass(5_000);
      const back = await bench.peer(0).swarmStats();
      const shares = back.jobs[0]?.shares ?? [];
      expect(shares.find(({ peer }) => peer === "peer-1")).not.toHaveProperty("past");
    });
  });

  it("keep what peers did that leave at one moment, of whom each tells the others", async () => {
    const bench = new SwarmBench(6);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.finished(5);
      const leaving = [0, 1, 2, 3].map((index) => bench.machine(index));
      await Promise.all(
        leaving.map(async (machine) => {
          expect(await machine.peer.leave()).toBe(true);
          await machine.stop();
        }),
      );
      const { counts, shares } = (await bench.peer(5).swarmStats()).jobs[0] ?? {};
      const past = shares?.filter((share) => share.past).map(({ peer }) => peer);
      expect(past?.toSorted()).toEqual(["peer-0", "peer-1", "peer-2", "peer-3"]);
      expect(counts).toMatchObject({ pages: 240, fetched: 240 });
    });
  });

  it("count what a cancelled job left queued once, also when its holder dies and comes back", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 1_000 });
      await bench.pass(5_000);
      await bench.peer(0).changeJob(job, "cancel");
      await bench.finished(0);
      await bench.pass(5_000);
      const skipped = async (): Promise<number | undefined> => {
        const { jobs, silent } = await bench.peer(0).swarmStats();
        expect(silent).toEqual([]);
        return jobs[0]?.counts.skipped.cancelled;
      };
      const before = await skipped();
      const { cancelled: ofOne } = bench.peer(2).job(job).counts.skipped;
      expect(ofOne).toBeGreaterThan(0);
      bench.machine(2).powerFailure();
      await bench.pass(120_000);
      expect(await skipped()).toBe(before);
      await bench.machine(2).start();
      await bench.settled();
      await bench.pass(20_000);
      expect(await skipped()).toBe(before);
    });
  });

  it("are told with no more digits than anybody reads, to the log too", async () => {
    const log: unknown[] = [];
    const note = (event: string, details?: unknown): void => void log.push({ event, details });
    const logger = { debug: note, info: note, warn: note, error: note };
    const bench = new SwarmBench(3, {}, {}, (ports) => ({ ...ports, logger }));
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.pass(3_333.3);
      const peer = bench.peer(0);
      const told = JSON.stringify([peer.stats(), peer.members(), await peer.swarmStats(), log]);
      for (const name of ["pagesPerSecond", "arcs-claimed", "arcs-given"]) {
        expect(told).toContain(name);
      }
      expect(told).toMatch(/"share":0\.\d/);
      expect(told).not.toMatch(/\.\d{5}|Ms":\d+\./);
    });
  });

  it("are those of the peer itself where it crawls alone", async () => {
    const bench = new SwarmBench(1);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.finished(0);
      const stats = await bench.peer(0).swarmStats();
      expect(stats.jobs[0]?.counts).toEqual(bench.peer(0).job(job).counts);
      expect(stats.members.length).toBe(1);
      expect(bench.peer(0).members()).toMatchObject([{ id: "peer-0", share: 1 }]);
    });
  });
});
