import { describe, expect, it } from "vitest";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { IpAddress } from "../../../src/core/units.ts";
import type { ResolveOutcome } from "../../../src/ports/resolver.ts";
import { htmlPage, TableWeb } from "../../support/table-web.ts";
import type { TablePage } from "../../support/table-web.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const options = { ...defaultJobOptions, scope: "any", delayMs: 1_000 } as const;

const to = (location: string): TablePage => ({ status: 302, headers: { location } });

/** A site whose page leads back to itself, in another spelling, by way of `track`. */
function pagesOf(home: string, track: string): Readonly<Record<string, TablePage>> {
  return {
    [home]: to(`${track}?utm_source=x`),
    [`${track}?utm_source=x`]: to(`${home}?utm_source=x`),
    [`${home}?utm_source=x`]: htmlPage(),
  };
}

/** Peers before a web that is a table. */
function benchOf(size: number, pages: Readonly<Record<string, TablePage>>): SwarmBench {
  return new SwarmBench(size, {}, {}, (ports) => {
    const web = new TableWeb(ports.clock, (url) => pages[url]);
    const addresses = ["198.51.100.7"] as IpAddress[];
    const expiresAtMs = Infinity;
    const resolve = (): Promise<ResolveOutcome> =>
      Promise.resolve({ kind: "addresses", addresses, expiresAtMs });
    return { ...ports, fetcher: web, resolver: { ...ports.resolver, resolve } };
  });
}

describe("in a swarm, a redirect chain that leads back to one of its pages", () => {
  it("within the site is followed to its end, also where its holder is killed on the way", async () => {
    const home = "http://site.example/";
    for (let afterMs = 1_000; afterMs < 3_500; afterMs += 250) {
      const bench = benchOf(3, pagesOf(home, "http://track.site.example/"));
      await bench.run(async () => {
        await bench.begin();
        const holder = bench.holderOf(home);
        const other = (holder + 1) % 3;
        await bench.peer(other).inject(job, [home], options);
        await bench.pass(afterMs);
        bench.machine(holder).kill();
        await bench.pass(30_000);
        await bench.finished(other);
        const [page] = await bench.peer(other).status([home], job);
        expect(page).toMatchObject({ state: "done", httpStatus: 200 });
      });
    }
  });

  it("by way of another site ends there as a loop, with that reason", async () => {
    const [home, track] = ["http://site.example/", "http://track.example/"];
    const bench = benchOf(2, pagesOf(home, track));
    await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, [home], options);
      await bench.finished(0);
      const [first, last] = await bench.peer(1).status([home, track], job);
      expect(first).toMatchObject({
        state: "done",
        httpStatus: 302,
        redirect: `${track}?utm_source=x`,
      });
      const redirect = `${home}?utm_source=x`;
      expect(last).toMatchObject({ state: "done", reason: "redirect-loop", redirect });
    });
  });
});
