import { describe, expect, it } from "vitest";
import type { IpAddress } from "../../../src/core/units.ts";
import { htmlPage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

/** Answers that hold for half a minute. */
function holdShortly({ clock, web }: VirtualPeer): void {
  const resolve = web.resolve.bind(web);
  web.resolve = async (host) => {
    const outcome = await resolve(host);
    const expiresAtMs = clock.nowMs() + 30_000;
    return outcome.kind === "addresses" ? { ...outcome, expiresAtMs } : outcome;
  };
}

const former = "addr-site.example" as IpAddress;
const moved = "moved" as IpAddress;

describe("a host that was closed for longer than its address holds", () => {
  it.each([1, 2])(
    "is asked where its name stands by then (%i connections)",
    async (connections) => {
      const machine = new VirtualPeer((url, asked) => {
        if (url.endsWith("/robots.txt")) return undefined;
        return asked === 0 ? { status: 503, headers: { "retry-after": "36000" } } : htmlPage();
      });
      const { clock, web } = machine;
      const movesAtMs = clock.nowMs() + 3_600_000;
      const resolve = web.resolve.bind(web);
      web.resolve = async (host) => {
        const outcome = await resolve(host);
        if (outcome.kind !== "addresses" || clock.nowMs() < movesAtMs) return outcome;
        return { ...outcome, addresses: [moved] };
      };
      const options = { connectionsPerHost: connections, delayMs: 1_000 };
      const peer = await machine.crawl(["http://site.example/"], options);
      expect(web.requests.map(({ address }) => address)).toEqual([former, former, moved]);
      expect(peer.job(testJob).counts).toMatchObject({ fetched: 1 });
    },
  );

  it.each([
    [1, 60_000],
    [2, 60_000],
    [1, 900_000],
  ])(
    "keeps its pace, where its rests are longer (%i connections, %i ms)",
    async (connections, delayMs) => {
      const machine = new VirtualPeer(() => htmlPage());
      const { clock } = machine;
      holdShortly(machine);
      const seeds = Array.from({ length: 20 }, (_, number) => `http://site.example/${number}`);
      await clock.run(
        (async () => {
          const peer = await machine.start();
          await machine.inject(seeds, { connectionsPerHost: connections, delayMs });
          await clock.sleep(10 * delayMs);
          expect(peer.job(testJob).counts.fetched).toBeGreaterThanOrEqual(9);
        })(),
      );
    },
  );

  it("has its turns, where each rest is longer than an old address serves", async () => {
    const machine = new VirtualPeer(() => htmlPage());
    const { clock } = machine;
    holdShortly(machine);
    await clock.run(
      (async () => {
        const peer = await machine.start();
        const seeds = [1, 2, 3].map((number) => `http://site.example/${number}`);
        await machine.inject(seeds, { connectionsPerHost: 2, delayMs: 900_000 });
        await clock.sleep(9_000_000);
        expect(peer.job(testJob).counts).toMatchObject({ fetched: 3 });
      })(),
    );
  });
});
