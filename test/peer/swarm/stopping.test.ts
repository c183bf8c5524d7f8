import { describe, expect, it } from "vitest";
import type { VirtualLogLine } from "../../../sim/world/virtual-machine.ts";
import { CrawlError } from "../../../src/core/errors.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import { SwarmBench } from "./swarm-bench.ts";

/** Each sync takes as long as another. */
const diskTimes = { syncMedianMs: 10, syncTail: 0 };

/** A sync takes 3.5 s then: what waits behind the one under way has not been sent three seconds after the stop. */
const slowness = 350;

/** In the middle of the crawl. */
const midwayMs = 3_000;

/** Enough for pages that wait behind others. */
const slowMs = 300;

describe("a member that stops in order", () => {
  it("gives its replicas what requests in flight leave of the time, so that nothing is fetched again", async () => {
    const bench = new SwarmBench(2, { machine: { diskTimes } });
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0);
      await bench.pass(midwayMs);
      const { disk } = bench.machine(1);
      disk.slowness = slowness;
      await bench.pass(slowMs);
      await bench.machine(0).stop();
      disk.slowness = 1;
      await bench.finished(1);
    });
    expect(bench.urls).toHaveLength(240);
    expect(bench.hits).toHaveLength(240);
  });
});

describe("a member that is told to stop before it has started", () => {
  it.each([0, 1, 2, 5, 10, 20, 50])(
    "comes to its end with nothing left open, after %i ms",
    async (afterMs) => {
      const bench = new SwarmBench(1, { machine: { diskTimes } });
      const { clock } = bench.world;
      await bench.run(async () => {
        const [machine] = bench.world.machines;
        const started = machine?.start();
        await bench.pass(afterMs);
        await bench.peer(0).stop();
        await started;
        await bench.peer(0).stop();
        expect(clock.sleepers).toBe(0);
        expect(bench.world.failures).toEqual([]);
      });
    },
  );
});

describe("a member that cannot listen", () => {
  it("tells the log of no farewell: it has not been there", async () => {
    const events: string[] = [];
    const onLog = ({ event }: VirtualLogLine): void => void events.push(event);
    const adapt = (ports: PeerPorts): PeerPorts => {
      if (!ports.overlay) return ports;
      const taken = new CrawlError("LISTEN_FAILED", "the address is in use");
      ports.overlay.start = () => Promise.reject(taken);
      return ports;
    };
    const bench = new SwarmBench(1, { machine: { onLog } }, {}, adapt);
    await bench.run(async () => {
      await expect(bench.machine(0).start()).rejects.toMatchObject({ code: "LISTEN_FAILED" });
      await bench.machine(0).stop();
    });
    expect(events).toEqual([]);
  });
});
