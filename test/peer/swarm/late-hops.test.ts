import { describe, expect, it } from "vitest";
import type { VirtualHit } from "../../../sim/world/virtual-web.ts";
import { positionOf } from "../../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, Millis } from "../../../src/core/units.ts";
import { hostOf, siteOfHost } from "../../../src/core/url/site-of.ts";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

/** Longer than anything else takes here. */
const delayMs: Millis = 120_000;

/** Time in which a request is answered. */
const answeredMs: Millis = 2_000;

/** A swarm of two that crawls a site whose robots.txt leads to the rules of `hub`, and the requests to that host. */
async function crawled(hubOf: (roots: readonly string[]) => string) {
  const bench = new SwarmBench(2);
  const hits: VirtualHit[] = [];
  const roots = bench.world.sampleWeb.rootUrls();
  const [root = ""] = roots;
  const host = hostOf(root as CanonicalUrl);
  const hub = hostOf(hubOf(roots) as CanonicalUrl);
  bench.world.web.addRule((request) =>
    request.url === `http://${host}/robots.txt`
      ? { kind: "redirect", location: `http://${hub}/rules` }
      : undefined,
  );
  bench.world.web.onHit((hit) => {
    if (hit.host === host || hit.host === hub) hits.push(hit);
  });
  const asked = async (times: number): Promise<void> => {
    while (hits.length < times) await bench.pass(1);
  };
  await bench.run(async () => {
    await bench.begin();
    // What a process finds on its disk it takes for asked when it began.
    await bench.pass(delayMs);
    await bench.peer(0).inject(job, [root], { ...defaultJobOptions, scope: "site", delayMs });
    const members = bench.peer(0).swarm?.view.ring.preferenceOf(positionOf(siteOfHost(host)), 1);
    const first = bench.world.machines.findIndex(({ id }) => id === members?.[0]);
    await asked(1);
    await bench.pass(answeredMs);
    bench.machine(first).standStill();
    await asked(2);
    await bench.pass(answeredMs);
    bench.machine(first).goOn();
    await bench.pass(4 * delayMs);
  });
  return hits;
}

describe("a robots.txt that leads on", () => {
  it.each([
    ["its own host", 0],
    ["another host", 1],
  ])("to %s is followed in a turn that has not passed to others meanwhile", async (_, at) => {
    const hits = await crawled((roots) => roots[at] ?? "");
    const gaps = hits.slice(1).flatMap((hit, i) => {
      const before = hits.slice(0, i + 1).findLast(({ host }) => host === hit.host);
      return before ? [hit.atMs - before.atMs] : [];
    });
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(delayMs);
  });
});
