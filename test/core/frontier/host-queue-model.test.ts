import fc from "fast-check";
import { expect, it } from "vitest";
import { HostQueue } from "../../../src/core/frontier/host-queue.ts";
import { QueuedRow } from "../../../src/core/frontier/queued-row.ts";
import type { QueuedUrl, StoredRow } from "../../../src/core/frontier/queued-row.ts";
import type { RefillTicket } from "../../../src/core/frontier/job-queue.ts";
import { compareKeys } from "../../../src/core/record/compare-keys.ts";
import { idOf } from "../../../src/core/record/id-of.ts";
import type { JobId } from "../../../src/core/units.ts";
import { byId, jobA, jobB, storedRow } from "./queue-model.ts";

interface RowShape {
  readonly priority: number;
  readonly urls: number;
}

/** A change of the database that is on its way: a row's value, or its deletion. */
interface PendingWrite {
  readonly rowId: string;
  readonly row: StoredRow | undefined;
  /** What leaves the queue by it. */
  readonly settled?: QueuedUrl;
}

interface Scan {
  readonly ticket: RefillTicket;
  rows: StoredRow[] | undefined;
}

/**
 * A queue beside the database that it is the head of. Writes are made at once or later, in order; a scan reads after
 * everything that was added before it began, and delivers later still.
 */
class World {
  readonly queue: HostQueue;
  /** Rows as a scan sees them. */
  readonly #table = new Map<string, StoredRow>();
  #pending: PendingWrite[] = [];
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

  /** A former process left these. */
  foundOnDisk(job: JobId, rows: readonly RowShape[]): void {
    for (const shape of rows) {
      const row = this.#newRow(job, shape);
      this.#table.set(idOf(row.key), row);
    }
    this.queue.expectOnDisk(job);
  }

  /** As the frontier does: what would be left to a refill is not even made. */
  add(job: JobId, shape: RowShape): void {
    const row = this.#newRow(job, shape);
    this.#pending.push({ rowId: idOf(row.key), row });
    if (this.queue.isLeft(job, row.key)) return;
    for (const url of QueuedRow.urlsOf(row)) this.queue.add(url);
  }

  take(): void {
    const url = this.queue.take(() => true);
    if (url === undefined) {
      expect(this.queue.heldCount).toBe(0);
      return;
    }
    expect(this.#leases.some((lease) => lease.id === url.id)).toBe(false);
    expect(url.entry).toEqual(this.live.get(url.id)?.entry);
    this.#leases.push(url);
  }

  putBack(choice: number): void {
    const url = this.#endLease(choice);
    if (url) this.queue.putBack(url);
  }

  settle(choice: number): void {
    const url = this.#endLease(choice);
    if (url === undefined) return;
    this.live.delete(url.id);
    const { id: rowId, key } = url.row;
    const value = url.row.take(url);
    const row = value && { key, value, job: url.job };
    this.#pending.push({ rowId, row, settled: url });
    this.queue.settle(url);
  }

  /** The first `count` writes become visible and durable. */
  commit(count: number): void {
    const written = this.#pending.slice(0, count);
    this.#pending = this.#pending.slice(count);
    for (const { rowId, row } of written) {
      if (row) this.#table.set(rowId, row);
      else this.#table.delete(rowId);
    }
    for (const { settled } of written) if (settled) this.queue.committed(settled);
    this.#checkTable();
  }

  beginScan(choice: number): void {
    const needed = this.queue.refillsNeeded();
    const job = needed[choice % Math.max(1, needed.length)];
    if (job === undefined) return;
    const ticket = this.queue.beginRefill(job);
    // What was added before is flushed before the scan; what leaves may leave later.
    this.commit(this.#pending.findLastIndex((write) => !write.settled) + 1);
    this.#scans.set(job, { ticket, rows: undefined });
  }

  /** The scan's view is taken. */
  readScan(job: JobId): void {
    const scan = this.#scans.get(job);
    if (scan !== undefined) scan.rows ??= this.#rowsOf(job);
  }

  endScan(job: JobId, limit: number, fromStart: boolean): void {
    const scan = this.#scans.get(job);
    if (scan === undefined) return;
    this.readScan(job);
    // Of the row in which the scan begins, everything may have been read before.
    const from = fromStart ? "" : scan.ticket.after.slice(0, -1);
    const rows = (scan.rows ?? []).filter(({ key }) => idOf(key) >= from);
    this.#scans.delete(job);
    const urls = rows.slice(0, limit).flatMap((row) => QueuedRow.urlsOf(row));
    this.queue.refill(scan.ticket, urls, rows.length <= limit);
  }

  /** Every live entry comes out by taking and refilling, each once. */
  drain(): void {
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

  #newRow(job: JobId, { priority, urls }: RowShape): StoredRow {
    this.#sequence += 1;
    const more = this.#sequence % 5 === 0 ? 5_000 : 0;
    const row = storedRow(job, priority, this.#sequence, { urls, more });
    for (const url of QueuedRow.urlsOf(row)) this.live.set(url.id, url);
    return row;
  }

  #rowsOf(job: JobId): StoredRow[] {
    const rows = [...this.#table.values()].filter((row) => row.job === job);
    return rows.sort((one, other) => compareKeys(one.key, other.key));
  }

  /** Nothing that has left the queue for good comes back, and nothing else leaves it. */
  #checkTable(): void {
    if (this.#pending.length > 0) return;
    const rows = [jobA, jobB].flatMap((job) => this.#rowsOf(job));
    const urls = rows.flatMap((row) => QueuedRow.urlsOf(row)).map(({ id }) => id);
    expect(urls.toSorted()).toEqual([...this.live.keys()].toSorted());
  }

  #endLease(choice: number): QueuedUrl | undefined {
    const [url] = this.#leases.splice(choice % Math.max(1, this.#leases.length), 1);
    return url;
  }
}

const job = fc.constantFrom(jobA, jobA, jobA, jobB);
const shape = fc.record({ priority: fc.nat(4), urls: fc.integer({ min: 1, max: 4 }) });
const choice = fc.nat(100);

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("add" as const), job, shape }) },
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
      world.add(made.job, made.shape);
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
      fc.array(shape, { maxLength: 12 }),
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
      fc.array(shape, { maxLength: 20 }),
      (headMax, shapes) => {
        const world = new World(headMax);
        for (const one of shapes) world.add(jobA, one);
        const expected = [...world.live.values()].sort(byId);
        const served: QueuedUrl[] = [];
        for (let round = 0; round < 2 * expected.length; round += 1) {
          const url = world.queue.take(() => true);
          if (url !== undefined) served.push(url);
          world.beginScan(0);
          world.endScan(jobA, 2, false);
        }
        expect(served.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      },
    ),
  );
});
