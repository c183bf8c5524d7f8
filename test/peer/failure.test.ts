import { describe, expect, it } from "vitest";
import { htmlPage } from "../support/table-web.ts";
import type { Pages } from "../support/table-web.ts";
import { testJob, VirtualPeer } from "../support/virtual-peer.ts";

const hosts = 12;
const pagesPerHost = 20;

/** Hosts that each link to their next page and to the next host. */
const web: Pages = (url) => {
  const match = /^http:\/\/h(\d+)\.example\/p(\d+)$/.exec(url);
  if (!match) return undefined;
  const [host, page] = [Number(match[1]), Number(match[2])];
  if (host >= hosts || page >= pagesPerHost) return undefined;
  return htmlPage(`/p${(page + 1) % pagesPerHost}`, `http://h${(host + 1) % hosts}.example/p0`);
};

describe("a peer whose disk runs full", () => {
  it.each([
    ["the database's", (machine: VirtualPeer) => (machine.disk.full = true)],
    ["the archive's", (machine: VirtualPeer) => machine.fillArchiveDisk()],
  ])(
    "refuses more where it is %s, stops at once, loses nothing and archives nothing twice",
    async (_which, fill) => {
      for (const afterMs of [300, 401, 555, 666, 780]) {
        const machine = new VirtualPeer(web);
        await machine.clock.run(
          (async () => {
            const peer = await machine.start();
            await machine.inject(["http://h0.example/p0"], { scope: "any", delayMs: 20 });
            await machine.clock.sleep(afterMs);
            const waiting = expect(
              peer.jobFinished(testJob, new AbortController().signal),
            ).rejects.toMatchObject({ code: "DISK_FULL" });
            fill(machine);
            await waiting;
            expect(await peer.failed).toMatchObject({ code: "DISK_FULL" });
            const failedAtMs = machine.clock.nowMs();
            const late = peer.inject(testJob, ["http://late.example/"]);
            await expect(late).rejects.toMatchObject({ code: "DISK_FULL" });
            await peer.stop();
            expect(machine.clock.nowMs() - failedAtMs).toBeLessThan(1_000);

            machine.disk.full = false;
            machine.kill();
            const next = await machine.start();
            await next.jobFinished(testJob, new AbortController().signal);
            expect(next.job(testJob)).toMatchObject({
              finished: true,
              counts: { pages: hosts * pagesPerHost, queued: 0 },
            });
            const archived = machine.archived();
            expect(archived).toHaveLength(new Set(archived).size);
          })(),
        );
      }
    },
  );
});

describe("a peer that cannot say of its leases that they are over", () => {
  it("stops with the reason, wherever its requests are", async () => {
    for (const afterMs of [300, 401, 555, 666, 780]) {
      const machine = new VirtualPeer(web);
      await machine.clock.run(
        (async () => {
          const peer = await machine.start();
          await machine.inject(["http://h0.example/p0"], { scope: "any", delayMs: 20 });
          await machine.clock.sleep(afterMs);
          machine.breakLeases();
          expect(await peer.failed).toMatchObject({ code: "STORE_IO" });
          await peer.stop();
        })(),
      );
    }
  });
});

describe("a peer whose parser cannot go on", () => {
  it("stops with the reason, and gives up no page for it", async () => {
    const machine = new VirtualPeer(web);
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(["http://h0.example/p0"], { scope: "any", delayMs: 20 });
        await machine.clock.sleep(401);
        await machine.endParser();
        expect(await peer.failed).toMatchObject({ code: "PARSER_CRASHED" });
        await peer.stop();

        machine.kill();
        const next = await machine.start();
        await next.jobFinished(testJob, new AbortController().signal);
        expect(next.job(testJob)).toMatchObject({
          counts: { pages: hosts * pagesPerHost, failed: 0, queued: 0 },
        });
      })(),
    );
  });
});
