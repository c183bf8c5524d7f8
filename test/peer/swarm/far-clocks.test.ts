import { expect, it } from "vitest";
import { noSkew } from "../../../sim/world/skewed-clock.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { hostOf } from "../../../src/core/url/site-of.ts";
import { SwarmBench } from "./swarm-bench.ts";
import { tellHosts } from "./tell-hosts.ts";

const yearsMs = 10 * 365 * 86_400_000;

it("asks hosts whose rows another member's clock has closed for years", async () => {
  const bench = new SwarmBench(2);
  await bench.run(async () => {
    await bench.begin();
    const nowMs = bench.world.clock.nowMs();
    const farMs = nowMs + yearsMs;
    const hosts = new Set(
      bench.world.sampleWeb.rootUrls().map((url) => hostOf(url as CanonicalUrl)),
    );
    const record = { nextFetchAtMs: farMs, politeUntilMs: farMs };
    await tellHosts(bench, { from: 1, to: 0 }, [...hosts], record);
    await bench.inject(0);
    await bench.finished(0);
  });
  expect(bench.urls).toHaveLength(240);
});

it("asks hosts no later because the clock was hours ahead in the run before", async () => {
  const bench = new SwarmBench(2);
  const hoursMs = 3 * 3_600_000;
  await bench.run(async () => {
    for (const machine of bench.world.machines) {
      machine.setClock({ offsetMs: hoursMs, driftPpm: 0 });
    }
    await bench.begin();
    await bench.inject(0);
    await bench.pass(2_000);
    for (const machine of bench.world.machines) {
      machine.kill();
      machine.setClock(noSkew);
    }
    await bench.begin();
    await bench.finished(0);
  });
  expect(bench.urls).toHaveLength(240);
});

it("dates what it fetches by the clock on the wall, where that has been set since it began", async () => {
  const bench = new SwarmBench(2);
  const hourMs = 3_600_000;
  await bench.run(async () => {
    await bench.begin();
    for (const { clock } of bench.world.machines) clock.set(hourMs);
    await bench.inject(0);
    await bench.finished(0);
    const [url = ""] = bench.world.sampleWeb.rootUrls();
    const [status] = await bench.peer(0).status([url]);
    const lastMs = bench.world.clock.nowMs() + hourMs;
    expect(Date.parse(status?.fetchedAt ?? "")).toBeGreaterThan(lastMs - hourMs / 2);
    const files = bench.world.machines.flatMap(({ archiveDisk }) => archiveDisk.files);
    const dates = files.flatMap(({ fetchedAtMs }) => fetchedAtMs);
    expect(dates).toHaveLength(bench.hits.length);
    expect(Math.min(...dates)).toBeGreaterThan(lastMs - hourMs / 2);
    expect(Math.max(...dates)).toBeLessThanOrEqual(lastMs);
    const host = hostOf(url as CanonicalUrl);
    const { robots } = await bench.peer(0).host(host);
    const read = robots.map(({ fetchedAt }) => Date.parse(fetchedAt));
    expect(read.filter((atMs) => atMs < lastMs - hourMs / 2)).toEqual([]);
    expect(read).not.toEqual([]);
  });
});

it("joins as soon as its clock is set right, days behind which it began", async () => {
  const bench = new SwarmBench(2);
  await bench.run(async () => {
    await bench.begin();
    const late = bench.world.addMachine();
    late.setClock({ offsetMs: -3 * 86_400_000, driftPpm: 0 });
    await late.start();
    await bench.pass(20_000);
    expect(late.peer.swarm?.view.others).toEqual([]);
    late.clock.set(0);
    await bench.pass(5_000);
    await bench.settled();
    expect(bench.peers.map(({ swarm }) => swarm?.view.ring.members.length)).toEqual([3, 3, 3]);
  });
});
