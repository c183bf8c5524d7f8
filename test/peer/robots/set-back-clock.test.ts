import { expect, it } from "vitest";
import { htmlPage, type Pages } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const hourMs = 3_600_000;
const everything = { gte: new Uint8Array(), lt: new Uint8Array(64).fill(255) };
const url = "http://site.example/";

it("an origin that was out of reach under a clock that was ahead is asked again soon", async () => {
  let isDown = true;
  const pages: Pages = () => (isDown ? { failure: "connect-refused" } : htmlPage());
  const before = new VirtualPeer(pages);
  await before.clock.run(
    (async () => {
      await before.clock.sleep(5 * hourMs);
      const peer = await before.start();
      await before.inject([url]);
      await before.clock.sleep(10_000);
      await peer.stop();
    })(),
  );
  isDown = false;
  const after = new VirtualPeer(pages);
  after.disk.apply(
    before.disk.entries(everything).map(({ key, value }) => ({ type: "put", key, value })),
  );
  await after.clock.run(
    (async () => {
      const peer = await after.start();
      const startMs = after.clock.nowMs();
      await peer.jobFinished(testJob, new AbortController().signal);
      expect(after.clock.nowMs() - startMs).toBeLessThan(60_000);
    })(),
  );
});
