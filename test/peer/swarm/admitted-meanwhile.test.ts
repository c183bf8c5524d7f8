import { expect, it } from "vitest";
import { tagOf } from "../../../src/core/record/key-tags.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import { storeWith } from "./store-with.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** Longer than a member needs to pass on what it holds. */
const readMs = 3_000;

/** A disk from which hosts are read slowly: URLs are admitted for as long. */
function slowHosts(ports: PeerPorts): PeerPorts {
  const { clock, store } = ports;
  const getMany: typeof store.getMany = async (keys) => {
    if (keys.every((key) => tagOf(key) === "host")) await clock.sleep(readMs);
    return store.getMany(keys);
  };
  return { ...ports, store: storeWith(store, { getMany }) };
}

it("a URL that is being admitted when its site is passed on is counted once, and at its new holder", async () => {
  const bench = new SwarmBench(2, {}, {}, slowHosts);
  await bench.run(async () => {
    await bench.begin();
    const url = "http://found.example/" as CanonicalUrl;
    const former = bench.holderOf(url);
    await bench.peer(former).inject(job, [], {});
    await bench.peer(former).changeJob(job, "pause");
    const injected = bench.peer(former).inject(job, [url]);
    await bench.pass(100);
    expect(await bench.peer(former).leave()).toBe(true);
    expect(await injected).toMatchObject({ added: 1 });
    expect(bench.holderOf(url)).toBe(1 - former);
    const queued = [former, 1 - former].map((at) => bench.peer(at).job(job).counts.queued);
    expect(queued).toEqual([0, 1]);
  });
});
