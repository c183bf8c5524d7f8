import { describe, expect, it } from "vitest";
import type { SampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import { TrueGraph } from "../../../sim/sample-web/true-graph.ts";
import { peerFactory } from "../../../sim/world/peer-factory.ts";
import type { VirtualHit } from "../../../sim/world/virtual-web.ts";
import { World, type WorldOptions } from "../../../sim/world/world.ts";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { JobId } from "../../../src/core/units.ts";
import type { Peer } from "../../../src/peer/peer.ts";

const job = "test" as JobId;
const sampleWeb: Partial<SampleWebOptions> = { sites: 8, totalPages: 400, slowMs: 50 };
const dayMs = 86_400_000;

/** One machine that crawls the whole web, and every hit of it. */
class CrawlBench {
  readonly world: World<Peer>;
  readonly hits: VirtualHit[] = [];

  constructor(options: Partial<WorldOptions> = {}) {
    this.world = new World(peerFactory(), { sampleWeb, ...options });
    this.world.web.onHit((hit) => this.hits.push(hit));
    this.world.addMachine();
  }

  get machine() {
    const [machine] = this.world.machines;
    if (machine === undefined) throw new Error("no machine");
    return machine;
  }

  async begin(): Promise<Peer> {
    const peer = await this.machine.start();
    const options = { ...defaultJobOptions, scope: "any", delayMs: 100 } as const;
    await peer.inject(job, [this.world.sampleWeb.rootUrl(0)], options);
    return peer;
  }

  finished(): Promise<void> {
    return this.machine.peer.jobFinished(job, new AbortController().signal);
  }

  /** Pages without a final answer, and the requests made after one. */
  verdict(): { readonly lost: number; readonly again: number } {
    const { sampleWeb: web } = this.world;
    const graph = new TrueGraph(web, { seeds: [web.rootUrl(0)] });
    const answered = new Set<number>();
    let again = 0;
    for (const { page, status } of this.hits) {
      if (answered.has(page)) again += 1;
      const kind = page < 0 ? undefined : web.kindOf(page);
      const isFinal = status > 0 && status !== 429 && status < 500;
      if (kind === "failing" || kind === "reset" || !isFinal || page < 0) continue;
      answered.add(page);
    }
    const must = [...graph.ids("must")].filter((id) => {
      const kind = web.kindOf(id);
      return kind !== "failing" && kind !== "reset";
    });
    return { lost: must.filter((id) => !answered.has(id)).length, again };
  }
}

describe("a virtual machine", () => {
  it("lets the peer crawl the whole web, each page once", async () => {
    const bench = new CrawlBench();
    await bench.world.run(
      (async () => {
        await bench.begin();
        await bench.finished();
        await bench.machine.stop();
      })(),
      dayMs,
    );
    expect(bench.verdict()).toEqual({ lost: 0, again: 0 });
    expect(bench.machine.isUp).toBe(false);
    expect(bench.world.failures).toEqual([]);
  });

  it("loses no page through kills and stops, and counts what it fetched again", async () => {
    const bench = new CrawlBench({ clockOffsetMaxMs: 90_000, clockDriftMaxPpm: 500 });
    await bench.world.run(
      (async () => {
        await bench.begin();
        for (const ms of [700, 2_100, 4_000, 1_300]) {
          await bench.world.clock.sleep(ms);
          bench.machine.kill();
          await bench.machine.start();
        }
        await bench.machine.stop();
        await bench.machine.start();
        await bench.finished();
      })(),
      dayMs,
    );
    const { lost, again } = bench.verdict();
    expect(lost).toBe(0);
    const { counts } = bench.machine.peer.job(job);
    expect(again).toBeLessThanOrEqual(counts.duplicateFetches);
    expect(bench.machine.generation).toBe(6);
    expect(new Set(bench.hits.map(({ generation }) => generation)).size).toBeGreaterThan(3);
    expect(bench.world.failures).toEqual([]);
  });

  it("loses no page through power failures", async () => {
    const bench = new CrawlBench({ machine: { diskTimes: { stallRate: 0.02, stallMs: 500 } } });
    await bench.world.run(
      (async () => {
        await bench.begin();
        for (const ms of [700, 2_100, 4_000]) {
          await bench.world.clock.sleep(ms);
          bench.machine.powerFailure();
          await bench.machine.start();
        }
        await bench.finished();
      })(),
      dayMs,
    );
    expect(bench.verdict().lost).toBe(0);
  });

  it("does nothing while it stands still, and loses nothing by it", async () => {
    const bench = new CrawlBench();
    await bench.world.run(
      (async () => {
        await bench.begin();
        for (const ms of [1_000, 20_000]) {
          await bench.world.clock.sleep(2_000);
          bench.machine.standStill();
          await bench.world.clock.sleep(1_000);
          // What was on its way when it stopped has arrived by now.
          const { length } = bench.hits;
          const { bytesWritten } = bench.machine.disk;
          await bench.world.clock.sleep(ms);
          expect(bench.hits).toHaveLength(length);
          expect(bench.machine.disk.bytesWritten).toBe(bytesWritten);
          bench.machine.goOn();
        }
        await bench.finished();
      })(),
      dayMs,
    );
    expect(bench.verdict()).toEqual({ lost: 0, again: 0 });
    expect(bench.world.failures).toEqual([]);
  });

  it("knows nothing any more when its disk is wiped", async () => {
    const bench = new CrawlBench();
    await bench.world.run(
      (async () => {
        await bench.begin();
        await bench.world.clock.sleep(2_000);
        expect(() => bench.machine.wipe()).toThrow("under a running process");
        bench.machine.kill();
        bench.machine.wipe();
        const peer = await bench.machine.start();
        expect(peer.jobs()).toEqual([]);
      })(),
      dayMs,
    );
  });

  it("is silent from the moment of its kill", async () => {
    const bench = new CrawlBench();
    await bench.world.run(
      (async () => {
        await bench.begin();
        await bench.world.clock.sleep(3_000);
        bench.machine.kill();
        await bench.world.clock.sleep(1_000);
        const { length } = bench.hits;
        const { bytesWritten } = bench.machine.disk;
        await bench.world.clock.sleep(600_000);
        expect(bench.hits).toHaveLength(length);
        expect(bench.machine.disk.bytesWritten).toBe(bytesWritten);
        expect(bench.world.clock.sleepers).toBe(0);
      })(),
      dayMs,
    );
  });

  it("tells of a peer whose disk is full, and of a start that a kill overtakes", async () => {
    const bench = new CrawlBench();
    await bench.world.run(
      (async () => {
        const peer = await bench.begin();
        bench.machine.disk.full = true;
        expect(await peer.failed).toMatchObject({ code: "DISK_FULL" });
        expect(bench.world.failures).toMatchObject([{ peer: "peer-0", generation: 1 }]);
        bench.machine.kill();
        bench.machine.disk.full = false;
        const start = bench.machine.start();
        bench.machine.kill();
        await expect(start).rejects.toThrow("ended meanwhile");
        await bench.machine.start();
      })(),
      dayMs,
    );
  });

  it("takes the same course for the same seed, and another for another", async () => {
    const traceOf = async (seed: number): Promise<bigint> => {
      const bench = new CrawlBench({ seed, sampleWeb: { sites: 3, totalPages: 90 } });
      await bench.world.run(
        (async () => {
          await bench.begin();
          await bench.finished();
        })(),
        dayMs,
      );
      return bench.world.trace.value;
    };
    const first = await traceOf(5);
    expect(await traceOf(5)).toBe(first);
    expect(await traceOf(6)).not.toBe(first);
  });
});
