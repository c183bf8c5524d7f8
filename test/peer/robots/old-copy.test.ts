import { expect, it } from "vitest";
import { htmlPage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const dayMs = 86_400_000;

it("serves while its origin is out of reach, for 30 days since it was read, however often it served", async () => {
  const machine = new VirtualPeer((url, asked) => {
    if (!url.endsWith("/robots.txt")) return htmlPage();
    return asked === 0 ? { body: "User-agent: *\nDisallow: /secret/\n" } : { status: 500 };
  });
  const [first, early, kept, late] = ["", "early", "secret/early", "late"].map(
    (path) => `http://site.example/${path}`,
  ) as [string, string, string, string];
  const statuses = await machine.clock.run(
    (async () => {
      for (const [urls, afterDays] of [
        [[first], 0],
        [[early, kept], 20],
        [[late], 11],
      ] as const) {
        // A peer that runs would look after many things for all these days.
        await machine.clock.sleep(afterDays * dayMs);
        const peer = await machine.start();
        await machine.inject(urls);
        await peer.jobFinished(testJob, new AbortController().signal);
        await peer.stop();
      }
      const peer = await machine.start();
      return peer.status([first, early, kept, late]);
    })(),
  );
  expect(statuses).toMatchObject([
    { state: "done", httpStatus: 200 },
    { state: "done", httpStatus: 200 },
    { state: "excluded", reason: "robots" },
    { reason: "robots-unreachable" },
  ]);
});
