import { describe, expect, it } from "vitest";
import type { JobId } from "../../../src/core/units.ts";
import type { Peer } from "../../../src/peer/peer.ts";
import { htmlPage } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

const jobs = Array.from({ length: 100 }, (_, number) => `job-${number}` as JobId);
const host = "http://a.example";
const options = { delayMs: 100 };

class JobsBench extends VirtualPeer {
  /** Ranges of the database that have been read. */
  reads = 0;

  constructor() {
    super(() => htmlPage());
    const entries = this.disk.entries.bind(this.disk);
    this.disk.entries = (range, limit) => {
      this.reads += 1;
      return entries(range, limit);
    };
  }

  /** Plays a scene in virtual time with a peer that knows all jobs. */
  play(scene: (peer: Peer) => Promise<unknown>): Promise<unknown> {
    return this.clock.run(
      (async () => {
        const peer = await this.start();
        for (const job of jobs) await peer.inject(job, [], options);
        await scene(peer);
      })(),
    );
  }

  get pages(): string[] {
    return [...this.web.counts().keys()].toSorted();
  }
}

describe("a host that becomes active where there are many jobs", () => {
  it("is looked up for those that have URLs of it, not for each", async () => {
    const bench = new JobsBench();
    await bench.play(async (peer) => {
      const before = bench.reads;
      await peer.inject("job-7" as JobId, [`${host}/7`], options);
      await bench.clock.sleep(10_000);
      expect(bench.pages).toEqual([`${host}/7`]);
      expect(bench.reads - before).toBeLessThan(20);
    });
  });

  it("has the URLs of all of its jobs after a kill", async () => {
    const bench = new JobsBench();
    const asking = jobs.filter((_, number) => number % 30 === 3);
    await bench.play(async (peer) => {
      for (const job of asking) await peer.inject(job, [`${host}/${job}`], options);
      bench.kill();
      await bench.start();
      await bench.clock.sleep(10_000);
    });
    expect(bench.pages).toEqual(asking.map((job) => `${host}/${job}`).toSorted());
    expect(asking.map((job) => bench.peer.job(job).finished)).toEqual(asking.map(() => true));
  });

  it("has those that come while it is looked up", async () => {
    const [first, ...later] = jobs.slice(0, 6);
    for (let afterMs = 0; afterMs < 60; afterMs += 3) {
      const bench = new JobsBench();
      await bench.play(async (peer) => {
        const all = [peer.inject(first ?? ("" as JobId), [`${host}/${first}`], options)];
        for (const job of later) {
          await bench.clock.sleep(afterMs / later.length);
          all.push(peer.inject(job, [`${host}/${job}`], options));
        }
        await Promise.all(all);
        await bench.clock.sleep(10_000);
        const states = jobs.slice(0, 6).map((job) => peer.job(job));
        expect(
          states.filter(({ finished }) => !finished),
          `after ${afterMs} ms`,
        ).toEqual([]);
      });
      expect(bench.pages, `after ${afterMs} ms`).toHaveLength(6);
    }
  });
});
