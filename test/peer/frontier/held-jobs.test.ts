import { describe, expect, it } from "vitest";
import { tagOf, type KeyTag } from "../../../src/core/record/key-tags.ts";
import { tagRange } from "../../../src/core/record/key-ranges.ts";
import type { JobId } from "../../../src/core/units.ts";
import type { JobChange } from "../../../src/ports/peer-control.ts";
import { htmlPage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const forever = new AbortController().signal;
const next = "next" as JobId;
const hosts = 30;
const perHost = 4;
const seeds = Array.from({ length: hosts * perHost }, (_, at) => {
  return `http://a${at % hosts}.example/${Math.floor(at / hosts)}`;
});

/** A peer with fewer places than the job has hosts. */
class HeldBench extends VirtualPeer {
  /** Parts of the database that have been read, by the first byte of their keys. */
  #reads: (KeyTag | undefined)[] = [];

  constructor() {
    super(() => htmlPage(), { frontier: { activeHostsMax: 10, headUrlsMax: 5_000 } });
    const entries = this.disk.entries.bind(this.disk);
    this.disk.entries = (range, limit) => {
      this.#reads.push(tagOf(range.gte));
      return entries(range, limit);
    };
  }

  rows(tag: KeyTag): number {
    return this.disk.entries(tagRange(tag)).length;
  }

  /** How often queues are read while that goes on. */
  async queueReads(scene: () => Promise<unknown>): Promise<number> {
    this.#reads = [];
    await scene();
    return this.#reads.filter((tag) => tag === "queue").length;
  }

  /** Queues all URLs, of which none is fetched before that. */
  async hold(change: JobChange): Promise<void> {
    const peer = await this.start();
    await this.inject(seeds, { delayMs: 60_000 });
    await peer.changeJob(testJob, change);
    await this.clock.sleep(200_000);
  }

  async restart(): Promise<void> {
    this.kill();
    await this.start();
    await this.clock.sleep(5_000);
  }
}

describe("a cancelled job", () => {
  it("has no host that a start would find, though all that it had queued is told of", async () => {
    const bench = new HeldBench();
    await bench.clock.run(
      (async () => {
        await bench.hold("cancel");
        expect([bench.rows("waiting"), bench.peer.stats().activeHosts]).toEqual([0, 0]);
        expect(await bench.queueReads(() => bench.restart())).toBe(0);
        const { fetched, skipped } = bench.peer.job(testJob).counts;
        expect(fetched + (skipped.cancelled ?? 0)).toBe(seeds.length);
        const statuses = await bench.peer.status(seeds);
        const left = statuses.filter(({ reason }) => reason === "cancelled");
        expect(left.length).toBe(skipped.cancelled);
        expect(left.length).toBeGreaterThan(0);
      })(),
    );
  });

  it("leaves its hosts to the jobs that come to them later, through a kill", async () => {
    const bench = new HeldBench();
    await bench.clock.run(
      (async () => {
        await bench.hold("cancel");
        await bench.peer.inject(next, ["http://a0.example/later", "http://a0.example/last"], {
          delayMs: 30_000,
        });
        expect(bench.rows("waiting")).toBe(1);
        await bench.restart();
        await bench.peer.jobFinished(next, forever);
      })(),
    );
    expect(bench.peer.job(next).counts).toMatchObject({ pages: 2, queued: 0 });
    expect(bench.rows("waiting")).toBe(0);
  });
});

describe("a host whose job is cancelled", () => {
  it("keeps what another job brings to it at that moment, through a kill", async () => {
    let cancelled: Promise<unknown> | undefined;
    const target = "http://a.example/target";
    const bench = new VirtualPeer((url) => {
      if (url !== "http://b.example/") return htmlPage();
      cancelled = bench.peer.changeJob(testJob, "cancel");
      return { status: 302, headers: { location: target } };
    });
    await bench.clock.run(
      (async () => {
        const peer = await bench.start();
        await bench.inject(["http://a.example/1", "http://a.example/2"], { delayMs: 60_000 });
        await bench.clock.sleep(5_000);
        // What ends without a page makes room for another request: then all hosts are looked at.
        await peer.inject(next, ["http://b.example/"], { scope: "any", pagesMax: 1, delayMs: 0 });
        await bench.clock.sleep(1_000);
        await cancelled;
        bench.kill();
        await bench.start();
        await bench.clock.sleep(120_000);
      })(),
    );
    expect(bench.web.counts().get(target)).toBe(1);
    expect(bench.peer.job(next).counts).toMatchObject({ pages: 1, queued: 0 });
  });
});

describe("a job that is paused", () => {
  it("keeps its hosts through a kill, looks each up once, and goes on with all when it is resumed", async () => {
    const bench = new HeldBench();
    await bench.clock.run(
      (async () => {
        await bench.hold("pause");
        expect(bench.rows("waiting")).toBe(hosts);
        // Each has a look for its job, and one for another behind that.
        expect(await bench.queueReads(() => bench.restart())).toBeLessThanOrEqual(2 * hosts);
        await bench.peer.changeJob(testJob, "resume");
        await bench.peer.jobFinished(testJob, forever);
      })(),
    );
    expect(bench.peer.job(testJob).counts).toMatchObject({ pages: seeds.length, queued: 0 });
    expect(bench.rows("waiting")).toBe(0);
  });

  it("keeps no host of which it has nothing", async () => {
    const bench = new HeldBench();
    await bench.clock.run(
      (async () => {
        await bench.hold("pause");
        await bench.peer.inject(next, ["http://b0.example/", "http://b1.example/"], {
          delayMs: 30_000,
        });
        await bench.restart();
        await bench.peer.jobFinished(next, forever);
        await bench.clock.sleep(1_000);
      })(),
    );
    expect(bench.rows("waiting")).toBe(hosts);
  });
});
