import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { OutboxSweep } from "../../../../src/peer/swarm/exchange/outbox-sweep.ts";

const rowsMax = 1_000;

function keys(count: number, first = 0): Uint8Array[] {
  return Array.from({ length: count }, (_, n) => Uint8Array.of((first + n) >> 8, first + n));
}

class Bench {
  readonly clock = new VirtualClock();
  readonly stop = new AbortController();
  /** Rows of each change. */
  readonly deleted: (readonly Uint8Array[])[] = [];
  readonly failures: unknown[] = [];
  readonly sweep = new OutboxSweep(
    this.clock,
    this.stop.signal,
    (rows) => {
      this.deleted.push(rows);
      if (this.failsNext) throw new Error("refused");
    },
    (error) => this.failures.push(error),
  );
  failsNext = false;

  async pass(ms: number): Promise<void> {
    await this.clock.run(this.clock.sleep(ms));
  }
}

describe("the sweep of the outbox", () => {
  it("deletes with one change what arrives within a second, and later what comes later", async () => {
    const bench = new Bench();
    for (const key of keys(20)) {
      bench.sweep.add([key]);
      await bench.pass(40);
    }
    expect(bench.deleted).toEqual([]);
    await bench.pass(300);
    expect(bench.deleted).toEqual([keys(20)]);
    bench.sweep.add(keys(1, 20));
    await bench.pass(900);
    expect(bench.deleted).toEqual([keys(20)]);
    await bench.pass(200);
    expect(bench.deleted).toEqual([keys(20), keys(1, 20)]);
  });

  it("keeps no more than it may", () => {
    const bench = new Bench();
    for (const key of keys(rowsMax + 1)) bench.sweep.add([key]);
    expect(bench.deleted).toEqual([keys(rowsMax)]);
  });

  it("deletes nothing once it has ended, but at once what it is told to", async () => {
    const bench = new Bench();
    bench.sweep.add(keys(2));
    bench.sweep.now();
    bench.sweep.now();
    expect(bench.deleted).toEqual([keys(2)]);
    bench.sweep.add(keys(1));
    bench.stop.abort();
    await bench.pass(2_000);
    expect(bench.deleted).toEqual([keys(2)]);
  });

  it("tells of a failure", async () => {
    const bench = new Bench();
    bench.failsNext = true;
    bench.sweep.add(keys(1));
    await bench.pass(1_100);
    expect(bench.failures).toEqual([new Error("refused")]);
  });
});
