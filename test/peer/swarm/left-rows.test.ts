import { describe, expect, it } from "vitest";
import { jobsMax } from "../../../src/core/jobs/job-definition.ts";
import { jobSpace, urlKey } from "../../../src/core/record/url-keys.ts";
import { outboxKey } from "../../../src/core/record/outbox-key.ts";
import { ringPosition } from "../../../src/core/record/host-keys.ts";
import { OutboxEntry } from "../../../src/core/record/record.pb.ts";
import { positionOf } from "../../../src/core/ring/ring-position.ts";
import type { JobId, SiteName } from "../../../src/core/units.ts";
import { defaultSwarmOptions } from "../../../src/peer/swarm/swarm-options.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const later = "later" as JobId;
const target = "http://elsewhere.example/";

/** Two members, the first of which sends rows of the outbox to the second. */
class LeftRowsBench extends SwarmBench {
  #sites = 0;

  constructor(pendingMax: number, rowsMax: number) {
    super(2, {}, { exchange: { ...defaultSwarmOptions.exchange, pendingMax, rowsMax } });
  }

  /** A site that the second member holds. */
  #site(): SiteName {
    for (;;) {
      this.#sites += 1;
      const site = `site-${this.#sites}.example` as SiteName;
      if (this.peer(1).swarm?.territory.holds(positionOf(site)) === true) return site;
    }
  }

  /** Rows of pages of as many sites; `keyJob`: that of their keys, `nameOf`: what tells their URLs apart. */
  async bring(count: number, entryJob: JobId, keyJob: JobId, nameOf = (n: number) => n) {
    const value = OutboxEntry.encode({ url: target, depth: 0, redirectChain: [], job: entryJob });
    const rows = Array.from({ length: count }, (_, n) => {
      const words = Uint32Array.of(nameOf(n), 1, 2, 3);
      const link = urlKey("url", 0n, words, 0, jobSpace(keyJob));
      return { key: outboxKey(ringPosition(this.#site()), link), value };
    });
    await this.peer(0).swarm?.calls.rows(this.machine(1).id, rows);
  }

  /** Rows of one page, each of a job that there is not. */
  async bringMadeUp(count: number): Promise<void> {
    const position = ringPosition(this.#site());
    const rows = Array.from({ length: count }, (_, n) => {
      const madeUp = `made-up-${n}` as JobId;
      const link = urlKey("url", 0n, Uint32Array.of(n, 2, 3, 4), 0, jobSpace(madeUp));
      const entry = { url: target, depth: 0, redirectChain: [], job: madeUp };
      return { key: outboxKey(position, link), value: OutboxEntry.encode(entry) };
    });
    await this.peer(0).swarm?.calls.rows(this.machine(1).id, rows);
  }

  get exchange() {
    return this.peer(1).swarm?.exchange;
  }
}

describe("rows of the outbox that another member makes up", () => {
  it("count for no job but their own, and keep nobody from it", async () => {
    const bench = new LeftRowsBench(100, 1_000);
    await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, [], { scope: "any" });
      await bench.pass(1_000);
      await bench.bring(150, later, job);
      await bench.pass(5_000);
      expect(bench.exchange).toMatchObject({ pending: 0, full: false });
      await bench.inject(0);
      await bench.finished(1);
      expect(bench.peer(0).job(job)).toMatchObject({ finished: true });
    });
  });

  it("stay on disk where there are too many of jobs that nobody knows, until one is known", async () => {
    const bench = new LeftRowsBench(100, 1_000);
    await bench.run(async () => {
      await bench.begin();
      await bench.bring(1_500, later, later);
      expect(bench.exchange).toMatchObject({ pending: 1_000 });
      await bench.peer(0).inject(later, [], { scope: "any" });
      await bench.peer(1).inject(later, [], { scope: "any" });
      expect(bench.exchange?.pendingOf(jobSpace(later))).toBeGreaterThan(0);
      await bench.peer(1).jobFinished(later, new AbortController().signal);
      expect(bench.exchange).toMatchObject({ pending: 0 });
      expect(await rowsLeft(bench)).toBe(0);
    });
  });

  it("keep no row of a job that is known later from its owner, however many jobs are made up", async () => {
    const bench = new LeftRowsBench(100, 10);
    await bench.run(async () => {
      await bench.begin();
      await bench.bringMadeUp(jobsMax + 10);
      await bench.bring(5, later, later);
      await bench.peer(0).inject(later, [], { scope: "any" });
      await bench.peer(1).inject(later, [], { scope: "any" });
      await bench.peer(1).jobFinished(later, new AbortController().signal);
      // There is no such host.
      const failed = bench.peers.map((peer) => peer.job(later).counts.failed);
      expect(failed.toSorted()).toEqual([0, 1]);
    });
  });

  it("wait for their URL, however many bring the same one", async () => {
    const bench = new LeftRowsBench(10_000, 10_000);
    await bench.run(async () => {
      await bench.begin();
      const { swarm } = bench.peer(1);
      if (!swarm) throw new Error("the peer has no swarm");
      await bench.bring(500, later, later, () => 7);
      expect(swarm.exchange.pending).toBe(1);
      await bench.peer(0).inject(later, [], { scope: "any" });
      await bench.peer(1).jobFinished(later, new AbortController().signal);
      expect(await rowsLeft(bench)).toBe(0);
    });
  });
});

/** URLs that the second member's outbox has on disk still, after a while. */
async function rowsLeft(bench: LeftRowsBench): Promise<number> {
  await bench.pass(10_000);
  const { exchange, territory } = bench.peer(1).swarm ?? {};
  if (!exchange || !territory) throw new Error("the peer has no swarm");
  await exchange.load(territory.held);
  return exchange.pending;
}
