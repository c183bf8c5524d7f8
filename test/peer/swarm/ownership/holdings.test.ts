import { expect, it } from "vitest";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { Holdings } from "../../../../src/peer/swarm/ownership/holdings.ts";
import type { StoreOp } from "../../../../src/ports/store.ts";
import { hosts, job, registry, store } from "../answers/queued-rows.ts";

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

it("waits for the disk while much is to be mended in arcs that are taken", async () => {
  const journal = new StandInJournal();
  const exchange = { load: () => Promise.resolve(), reroute: none };
  const parts = {
    frontier: { doubts: { add: none } },
    jobs: registry,
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
  const holdings = new Holdings(
    store,
    parts as unknown as ConstructorParameters<typeof Holdings>[1],
    none,
  );
  await holdings.take(ArcSet.whole);
  await journal.flushed();
  // A row for each host, and a record for each of its two URLs.
  expect(journal.written).toBe(3 * hosts);
  expect(journal.most).toBeLessThan(2 * full);
  expect(job.counter.queued).toBe(2 * hosts);
});
