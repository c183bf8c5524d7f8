import { describe, expect, it } from "vitest";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import { countQueued, takeCensus } from "../../../../src/peer/swarm/ownership/queue-census.ts";
import { QueueBundle } from "../../../../src/core/record/queue-bundle.ts";
import type { StoreOp } from "../../../../src/ports/store.ts";
import { hosts, job, queueRow, registry, store, storeOf } from "../answers/queued-rows.ts";

describe("takeCensus", () => {
  it("hands over what is to be written bit by bit, for each host once", async () => {
    let [most, waiting, missing, count] = [0, 0, 0, 0];
    await takeCensus(store, registry, ArcSet.whole, (look) => {
      waiting += look.waiting.length;
      missing += look.missing.length;
      most = Math.max(most, look.waiting.length + look.outdated.length + look.missing.length);
      expect([...look.counts.keys()]).toEqual([job.space]);
      count += look.counts.get(job.space) ?? 0;
      return Promise.resolve();
    });
    expect(count).toBe(2 * hosts);
    expect([waiting, missing]).toEqual([hosts, 2 * hosts]);
    expect(most).toBeLessThan(400);
  });
});

describe("the queue of a cancelled job", () => {
  it("is counted, and needs no row by which a frontier finds its hosts", async () => {
    const jobs = new JobRegistry();
    const { id } = jobs.define(job.definition.id).definition;
    jobs.changeState(id, "cancel");
    const waiting: StoreOp[] = [];
    let count = 0;
    await takeCensus(store, jobs, ArcSet.whole, (look) => {
      waiting.push(...look.waiting);
      count += look.counts.get(job.space) ?? 0;
      return Promise.resolve();
    });
    expect(count).toBe(2 * hosts);
    expect(waiting).toEqual([]);
  });
});

describe("a queue with a URL twice", () => {
  it("keeps the first entry of it, and of each other URL the only one", async () => {
    const urls = (n: number): string[] => [`http://a.example/${n}`, `http://a.example/${n + 1}`];
    const [first, second, third] = [1, 2, 2].map((n, at) => queueRow("a.example", at + 1, urls(n)));
    const other = queueRow("b.example", 9, ["http://b.example/1"]);
    const rows = [first, second, third, other].flatMap((row) => row ?? []);
    const written: StoreOp[] = [];
    const found: unknown[] = [];
    await takeCensus(storeOf(rows), registry, ArcSet.whole, ({ allCounts, counts, outdated }) => {
      written.push(...outdated);
      found.push(counts.get(job.space), allCounts.get(job.space));
      return Promise.resolve();
    });
    expect(found).toEqual([4, 7]);
    const marked = second && QueueBundle.mark(second.value, 1);
    expect(written).toEqual([
      { type: "put", key: second?.key, value: marked },
      { type: "del", key: third?.key },
    ]);
  });
});

describe("an entry that is taken out of its row", () => {
  it("is no URL of which a record is missing: it would be called queued, and never be fetched", async () => {
    const row = queueRow("a.example", 1, ["http://a.example/1", "http://a.example/2"]);
    const missing: number[] = [];
    for (const value of [row.value, QueueBundle.mark(row.value, 1)]) {
      await takeCensus(storeOf([{ ...row, value }]), registry, ArcSet.whole, (look) => {
        missing.push(look.missing.length);
        return Promise.resolve();
      });
    }
    expect(missing).toEqual([2, 1]);
  });
});

describe("countQueued", () => {
  it("counts what is queued of the jobs that are asked about", async () => {
    const counted = (isAsked: boolean) => countQueued(store, ArcSet.whole, () => isAsked);
    expect(await counted(true)).toEqual(new Map([[job.space, 2 * hosts]]));
    expect(await counted(false)).toEqual(new Map());
  });
});
