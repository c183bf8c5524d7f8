import { describe, expect, it } from "vitest";
import { plainSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import type { SampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import { storeWith } from "./store-with.ts";
import { SwarmBench } from "./swarm-bench.ts";

const size = 4;

/** What the swarm asks for again, whose members with these numbers are slower to join when it is started together. */
async function askedAgain(
  web: Partial<SampleWebOptions>,
  givenAwayAfterMs: number,
  slowMembers: readonly number[],
): Promise<string[]> {
  const slow = new Set<string>();
  const slowReads = (ports: PeerPorts): PeerPorts => {
    const { clock, overlay, store } = ports;
    const range: typeof store.range = async (...asked) => {
      if (overlay && slow.has(overlay.self)) await clock.sleep(100);
      return store.range(...asked);
    };
    return { ...ports, store: storeWith(store, { range }) };
  };
  const bench = new SwarmBench(
    size,
    { sampleWeb: { ...plainSampleWebOptions, ...web } },
    {},
    slowReads,
  );
  return bench.run(async () => {
    await bench.machine(0).start();
    await bench.settled();
    await bench.inject(0, { delayMs: 100 });
    await bench.pass(givenAwayAfterMs);
    // What is queued at the first one by now stays on its disk, also where it is to be crawled by others.
    for (let index = 1; index < size; index += 1) await bench.machine(index).start();
    await bench.settled();
    await bench.finished(0);
    await bench.settled();
    const before = bench.hits.length;
    expect(new Set(bench.urls).size).toBe(before);
    await Promise.all(bench.world.machines.map((machine) => machine.stop()));
    for (const index of slowMembers) slow.add(bench.machine(index).id);
    for (const machine of bench.world.machines) await machine.start();
    await bench.settled();
    await bench.pass(60_000);
    await bench.finished(0);
    return bench.hits.slice(before).map(({ url }) => url);
  });
}

describe("a swarm that is stopped as a whole, and started together", () => {
  it("asks for nothing again that its first member gave away before it was fetched", async () => {
    const web = { sites: 12, totalPages: 1_200, linksPerPage: 40 };
    expect(await askedAgain(web, 3_000, [])).toEqual([]);
  });

  it("asks for nothing again where some join later than others", async () => {
    const web = { seed: 2, sites: 60, totalPages: 1_800, linksPerPage: 40, crossSiteShare: 0.8 };
    expect(await askedAgain(web, 2_500, [1, 3])).toEqual([]);
  });
});
