import { expect, it } from "vitest";
import type { VirtualHit } from "../../../sim/world/virtual-web.ts";
import type { HostName } from "../../../src/core/units.ts";
import { SwarmBench } from "./swarm-bench.ts";

const web = { roundTripMedianMs: 1, roundTripTail: 0 };
const restSeconds = 8;

it("leaves a host alone for as long as it has told any member whose robots.txt leads there", async () => {
  const bench = new SwarmBench(3, { web });
  const [root = ""] = bench.world.sampleWeb.rootUrls();
  const hub = new URL(root).host as HostName;
  bench.world.web.addRule(({ host, url }) => {
    if (url.startsWith(`http://${hub}/robots-of/`)) {
      return { kind: "status", status: 429, retryAfterSeconds: restSeconds };
    }
    return host !== hub && url.endsWith("/robots.txt")
      ? { kind: "redirect", location: `http://${hub}/robots-of/${host}` }
      : undefined;
  });
  const hits: VirtualHit[] = [];
  bench.world.web.onHit((hit) => {
    if (hit.host === hub) hits.push(hit);
  });
  await bench.run(async () => {
    await bench.begin();
    await bench.inject(0, { delayMs: 1_000 });
    await bench.pass(60_000);
    const status = await bench.peer(0).host(hub);
    expect(status).toMatchObject({ known: true, hold: "backoff" });
    expect(status).not.toHaveProperty("opensInMs");
  });
  const refused = hits.filter(({ status }) => status === 429);
  const restsMs = refused.flatMap((hit) => {
    const next = hits[hits.indexOf(hit) + 1];
    return next ? [next.atMs - hit.atMs] : [];
  });
  expect(new Set(refused.map(({ peer }) => peer)).size).toBe(3);
  expect(restsMs.length).toBeGreaterThan(4);
  expect(Math.min(...restsMs)).toBeGreaterThanOrEqual(restSeconds * 1_000);
});
