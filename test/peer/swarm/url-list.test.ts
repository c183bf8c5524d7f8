import { describe, expect, it } from "vitest";
import { plainSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import type { Peer } from "../../../src/peer/peer.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

async function listed(peer: Peer): Promise<{ urls: string[]; parts: number }> {
  const urls: string[] = [];
  let parts = 0;
  let from: string | undefined;
  do {
    const part = await peer.urls(job, {}, from);
    urls.push(...part.urls.map(({ url }) => url));
    parts += 1;
    from = part.next;
  } while (from !== undefined);
  return { urls, parts };
}

describe("a swarm that is asked for the URLs of a job", () => {
  it("lists those of all members, each once, at whichever it is asked", async () => {
    // More pages than two members name at once.
    const sampleWeb = { ...plainSampleWebOptions, sites: 12, totalPages: 1_300, seed: 1 };
    const bench = new SwarmBench(2, { sampleWeb });
    const lists = await bench.run(async () => {
      await bench.begin();
      await bench.inject(1);
      await bench.finished(0);
      return Promise.all(bench.peers.map(listed));
    });
    const wanted = bench.urls.toSorted();
    expect(wanted).toHaveLength(1_300);
    for (const { urls, parts } of lists) {
      expect(urls.toSorted()).toEqual(wanted);
      expect(parts).toBeGreaterThan(1);
    }
  });

  it("waits for those who take over what a lost member held, and leaves nothing out", async () => {
    const bench = new SwarmBench(4);
    const { urls } = await bench.run(async () => {
      await bench.begin();
      await bench.inject(1);
      await bench.finished(2);
      bench.machine(3).kill();
      return listed(bench.peer(0));
    });
    expect(urls.toSorted()).toEqual(bench.urls.toSorted());
  });

  it("lists more queued URLs of a host than one answer has room for", async () => {
    const bench = new SwarmBench(2);
    const seeds = Array.from({ length: 1_100 }, (_, page) => `http://far.example/${page}`);
    const { urls } = await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, seeds, { scope: "any", delayMs: 60_000 });
      return listed(bench.peer(1 - bench.holderOf("http://far.example/")));
    });
    expect(urls.toSorted()).toEqual(seeds.toSorted());
  });

  it("says that a part is missing, where nobody can tell of it", async () => {
    const bench = new SwarmBench(3);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(1);
      await bench.finished(2);
      const list = expect(listed(bench.peer(0))).rejects.toMatchObject({
        code: "MEMBER_UNREACHABLE",
      });
      for (const machine of bench.world.machines.slice(1)) machine.powerFailure();
      await list;
    });
  });
});
