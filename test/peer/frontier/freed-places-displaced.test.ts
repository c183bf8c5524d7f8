import { expect, it, vi } from "vitest";
import type { JobId } from "../../../src/core/units.ts";
import { Frontier } from "../../../src/peer/frontier/frontier.ts";
import { defaultPeerOptions } from "../../../src/peer/peer-options.ts";
import { htmlPage } from "../../support/table-web.ts";
import { VirtualPeer } from "../../support/virtual-peer.ts";

const places = 1_500;
const limited = "limited" as JobId;
const other = "other" as JobId;
const short = "short" as JobId;
const seedsOf = (host: string, count: number): string[] =>
  Array.from({ length: count }, (_, number) => `http://${host}/${number}`);

it("does not take a job for stalled whose hosts have given their places away", async () => {
  const machine = new VirtualPeer(
    (url) => {
      if (url.endsWith("/robots.txt")) return undefined;
      if (url.includes("halted")) return { status: 500 };
      return url.includes("slow") ? undefined : htmlPage();
    },
    { frontier: { ...defaultPeerOptions.frontier, activeHostsMax: places } },
  );
  const { clock, web } = machine;
  const fetch = web.fetch.bind(web);
  web.fetch = async (request, signal) => {
    if (request.url === "http://slow.example/0") await clock.sleep(30_000, signal);
    return fetch(request, signal);
  };
  await clock.run(
    (async () => {
      const peer = await machine.start();
      await peer.inject(limited, seedsOf("halted.example", 60), { delayMs: 100 });
      const isHalted = async () => (await peer.host("halted.example")).hold === "halted";
      while (!(await isHalted())) await clock.sleep(10_000);
      const hosts = Array.from({ length: places - 1 }, (_, number) => `h${number}.example`);
      const last = hosts.pop() ?? "";
      const seeds = hosts.flatMap((host) => seedsOf(host, 2));
      await peer.inject(other, seeds, { delayMs: 40_000 });
      // They take the place of the one that is halted, and leave soon.
      await peer.inject(short, [...seedsOf("x.example", 1), ...seedsOf("y.example", 1)]);
      await peer.jobFinished(short, new AbortController().signal);
      await peer.inject(limited, seedsOf("slow.example", 1), { pagesMax: 1 });
      await clock.sleep(1_000);
      await peer.inject(limited, seedsOf("good.example", 1));
      await clock.sleep(1_000);
      await peer.inject(other, seedsOf(last, 2));
      await peer.jobFinished(limited, new AbortController().signal);
      expect(peer.job(limited).counts).toMatchObject({ pages: 1 });
    })(),
  );
}, 60_000);

it("rouses nobody once the peer has stopped, which cut its requests off", async () => {
  const machine = new VirtualPeer(() => htmlPage(), { drainMs: 1_000 });
  const { clock, web } = machine;
  const fetch = web.fetch.bind(web);
  web.fetch = async (request, signal) => {
    if (!request.url.endsWith("/robots.txt")) await clock.sleep(30_000, signal);
    return fetch(request, signal);
  };
  const rousals = vi.spyOn(Frontier.prototype, "jobsChanged");
  await clock.run(
    (async () => {
      const peer = await machine.start();
      const homes = Array.from({ length: 100 }, (_, number) => `http://h${number}.example/`);
      await peer.inject(limited, homes, { pagesMax: 50 });
      await clock.sleep(10_000);
      await peer.stop();
      rousals.mockClear();
      await clock.sleep(10_000);
    })(),
  );
  expect(rousals).not.toHaveBeenCalled();
  rousals.mockRestore();
});
