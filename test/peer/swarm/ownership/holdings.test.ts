import { expect, it } from "vitest";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { circle, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import { Holdings } from "../../../../src/peer/swarm/ownership/holdings.ts";
import { jobSpace } from "../../../../src/core/record/url-keys.ts";
import type { JobId } from "../../../../src/core/units.ts";
import { JobRegistry } from "../../../../src/peer/jobs/job-registry.ts";
import type { Store, StoreOp } from "../../../../src/ports/store.ts";
import { hosts, job, registry, store } from "../answers/queued-rows.ts";
import { storeWith } from "../store-with.ts";

const full = 500;
const none = (): void => undefined;

/** Takes in rows, and has them on disk when it is asked for it. */
class StandInJournal {
  pending = 0;
  written = 0;
  most = 0;

  get full(): boolean {
    return this.pending >= full;
  }

  append(ops: readonly StoreOp[]): Promise<void> {
    this.pending += ops.length;
    this.most = Math.max(this.most, this.pending);
    return Promise.resolve();
  }

  flushed(): Promise<void> {
    this.written += this.pending;
    this.pending = 0;
    return Promise.resolve();
  }
}

/** Of `held` before, with what it does in their order. */
function newHoldings(held: ArcSet) {
  const steps: unknown[] = [];
  const step =
    (name: string) =>
    (...about: unknown[]): Promise<void> => {
      steps.push([name, ...about.map((one) => (one instanceof ArcSet ? one.share : one))]);
      return Promise.resolve();
    };
  const exchange = { load: step("load"), drop: step("drop"), reroute: step("reroute") };
  const parts = {
    frontier: { doubts: { add: step("doubt") } },
    jobs: {
      bySpace: () => job,
      countsQueued: () => true,
      setUnheard: (space: number, count: number) => void steps.push(["set", space, count]),
      addQueued: (_: number, count: number) => void steps.push(["count", count]),
    },
    journal: { append: none, flushed: step("flushed") },
    keeper: { alone: (work: () => Promise<void>) => work(), enter: () => [] },
    mixed: { taken: step("mix"), drop: step("unmix") },
    sequence: { last: 7 },
    territory: { held, take: step("take") },
    exchange: () => exchange,
  };
  const reader = {
    ...store,
    range: (...query: Parameters<typeof store.range>) => {
      if (steps.at(-1) !== "read") steps.push("read");
      return store.range(...query);
    },
  };
  type Parts = ConstructorParameters<typeof Holdings>[1];
  return {
    holdings: new Holdings(reader, parts as unknown as Parts, () => void step("changed")()),
    steps,
  };
}

it("ends to hold arcs when what is queued there is on disk and counted, and nothing of them is sent", async () => {
  const { holdings, steps } = newHoldings(ArcSet.whole);
  await holdings.release(ArcSet.whole, () => steps.push("hand"));
  expect(steps).toEqual([
    ["flushed"],
    "read",
    ["count", -2 * hosts],
    "hand",
    ["unmix", 1],
    ["drop", 1],
    ["reroute"],
    ["changed"],
  ]);
});

it("counts what is new alone, and doubts the hosts of it and of what was held at two places", async () => {
  const part = ArcSet.of([{ from: 0 as RingPosition, to: (circle / 4) as RingPosition }]);
  const { holdings, steps } = newHoldings(part);
  await holdings.take(ArcSet.whole, 50);
  expect(steps.slice(0, 2)).toEqual([["flushed"], "read"]);
  const [, counted] =
    steps
      .map((one) => (Array.isArray(one) ? (one as unknown[]) : []))
      .find(([name]) => name === "count") ?? [];
  expect(counted).toBeLessThan(2 * hosts);
  expect(steps.slice(steps.findIndex((one) => String(one).startsWith("mix")))).toEqual([
    ["mix", 1 - part.share, 7],
    ["doubt", part.share],
    ["doubt", 1, 50],
    ["take", 1 - part.share],
    ["load", 1],
    ["reroute"],
    ["changed"],
  ]);
});

it("counts on disk what is queued in the arcs that are held, of jobs that are about to be known alone", async () => {
  const { holdings, steps } = newHoldings(ArcSet.whole);
  const other = "other" as JobId;
  await holdings.count([job.definition.id, other]);
  expect(steps).toEqual([
    ["flushed"],
    "read",
    ["set", job.space, 2 * hosts],
    ["set", jobSpace(other), 0],
  ]);
  const without = newHoldings(ArcSet.empty);
  await without.holdings.count([job.definition.id]);
  expect(without.steps.at(-1)).toEqual(["set", job.space, 0]);
});

/** Holds nothing yet, of what this store has. */
function taker(from: Store, jobs: JobRegistry, journal = new StandInJournal()): Holdings {
  const exchange = { load: () => Promise.resolve(), reroute: none };
  const parts = {
    frontier: { doubts: { add: none } },
    jobs,
    journal,
    keeper: {
      alone: (work: () => Promise<void>) => work(),
      enter: (rows: readonly object[]) => rows,
    },
    mixed: { taken: none },
    sequence: { last: 0 },
    territory: { held: ArcSet.empty, take: none },
    exchange: () => exchange,
  };
  return new Holdings(from, parts as unknown as ConstructorParameters<typeof Holdings>[1], none);
}

it("waits for the disk while much is to be mended in arcs that are taken", async () => {
  const journal = new StandInJournal();
  await taker(store, registry, journal).take(ArcSet.whole);
  await journal.flushed();
  // A row for each host, and a record for each of its two URLs.
  expect(journal.written).toBe(3 * hosts);
  expect(journal.most).toBeLessThan(2 * full);
  expect(job.counter.queued).toBe(2 * hosts);
});

it("counts nothing of arcs that could not be taken, and all when they are offered again", async () => {
  const jobs = new JobRegistry();
  const { counter } = jobs.define(job.definition.id);
  let readsLeft = 3;
  const failing = storeWith(store, {
    getMany: (keys) => {
      if ((readsLeft -= 1) === 0) return Promise.reject(new Error("too many open files"));
      return store.getMany(keys);
    },
  });
  const holdings = taker(failing, jobs);
  await expect(holdings.take(ArcSet.whole)).rejects.toThrow("too many open files");
  expect(counter.queued).toBe(0);
  await holdings.take(ArcSet.whole);
  expect(counter.queued).toBe(2 * hosts);
});
