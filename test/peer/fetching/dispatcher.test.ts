import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import { Dispatcher, defaultDispatcherOptions } from "../../../src/peer/fetching/dispatcher.ts";
import type { LoadSample } from "../../../src/ports/process-load.ts";

const openRequestsMax = 64;
const busy: LoadSample = { busyShare: 1, turnMs: 50 };
const idle: LoadSample = { busyShare: 0.01, turnMs: 0.1 };

it("lets more requests out when the process keeps up again, also while no visit ends", async () => {
  const clock = new VirtualClock();
  const world = new SlowWorld(clock);

  const { cut, open } = await clock.run(world.run());

  expect(cut).toBeLessThan(openRequestsMax);
  expect(open).toBe(openRequestsMax);
});

/** Servers that answer while the process is busy, and then none that does. */
class SlowWorld {
  readonly #clock: VirtualClock;
  readonly #ends: (() => void)[] = [];
  readonly #dispatcher: Dispatcher;
  #sample = busy;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
    const ends = this.#ends;
    const frontier = {
      get openRequests(): number {
        return ends.length;
      },
      nextDueAtMs: () => undefined,
      take: () => ({}) as Lease,
    };
    this.#dispatcher = new Dispatcher(
      clock,
      {
        frontier,
        journal: { full: false, flushed: () => Promise.resolve() },
        visit: () => new Promise((end) => ends.push(end)),
        isHeldBack: () => false,
        onRest: () => undefined,
        parserPlaces: 64,
        load: { take: () => this.#sample },
      },
      { ...defaultDispatcherOptions, openRequestsMax },
      (error) => {
        throw error;
      },
    );
  }

  async run(): Promise<{ readonly cut: number; readonly open: number }> {
    this.#dispatcher.start();
    for (let round = 0; round < 2; round += 1) {
      await this.#clock.sleep(100);
      for (const end of this.#ends.splice(0, 24)) end();
    }
    await this.#clock.sleep(1);
    const cut = this.#dispatcher.openRequestsMax;
    this.#sample = idle;
    await this.#clock.sleep(10_000);
    const open = this.#ends.length;
    this.#dispatcher.stop();
    return { cut, open };
  }
}

/** A dispatcher whose hosts, journal and visits do as they are told; four answers may wait. */
class Bench {
  readonly clock = new VirtualClock();
  readonly failures: unknown[] = [];
  readonly flushes: (() => void)[] = [];
  /** Ends the visits under way. */
  readonly ends: ((error?: Error) => void)[] = [];
  hosts = 0;
  dueAtMs: number | undefined;
  isHeldBack = false;
  isFull = false;
  /** Requests that are over, of visits that are not. */
  answers = 0;
  rests = 0;
  takes = 0;
  readonly dispatcher: Dispatcher;

  constructor(onTake: (bench: Bench) => void = () => undefined) {
    const openOf = (): number => this.ends.length - this.answers;
    const journal = {
      isFull: () => this.isFull,
      flushed: () => new Promise<void>((resolve) => this.flushes.push(resolve)),
    };
    this.dispatcher = new Dispatcher(
      this.clock,
      {
        frontier: {
          get openRequests(): number {
            return openOf();
          },
          nextDueAtMs: () => this.dueAtMs,
          take: () => {
            this.takes += 1;
            onTake(this);
            this.hosts -= 1;
            return this.hosts >= 0 ? ({} as Lease) : undefined;
          },
        },
        journal: {
          get full(): boolean {
            return journal.isFull();
          },
          flushed: journal.flushed,
        },
        visit: () =>
          new Promise((resolve, reject) => {
            const end = (error?: Error): void => {
              this.ends.splice(this.ends.indexOf(end), 1);
              if (error) reject(error);
              else resolve();
            };
            this.ends.push(end);
          }),
        isHeldBack: () => this.isHeldBack,
        onRest: () => (this.rests += 1),
        parserPlaces: 1,
      },
      { answersPerParserPlace: 4, openRequestsMax: 8 },
      (error) => this.failures.push(error),
    );
  }

  /** Visits under way once so many hosts are due. */
  started(hosts: number): number {
    this.hosts = hosts;
    this.dispatcher.start();
    return this.ends.length;
  }

  /** Ends the visit that was begun last; all that follows at once is done on return. */
  async end(error?: Error): Promise<void> {
    this.ends.at(-1)?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("a dispatcher", () => {
  it.each([
    [0, 8],
    [1, 6],
    [3, 2],
    [4, 0],
  ])("lets the fewer requests out the more answers wait, for %i of them %i", (answers, open) => {
    const bench = new Bench();
    bench.started(answers);
    bench.answers = answers;
    expect(bench.started(100) - answers).toBe(open);
  });

  it("sends nothing out while too much waits for other members", () => {
    const bench = new Bench();
    bench.isHeldBack = true;
    expect(bench.started(1)).toBe(0);
    bench.isHeldBack = false;
    bench.dispatcher.wake();
    expect(bench.ends).toHaveLength(1);
  });

  it("waits for the journal where it is full, each time", async () => {
    const bench = new Bench();
    bench.isFull = true;
    for (const flushes of [1, 2]) {
      bench.started(1);
      bench.dispatcher.wake();
      expect([bench.ends.length, bench.flushes.length]).toEqual([0, flushes]);
      bench.isFull = flushes === 1;
      bench.flushes.at(-1)?.();
      await bench.end();
    }
    expect(bench.ends).toHaveLength(1);
  });

  it("sends the next visit out when one ends, and tells when none is under way, nor begins", async () => {
    const bench = new Bench();
    bench.started(9);
    await bench.end();
    expect([bench.ends.length, bench.hosts, bench.rests]).toEqual([8, 0, 0]);
    while (bench.ends.length > 0) await bench.end();
    expect(bench.rests).toBe(1);
  });

  it("begins nothing any more once it is stopped, and is drained when what it began has ended", async () => {
    const bench = new Bench();
    bench.dueAtMs = bench.clock.nowMs() + 50;
    bench.started(2);
    bench.dispatcher.stop();
    bench.hosts = 1;
    let isDrained = false;
    const drained = bench.dispatcher.drained().then(() => (isDrained = true));
    await bench.end();
    await bench.clock.run(bench.clock.sleep(100));
    expect([bench.ends.length, bench.hosts, isDrained]).toEqual([1, 1, false]);
    await bench.end();
    await drained;
    expect(bench.ends).toEqual([]);
  });

  it("looks again when the next host is due, once, be that sooner than it was", async () => {
    const bench = new Bench();
    const { clock, dispatcher } = bench;
    /** How often hosts have been asked for, some time after one became due. */
    const lookedFor = async (inMs: number): Promise<number> => {
      bench.dueAtMs = clock.nowMs() + inMs;
      dispatcher.wake();
      bench.dueAtMs = undefined;
      await clock.run(clock.sleep(inMs + 10));
      return bench.takes;
    };
    bench.dueAtMs = clock.nowMs() + 100;
    bench.started(0);
    expect(await lookedFor(50)).toBe(3);
    expect(await lookedFor(100)).toBe(5);
  });

  it("is woken while it takes a host without harm", () => {
    const bench = new Bench(({ dispatcher }) => dispatcher.wake());
    expect([bench.started(2), bench.takes, bench.failures]).toEqual([2, 3, []]);
  });

  it("tells of what fails, and goes on", async () => {
    const error = new Error("broken");
    const bench = new Bench(({ takes }) => {
      if (takes === 1) throw error;
    });
    bench.started(2);
    bench.dispatcher.wake();
    await bench.end(error);
    expect([bench.ends.length, bench.failures]).toEqual([1, [error, error]]);
  });
});
