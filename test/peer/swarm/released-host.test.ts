import { expect, it } from "vitest";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { hostOf } from "../../../src/core/url/site-of.ts";
import { SwarmBench } from "./swarm-bench.ts";
import { tellHosts } from "./tell-hosts.ts";

const haltMs = 10 * 3_600_000;

it("is asked again when any member is told to let it back, also by who takes it over", async () => {
  const bench = new SwarmBench(3);
  await bench.run(async () => {
    await bench.begin();
    const nowMs = bench.world.clock.nowMs();
    const url = bench.world.sampleWeb.rootUrls().find((root) => bench.holderOf(root) === 2) ?? "";
    const host = hostOf(url as CanonicalUrl);
    const haltedUntilMs = nowMs + haltMs;
    const clocks = { nextFetchAtMs: haltedUntilMs, haltedUntilMs, politeUntilMs: nowMs };
    for (const to of [0, 1, 2]) {
      await tellHosts(bench, { from: 1, to }, [host], { ...clocks, failuresInRow: 50 });
    }
    await bench.inject(0);
    await bench.finished(0);
    expect(await bench.peer(0).host(host)).toMatchObject({ hold: "halted" });
    expect(bench.urls).not.toContain(url);
    const released = await bench.peer(0).host(host, "release");
    expect(released.hold).not.toBe("halted");
    await bench.pass(500);
    bench.machine(2).kill();
    await bench.pass(20_000);
    await bench.settled();
    await bench.finished(0);
    expect((await bench.peer(0).host(host)).hold).not.toBe("halted");
  });
  expect(bench.urls).toHaveLength(240);
});
