import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { Dice } from "../../../sim/world/dice.ts";
import { SeededEntropy } from "../../../sim/world/seeded-entropy.ts";
import { PrometheusMetrics } from "../../../src/adapters/metrics/prometheus-metrics.ts";
import { HostGate } from "../../../src/core/politeness/host-gate.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { lookRestMs } from "../../../src/core/politeness/outage-watch.ts";
import type { FetchFailure } from "../../../src/core/politeness/retry-table.ts";
import type { HostName, OriginName } from "../../../src/core/units.ts";
import { Outages, type OriginSource } from "../../../src/peer/fetching/outages.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import { silentLogger } from "../../support/silent-logger.ts";
import { TableWeb } from "../../support/table-web.ts";

const forever = new AbortController().signal;

class OutagesBench {
  readonly clock = new VirtualClock();
  readonly metrics = new PrometheusMetrics();
  readonly told: string[] = [];
  readonly failures: unknown[] = [];
  readonly web = new TableWeb(this.clock, () => undefined);
  readonly #gates = new Map<string, HostGate>();
  readonly #outages: Outages;

  constructor(sources: readonly OriginSource[] = [], signal = forever) {
    const { clock, failures, metrics, told, web } = this;
    const tell = (event: string): void => void told.push(event);
    const logger = { ...silentLogger, info: tell, warn: tell };
    const entropy = new SeededEntropy(new Dice(1));
    const ports = { clock, entropy, logger, metrics, probe: web };
    const events = {
      onEnd: () => tell("end"),
      onFailure: (error: unknown) => void failures.push(error),
    };
    this.#outages = new Outages(ports, sources, events, signal);
  }

  hear(host: string, failure?: FetchFailure): Promise<boolean> {
    const gate = this.#gates.get(host) ?? new HostGate(defaultPolitenessOptions);
    this.#gates.set(host, gate);
    const url = { entry: { url: `http://${host}/` } };
    const lease = { address: host, host: { visit: { gate, host } }, url } as unknown as Lease;
    return this.#outages.hear(lease, { startedAtMs: this.clock.nowMs(), failure });
  }

  /** What is told of a host that rests after a failure, or between two requests. */
  holdOf(host: string, isPolite = false): string | undefined {
    const gate = new HostGate(defaultPolitenessOptions);
    const nowMs = this.clock.nowMs();
    if (isPolite) gate.opened(nowMs, 1);
    else gate.restUntil(nowMs + 1);
    return this.#outages.holdOf({ gate, host: host as HostName }, nowMs);
  }

  /** For how long hosts of these names, of which was heard, rest. */
  restsMs(...names: readonly string[]): number[] {
    const nowMs = this.clock.nowMs();
    return names.map((name) => (this.#gates.get(`${name}.example`)?.nextFetchAtMs ?? 0) - nowMs);
  }

  /** Attempts at three hosts end so at once; whether that is put down to an outage. */
  hearThree(failure?: FetchFailure): Promise<boolean[]> {
    return Promise.all(["a", "b", "c"].map((name) => this.hear(`${name}.example`, failure)));
  }

  /** Three have answered, and ten seconds later nobody does. */
  async fallSilent(failure: FetchFailure = "connect-timeout"): Promise<boolean[]> {
    await this.hearThree();
    await this.clock.sleep(10_000);
    this.web.down = failure;
    return this.hearThree(failure);
  }

  async isDown(): Promise<boolean> {
    return (await this.metrics.text()).includes("\norbweaver_network_down 1\n");
  }
}

describe("Outages", () => {
  it.each<[string, FetchFailure]>([
    ["network", "connect-timeout"],
    ["network", "connect-unreachable"],
    ["name-server", "dns-error"],
    ["name-server", "dns-timeout"],
  ])(
    "tell of one of the %s while they believe in it, where all ends with %s, also if nobody is asked any more",
    async (name, failure) => {
      const bench = new OutagesBench();
      const { clock, told } = bench;
      await clock.run(
        (async () => {
          await bench.fallSilent(failure);
          expect([told, await bench.isDown()]).toEqual([[`${name}-down`], true]);
          await clock.sleep(86_400_000 + lookRestMs);
          const events = [`${name}-down`, `${name}-given-up`];
          expect([told, await bench.isDown()]).toEqual([events, false]);
          expect(await bench.hear("a.example", failure)).toBe(false);
        })(),
      );
    },
  );

  it("remember the 10,000 hosts that came to rest last, and of no other that it rests for them", async () => {
    const bench = new OutagesBench();
    await bench.clock.run(
      (async () => {
        await bench.fallSilent();
        for (let at = 0; at < 10_000; at += 1)
          await bench.hear(`h${at}.example`, "connect-timeout");
        await bench.hear("h0.example", "connect-timeout");
        await bench.hear("h10000.example", "connect-timeout");
        const holds = ["h0", "h1", "h2", "other"].map((name) => bench.holdOf(`${name}.example`));
        expect(holds).toEqual(["network-down", "backoff", "network-down", "backoff"]);
        expect(bench.holdOf("h0.example", true)).toBe("politeness");
      })(),
    );
  });

  it("judge an attempt behind the look that it calls for", async () => {
    const bench = new OutagesBench();
    // The first two have been judged when the third one calls for it.
    expect(await bench.clock.run(bench.fallSilent())).toEqual([false, false, true]);
  });

  it("ask in turn for those who have answered before, until there are enough", async () => {
    const asked: string[] = [];
    const source = (...names: string[]): OriginSource => {
      return () => {
        asked.push(...names);
        return Promise.resolve(names.map((name) => `http://${name}.example` as OriginName));
      };
    };
    const bench = new OutagesBench([source("x"), source("y"), source("z")]);
    await bench.hear("a.example");
    bench.web.down = "connect-timeout";
    const judged = await bench.clock.run(
      (async () => {
        await bench.clock.sleep(10_000);
        return bench.hearThree("connect-timeout");
      })(),
    );
    expect([judged, asked]).toEqual([
      [false, false, true],
      ["x", "y"],
    ]);
    expect(bench.told).toEqual(["network-down"]);
  });

  it("look no longer than until the first sign of life", async () => {
    const bench = new OutagesBench();
    await bench.clock.run(
      (async () => {
        await bench.hearThree();
        await bench.clock.sleep(10_000);
        bench.web.lookMs.set("a.example", 20_000);
        const atMs = bench.clock.nowMs();
        expect(await bench.hearThree("connect-timeout")).toEqual([false, false, false]);
        expect(bench.clock.nowMs() - atMs).toBeLessThan(1_000);
        expect(bench.clock.sleepers).toBe(0);
      })(),
    );
  });

  it("tell of its end, though nobody is asked any more, and of the next one", async () => {
    const bench = new OutagesBench();
    await bench.clock.run(
      (async () => {
        await bench.fallSilent();
        bench.web.down = undefined;
        await bench.clock.sleep(lookRestMs + 1_000);
        expect(bench.told).toEqual(["network-down", "network-up", "end"]);
        expect([bench.web.lookedAt.length, await bench.isDown()]).toEqual([6, false]);
        await bench.clock.sleep(lookRestMs);
        await bench.fallSilent();
        expect(bench.told).toEqual(["network-down", "network-up", "end", "network-down"]);
      })(),
    );
  });

  describe("let those back that rest for one", () => {
    /** The network has been down for so long that c and another host are to rest for minutes, when `scene` begins. */
    function afterLong(scene: (bench: OutagesBench) => Promise<unknown>): Promise<unknown> {
      const bench = new OutagesBench();
      return bench.clock.run(
        (async () => {
          await bench.fallSilent();
          await bench.clock.sleep(1_200_000);
          for (const name of ["c", "other"]) await bench.hear(`${name}.example`, "connect-timeout");
          expect(Math.min(...bench.restsMs("c", "other"))).toBeGreaterThanOrEqual(300_000);
          await scene(bench);
        })(),
      );
    }

    function expectSoon(restsMs: readonly number[]): void {
      expect(Math.min(...restsMs)).toBeGreaterThanOrEqual(30_000);
      expect(Math.max(...restsMs)).toBeLessThan(60_000);
      expect(new Set(restsMs).size).toBe(restsMs.length);
    }

    it("soon after the first answer, and no others", () =>
      afterLong(async (bench) => {
        bench.web.nameServerIsDown = true;
        for (const name of ["x", "y", "z"]) await bench.hear(`${name}.example`, "dns-error");
        await bench.clock.sleep(1_200_000);
        for (const name of ["c", "other"]) await bench.hear(`${name}.example`, "connect-timeout");
        await bench.hear("z.example", "dns-error");
        const before = bench.restsMs("z");
        await bench.hear("d.example");
        expectSoon(bench.restsMs("c", "other"));
        expect(bench.restsMs("z")).toEqual(before);
        expect(bench.told.filter((event) => event === "end")).toHaveLength(1);
      }));

    it("soon after a look that finds somebody", () =>
      afterLong(async (bench) => {
        bench.web.down = undefined;
        while (!bench.told.includes("end")) await bench.clock.sleep(100);
        expectSoon(bench.restsMs("c", "other"));
      }));

    it("and say no more of it where they rest for another reason then", () =>
      afterLong(async (bench) => {
        bench.web.down = undefined;
        await bench.clock.sleep(2 * lookRestMs);
        await bench.fallSilent();
        const holds = ["c", "other"].map((name) => bench.holdOf(`${name}.example`));
        expect(holds).toEqual(["network-down", "backoff"]);
      }));
  });

  it("look at nobody twice at a time", async () => {
    const bench = new OutagesBench();
    for (const name of ["a", "b", "c"]) bench.web.lookMs.set(`${name}.example`, 15_000);
    await bench.clock.run(
      (async () => {
        await bench.fallSilent();
        await bench.clock.sleep(lookRestMs - 10_000);
        await bench.hearThree("connect-timeout");
        expect(bench.web.lookedAt).toHaveLength(3);
        await bench.clock.sleep(11_000);
        expect(bench.web.lookedAt).toHaveLength(6);
      })(),
    );
  });

  describe("of the name server, where none that answered has a name,", () => {
    const addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];

    it.each([
      ["nobody", []],
      ["so many", addresses],
    ] as const)("are known by whether it answers itself (%s)", async (_, hosts) => {
      const bench = new OutagesBench();
      const { clock, told, web } = bench;
      for (const host of hosts) await bench.hear(host);
      await clock.run(
        (async () => {
          expect(await bench.hearThree("dns-timeout")).toEqual([false, false, false]);
          web.nameServerIsDown = true;
          await clock.sleep(lookRestMs);
          expect(await bench.hearThree("dns-timeout")).toEqual([false, false, true]);
          expect([told, await bench.isDown()]).toEqual([["name-server-down"], true]);
          web.nameServerIsDown = false;
          await clock.sleep(lookRestMs + 1_000);
          expect(told).toEqual(["name-server-down", "name-server-up", "end"]);
        })(),
      );
    });
  });

  it("know of none of the network where nobody has ever answered", async () => {
    const bench = new OutagesBench();
    bench.web.down = "connect-timeout";
    const judged = await bench.clock.run(bench.hearThree("connect-timeout"));
    expect([judged, bench.told]).toEqual([[false, false, false], []]);
  });

  it("say nothing of an outage once the peer stops", async () => {
    const bench = new OutagesBench([], AbortSignal.abort());
    await bench.clock.run(bench.fallSilent());
    expect(bench.told).toEqual([]);
  });

  it.each([
    ["tell when it cannot be told who has answered", forever, 1],
    ["do not tell so when the peer stops", AbortSignal.abort(), 0],
  ])("%s", async (_what, signal, failures) => {
    const bench = new OutagesBench([() => Promise.reject(new Error("closed"))], signal);
    await bench.clock.run(bench.hearThree("connect-timeout"));
    expect(bench.failures).toHaveLength(failures);
  });
});
