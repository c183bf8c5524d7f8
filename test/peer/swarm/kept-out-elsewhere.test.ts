import { expect, it } from "vitest";
import { partition } from "../../../sim/world/network-rules.ts";
import { packLinks } from "../../../src/core/page/packed-links.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import type { PageParser } from "../../../src/ports/page-parser.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** A parser that finds these links on every page. */
function finding(links: readonly CanonicalUrl[], parser: PageParser): PageParser {
  return {
    pendingMax: parser.pendingMax,
    start: () => parser.start(),
    stop: () => parser.stop(),
    payloadDigest: (payload) => parser.payloadDigest(payload),
    judgeUrls: (request) => parser.judgeUrls(request),
    parse: async (request) => {
      const page = await parser.parse(request);
      return { ...page, links: packLinks(links, true), excluded: [] };
    },
  };
}

it("a URL that a guard kept out on one side of a split, and the other side has fetched, is not skipped", async () => {
  let links: CanonicalUrl[] = [];
  const bench = new SwarmBench(2, {}, {}, (ports) => {
    const own = [...links];
    links.reverse();
    return { ...ports, parser: finding(own, ports.parser) };
  });
  const [seed = ""] = bench.world.sampleWeb.rootUrls();
  links = Array.from({ length: 4 }, (_, n) => `${seed}?n=${n}` as CanonicalUrl);
  const { counts, statuses } = await bench.run(async () => {
    await bench.begin();
    const heal = bench.world.network.addRule(partition([0], [1]));
    await bench.pass(60_000);
    // Each side takes two of the links, of which the other side finds the other two first.
    const options = { scope: "host", delayMs: 100, pagesPerHostMax: 3 } as const;
    for (const peer of bench.peers) await peer.inject(job, [seed], options);
    await bench.pass(10_000);
    heal();
    while (bench.peers.some(({ swarm }) => swarm?.view.others.length === 0)) await bench.pass(100);
    await bench.settled();
    await bench.finished(0);
    const stats = await bench.peer(0).swarmStats();
    return { counts: stats.jobs[0]?.counts, statuses: await bench.peer(1).status(links, job) };
  });
  expect(statuses.map(({ state }) => state)).toEqual(links.map(() => "done"));
  expect(bench.urls.toSorted()).toEqual([seed, ...links].toSorted());
  expect(counts?.skipped).toEqual({});
});
