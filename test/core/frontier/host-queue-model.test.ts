import fc from "fast-check";
import { expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import type { QueuedUrl } from "../../../src/core/frontier/queued-url.ts";
import type { RefillTicket } from "../../../src/core/frontier/job-queue.ts";
import { keyOf } from "../../../src/core/record/id-of.ts";
import type { JobId } from "../../../src/core/units.ts";
import { byId, jobA, jobB, queued, rowsOf } from "./queue-model.ts";

/** A change of the database that is on its way: a row's value, or its deletion. */
interface PendingWrite {
  readonly url: QueuedUrl;
  readonly deletion: boolean;
}

interface Scan {
  readonly ticket: RefillTicket;
  rows: QueuedUrl[] | undefined;
}

/**
 * A queue beside the database that it is the head of. Writes are made at once or later, in order; a scan reads after
 * everything that was added before it began, and delivers later still.
 */
class World {
  readonly queue: HostQueue;
  /** Rows as a scan sees them. */
  readonly #table = new Map<string, QueuedUrl>();
  #pending: PendingWrite[] = [];
  /** Rows that scans see already, though the queue has not been told of them. */
  #unannounced: QueuedUrl[] = [];
  readonly #leases: QueuedUrl[] = [];
  readonly #scans = new Map<JobId, Scan>();
  /** Entries that are still to be done: what must come out of the queue, once. */
  readonly live = new Map<string, QueuedUrl>();
  #sequence = 0;
  headMax: number;

  constructor(headMax: number) {
    this.headMax = headMax;
    this.queue = new HostQueue(headMax);
  }

  setHeadMax(headMax: number): void {
    this.headMax = headMax;
    this.queue.setHeadMax(headMax);
  }

  /** A former process left this. */
  foundOnDisk(job: JobId, priorities: readonly number[]): void {
    for (const priority of priorities) {
      const url = this.#newUrl(job, priority);
      this.#table.set(url.entry.url, url);
    }
    this.queue.expectOnDisk(job);
  }

  add(job: JobId, priority: number): void {
    const url = this.#newUrl(job, priority);
    this.#pending.push({ url, deletion: false });
    this.#tell(url);
  }

  /** A write that scans may see some time before it resolves, and the queue is told then. */
  write(job: JobId, priority: number): void {
    const url = this.#newUrl(job, priority);
    this.#table.set(url.entry.url, url);
    this.#unannounced.push(url);
  }

  announce(): void {
    for (const url of this.#unannounced) this.#tell(url);
    this.#unannounced = [];
  }

  /** As the frontier does: what would be left to a refill is not even made. */
  #tell(url: QueuedUrl): void {
    if (!this.queue.isLeft(url.job, keyOf(url.id))) this.queue.add(url);
  }

  take(): void {
    const url = this.queue.take(() => true);
    if (url === undefined) {
      expect(this.queue.heldCount).toBe(0);
      return;
    }
    expect(this.#leases.some((lease) => lease.entry.url === url.entry.url)).toBe(false);
    expect(url.entry.attempts).toBe(this.live.get(url.entry.url)?.entry.attempts);
    this.#leases.push(url);
  }

  putBack(choice: number): void {
    const url = this.#endLease(choice);
    if (url === undefined) return;
    const again = { ...url, entry: { ...url.entry, attempts: url.entry.attempts + 1 } };
    this.live.set(again.entry.url, again);
    this.#pending.push({ url: again, deletion: false });
    this.queue.putBack(again);
  }

  settle(choice: number): void {
    const url = this.#endLease(choice);
    if (url === undefined) return;
    this.live.delete(url.entry.url);
    this.#pending.push({ url, deletion: true });
    this.queue.settle(url);
  }

  /** The first `count` writes become visible and durable. */
  commit(count: number): void {
    this.announce();
    const written = this.#pending.slice(0, count);
    this.#pending = this.#pending.slice(count);
    for (const { url, deletion } of written) {
      if (deletion) this.#table.delete(url.entry.url);
      else this.#table.set(url.entry.url, url);
    }
    for (const { url, deletion } of written) if (deletion) this.queue.committed(url);
  }

  beginScan(choice: number): void {
    const needed = this.queue.refillsNeeded();
    const job = needed[choice % Math.max(1, needed.length)];
    if (job === undefined) return;
    const ticket = this.queue.beginRefill(job);
    // What was added before is flushed before the scan; deletions may come later.
    this.commit(this.#pending.findLastIndex((write) => !write.deletion) + 1);
    this.#scans.set(job, { ticket, rows: undefined });
  }

  /** The scan's view is taken. */
  readScan(job: JobId): void {
    const scan = this.#scans.get(job);
    if (scan !== undefined) scan.rows ??= rowsOf(this.#table, job);
  }

  endScan(job: JobId, limit: number, fromStart: boolean): void {
    const scan = this.#scans.get(job);
    if (scan === undefined) return;
    this.readScan(job);
    const rows = (scan.rows ?? []).filter((url) => fromStart || url.id > scan.ticket.after);
    this.#scans.delete(job);
    this.queue.refill(scan.ticket, rows.slice(0, limit), rows.length <= limit);
  }

  /** Every live entry comes out by taking and refilling, each once. */
  drain(): void {
    this.announce();
    while (this.#leases.length > 0) this.settle(0);
    for (const job of [jobA, jobB]) this.endScan(job, 1_000, false);
    for (let round = 0; this.live.size > 0; round += 1) {
      expect(round).toBeLessThan(10_000);
      this.take();
      this.settle(0);
      this.beginScan(round);
      for (const job of [jobA, jobB]) this.endScan(job, 3, false);
    }
    this.commit(this.#pending.length);
    while (this.queue.refillsNeeded().length > 0) {
      this.beginScan(0);
      for (const job of [jobA, jobB]) this.endScan(job, 1_000, false);
    }
    expect(this.queue.hasWork).toBe(false);
    expect(this.queue.heldCount).toBe(0);
    expect(this.queue.pendingCount).toBe(0);
  }

  #newUrl(job: JobId, priority: number): QueuedUrl {
    this.#sequence += 1;
    const url = queued(job, priority, this.#sequence);
    this.live.set(url.entry.url, url);
    return url;
  }

  #endLease(choice: number): QueuedUrl | undefined {
    const [url] = this.#leases.splice(choice % Math.max(1, this.#leases.length), 1);
    return url;
  }
}

const job = fc.constantFrom(jobA, jobA, jobA, jobB);
const priority = fc.nat(4);
const choice = fc.nat(100);

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("add" as const), job, priority }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("write" as const), job, priority }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("announce" as const) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("take" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("putBack" as const), choice }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("settle" as const), choice }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("commit" as const), count: fc.nat(4) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("beginScan" as const), choice }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("readScan" as const), job }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("setHeadMax" as const),
      headMax: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("endScan" as const),
      job,
      limit: fc.nat(5),
      fromStart: fc.boolean(),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function perform(world: World, made: Step): void {
  switch (made.do) {
    case "add":
      world.add(made.job, made.priority);
      break;
    case "write":
      world.write(made.job, made.priority);
      break;
    case "announce":
      world.announce();
      break;
    case "take":
      world.take();
      break;
    case "putBack":
      world.putBack(made.choice);
      break;
    case "settle":
      world.settle(made.choice);
      break;
    case "commit":
      world.commit(made.count);
      break;
    case "beginScan":
      world.beginScan(made.choice);
      break;
    case "readScan":
      world.readScan(made.job);
      break;
    case "setHeadMax":
      world.setHeadMax(made.headMax);
      break;
    case "endScan":
      world.endScan(made.job, made.limit, made.fromStart);
      break;
  }
}

it("hands out every entry of the database once, however writes and scans are interleaved", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.array(priority, { maxLength: 12 }),
      fc.array(step, { maxLength: 150, size: "max" }),
      (headMax, onDisk, steps) => {
        const world = new World(headMax);
        world.foundOnDisk(jobA, onDisk);
        for (const made of steps) {
          perform(world, made);
          expect(world.queue.heldCount).toBeLessThanOrEqual(2 * world.headMax);
        }
        world.drain();
      },
    ),
    { numRuns: 300 },
  );
});

it("hands out the entries of a job in the order of their keys where nothing else happens", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(priority, { maxLength: 30 }),
      (headMax, priorities) => {
        const world = new World(headMax);
        for (const value of priorities) world.add(jobA, value);
        const expected = [...world.live.values()].sort(byId);
        const served: QueuedUrl[] = [];
        for (let round = 0; round < 2 * expected.length; round += 1) {
          const url = world.queue.take(() => true);
          if (url !== undefined) served.push(url);
          world.beginScan(0);
          world.endScan(jobA, 2, false);
        }
        expect(served).toEqual(expected);
      },
    ),
  );
});
