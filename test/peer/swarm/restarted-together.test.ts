import { describe, expect, it } from "vitest";
import { plainSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import type { SampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import { storeWith } from "./store-with.ts";
import { SwarmBench } from "./swarm-bench.ts";

const size = 4;
const fewSites = { sites: 12, totalPages: 600, linksPerPage: 40 };

/** A swarm in which members read slowly once their ids are in `slow`. */
function newBench(
  web: Partial<SampleWebOptions>,
  slow: ReadonlySet<string> = new Set(),
): SwarmBench {
  const slowReads = (ports: PeerPorts): PeerPorts => {
    const { clock, overlay, store } = ports;
    const range: typeof store.range = async (...asked) => {
      if (overlay && slow.has(overlay.self)) await clock.sleep(100);
      return store.range(...asked);
    };
    return { ...ports, store: storeWith(store, { range }) };
  };
  return new SwarmBench(size, { sampleWeb: { ...plainSampleWebOptions, ...web } }, {}, slowReads);
}

/** What is queued at the first member when the others join stays on its disk, also where it is to be crawled by others. */
async function joinedLater(bench: SwarmBench, afterMs: number): Promise<void> {
  await bench.machine(0).start();
  await bench.settled();
  await bench.inject(0, { delayMs: 100 });
  await bench.pass(afterMs);
  for (let index = 1; index < size; index += 1) await bench.machine(index).start();
  await bench.settled();
}

async function stopAll(bench: SwarmBench): Promise<void> {
  await Promise.all(bench.world.machines.map((machine) => machine.stop()));
}

/** The disk of one that stops before the others, so that these have what it fetched last, is lost. */
async function stopAllWiping(bench: SwarmBench, index: number): Promise<void> {
  await bench.machine(index).stop();
  bench.machine(index).wipe();
  await Promise.all(bench.world.running.map((machine) => machine.stop()));
}

async function startAll(bench: SwarmBench, order = [0, 1, 2, 3]): Promise<void> {
  for (const index of order) await bench.machine(index).start();
  await bench.settled();
}

/** URLs that were asked for more than once. */
function askedAgain(bench: SwarmBench): string[] {
  const seen = new Set<string>();
  return bench.hits.flatMap(({ url }) => (seen.size < seen.add(url).size ? [] : [url]));
}

describe("a swarm that is stopped as a whole, and started together", () => {
  it("asks for nothing again that its first member gave away before it was fetched", async () => {
    const bench = newBench(fewSites);
    await bench.run(async () => {
      await joinedLater(bench, 3_000);
      await bench.finished(0);
      await bench.settled();
      await stopAll(bench);
      await startAll(bench);
      await bench.pass(60_000);
      await bench.finished(0);
      expect(askedAgain(bench)).toEqual([]);
    });
  });

  it("asks for nothing again where some join later than others", async () => {
    const slow = new Set<string>();
    const web = { seed: 2, sites: 60, totalPages: 1_800, linksPerPage: 40, crossSiteShare: 0.8 };
    const bench = newBench(web, slow);
    await bench.run(async () => {
      await joinedLater(bench, 2_500);
      await bench.finished(0);
      await bench.settled();
      await stopAll(bench);
      for (const index of [1, 3]) slow.add(bench.machine(index).id);
      await startAll(bench);
      await bench.pass(60_000);
      await bench.finished(0);
      expect(askedAgain(bench)).toEqual([]);
    });
  });

  it("asks for nothing again that others fetched of its first member's after that one had stopped", async () => {
    const bench = newBench(fewSites);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 100 });
      await bench.pass(3_000);
      await bench.machine(0).stop();
      await bench.pass(2_000);
      await stopAll(bench);
      await startAll(bench);
      await bench.finished(0);
      expect(askedAgain(bench)).toEqual([]);
    });
  });

  it("asks for nothing again where one member has lost its disk meanwhile", async () => {
    const bench = newBench(fewSites);
    await bench.run(async () => {
      await joinedLater(bench, 3_000);
      await bench.pass(3_000);
      await stopAllWiping(bench, 1);
      await startAll(bench);
      await bench.finished(0);
      expect(askedAgain(bench)).toEqual([]);
    });
  });

  it("asks for nothing again where the member that begins the swarm anew has lost its disk meanwhile", async () => {
    for (const order of [
      [0, 1, 2, 3],
      [3, 0, 1, 2],
    ]) {
      const bench = newBench(fewSites);
      await bench.run(async () => {
        await joinedLater(bench, 3_000);
        await bench.pass(3_000);
        await stopAllWiping(bench, 0);
        await startAll(bench, order);
        await bench.finished(0);
        expect(askedAgain(bench)).toEqual([]);
      });
    }
  });

  it("asks for nothing again that only those have who were stopped last", async () => {
    const bench = newBench({ ...fewSites, totalPages: 1_200 });
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 100 });
      await bench.pass(2_000);
      for (const machine of bench.world.machines) {
        await machine.stop();
        await bench.settled();
        await bench.pass(1_000);
      }
      await startAll(bench);
      await bench.finished(0);
      expect(askedAgain(bench)).toEqual([]);
    });
  });
});
