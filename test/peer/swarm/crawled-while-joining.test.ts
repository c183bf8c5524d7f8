import { expect, it } from "vitest";
import { plainSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import { storeWith } from "./store-with.ts";
import { SwarmBench } from "./swarm-bench.ts";

const web = { ...plainSampleWebOptions, sites: 12, totalPages: 2_400, linksPerPage: 40 };

it("a new swarm's first member crawls on while others get their first copies", async () => {
  const joining = new Set<string>();
  const slowReads = (ports: PeerPorts): PeerPorts => {
    const { clock, overlay, store } = ports;
    const range: typeof store.range = async (...asked) => {
      if (overlay && joining.has(overlay.self)) await clock.sleep(500);
      return store.range(...asked);
    };
    return { ...ports, store: storeWith(store, { range }) };
  };
  const bench = new SwarmBench(2, { sampleWeb: web }, {}, slowReads);
  await bench.run(async () => {
    await bench.machine(0).start();
    await bench.settled();
    await bench.inject(0, { delayMs: 200 });
    await bench.pass(5_000);
    joining.add(bench.machine(1).id);
    await bench.machine(1).start();
    await bench.pass(500);
    const before = bench.hits.length;
    await bench.pass(2_000);
    expect(bench.peer(1).swarm?.view.role).toBe("joining");
    expect(bench.hits.length - before).toBeGreaterThan(50);
  });
});
