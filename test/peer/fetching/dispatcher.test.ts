import { expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { Lease } from "../../../src/peer/durability/lease.ts";
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
