import { describe, expect, it } from "vitest";
import { plainSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import type { VirtualHit } from "../../../sim/world/virtual-web.ts";
import type { HostName } from "../../../src/core/units.ts";
import { SwarmBench } from "./swarm-bench.ts";

const restSeconds = 8;

/** A swarm in which the robots.txts of other members' hosts lead to one of the first member's, and what that answers. */
class HubBench {
  readonly bench: SwarmBench;
  readonly hub: HostName;
  readonly hits: VirtualHit[] = [];

  constructor(
    answers: { readonly status: number; readonly retryAfterSeconds?: number },
    hostsPerAddress = 1,
  ) {
    const web = { roundTripMedianMs: 1, roundTripTail: 0 };
    const sites = { sites: 12, totalPages: 120, hostsPerAddress };
    this.bench = new SwarmBench(3, { web, sampleWeb: { ...plainSampleWebOptions, ...sites } });
    const [root = ""] = this.bench.world.sampleWeb.rootUrls();
    const hub = new URL(root).host;
    this.hub = hub as HostName;
    this.bench.world.web.addRule(({ host, url }) => {
      if (url.startsWith(`http://${hub}/robots-of/`)) return { kind: "status", ...answers };
      return url.endsWith("/robots.txt") && this.#holderOf(host) !== this.#holderOf(hub)
        ? { kind: "redirect", location: `http://${hub}/robots-of/${host}` }
        : undefined;
    });
    this.bench.world.web.onHit((hit) => {
      if (hit.host === hub) this.hits.push(hit);
    });
  }

  #holderOf(host: string): number {
    return this.bench.holderOf(`http://${host}/`);
  }

  /** Times from hits of the status to the next ones. */
  restsMs(isCounted: (hit: VirtualHit) => boolean): number[] {
    return this.hits.flatMap((hit, at) => {
      const next = this.hits[at + 1];
      return next && isCounted(hit) ? [next.atMs - hit.atMs] : [];
    });
  }
}

describe("a host that a robots.txt of another member's leads to", () => {
  it("is left alone for as long as it has told any member", async () => {
    const swarm = new HubBench({ status: 429, retryAfterSeconds: restSeconds });
    const { bench, hits, hub } = swarm;
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 1_000 });
      await bench.pass(60_000);
      const status = await bench.peer(0).host(hub);
      expect(status).toMatchObject({ known: true });
      expect(status).not.toHaveProperty("opensInMs");
    });
    const restsMs = swarm.restsMs(({ status }) => status === 429);
    expect(new Set(hits.map(({ peer }) => peer)).size).toBe(3);
    expect(restsMs.length).toBeGreaterThan(4);
    expect(Math.min(...restsMs)).toBeGreaterThanOrEqual(restSeconds * 1_000);
  });

  it("is known to its holder to have been asked, whoever stops after that", async () => {
    const { bench, hub, hits } = new HubBench({ status: 404 });
    let told = 0;
    await bench.run(async () => {
      await bench.begin();
      for (const { swarm } of bench.peers) {
        if (!swarm) throw new Error("a member of a swarm");
        const { calls } = swarm;
        const host = calls.host.bind(calls);
        calls.host = (to, question) => {
          if (question.host === hub && question.restMs === 0) told += 1;
          return host(to, question);
        };
      }
      await bench.inject(0, { delayMs: 1_000 });
      await bench.pass(30_000);
    });
    const holder = bench.machine(bench.holderOf(`http://${hub}/`)).id;
    const hops = hits.filter(({ peer }) => peer !== holder);
    expect(hops.length).toBeGreaterThan(5);
    expect(told).toBe(hops.length);
  });

  it("is left alone for its delay after a request in the turn of the address that both share", async () => {
    const { bench, hits } = new HubBench({ status: 404 }, 12);
    await bench.run(async () => {
      await bench.begin();
      await bench.inject(0, { delayMs: 1_000 });
      await bench.pass(60_000);
    });
    const gapsMs = hits.slice(1).map((hit, at) => hit.atMs - (hits[at]?.atMs ?? 0));
    expect(new Set(hits.map(({ peer }) => peer)).size).toBe(3);
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(1_000);
  });
});
