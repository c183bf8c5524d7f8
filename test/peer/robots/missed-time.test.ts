import { describe, expect, it } from "vitest";
import { MissedTime } from "../../../src/peer/robots/missed-time.ts";
import type { JobId } from "../../../src/core/units.ts";
import { htmlPage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const dayMs = 86_400_000;

describe("time that a process has missed", () => {
  function clock() {
    const shown = { atMs: 1_000, aheadMs: 5_000 };
    const missed = new MissedTime({
      nowMs: () => shown.atMs,
      wallMs: () => shown.atMs + shown.aheadMs,
    });
    return { shown, missed };
  }

  it("counts for what was there before, and not for what came after", () => {
    const { shown, missed } = clock();
    expect(missed.since(0)).toBe(0);
    shown.atMs = 2_000;
    shown.aheadMs += dayMs;
    expect(missed.since(1_999)).toBe(dayMs);
    expect(missed.since(2_000)).toBe(0);
    shown.atMs = 3_000;
    shown.aheadMs += 2 * dayMs;
    expect([missed.since(1_000), missed.since(2_500)]).toEqual([3 * dayMs, 2 * dayMs]);
  });

  it("is none where a clock is set right, or back", () => {
    const { shown, missed } = clock();
    shown.aheadMs += 59_999;
    expect(missed.since(0)).toBe(0);
    shown.aheadMs -= dayMs;
    expect(missed.since(0)).toBe(0);
    shown.aheadMs += dayMs;
    expect(missed.since(0)).toBe(dayMs);
  });

  it("is counted whole, however often it was", () => {
    const { shown, missed } = clock();
    for (let time = 0; time < 1_000; time += 1) {
      shown.atMs += 1;
      shown.aheadMs += dayMs;
      missed.since(0);
    }
    expect(missed.since(1_000)).toBe(1_000 * dayMs);
    expect(missed.since(shown.atMs - 1)).toBe(dayMs);
  });
});

it("a robots.txt from before the machine was asleep for a day is asked for again", async () => {
  const machine = new VirtualPeer((url, asked) => {
    if (!url.endsWith("/robots.txt")) return htmlPage();
    return { body: asked > 0 ? "User-agent: *\nDisallow: /" : "" };
  });
  const later = "later" as JobId;
  await machine.crawl(["http://site.example/1"]);
  machine.setClockForward(dayMs);
  await machine.clock.run(
    (async () => {
      await machine.peer.inject(later, ["http://site.example/2"]);
      await machine.peer.jobFinished(later, new AbortController().signal);
    })(),
  );
  expect(machine.peer.job(later).counts).toMatchObject({ pages: 0, skipped: { robots: 1 } });
  expect(machine.web.hits.filter(({ url }) => url.endsWith("/robots.txt"))).toHaveLength(2);
});

/** A peer that has crawled a site, and was asleep then while its robots.txt went out of reach. */
async function asleepFor(ms: number): Promise<VirtualPeer> {
  const machine = new VirtualPeer((url, asked) => {
    if (!url.endsWith("/robots.txt")) return htmlPage();
    return asked > 0 ? { status: 503 } : { body: "User-agent: *\nDisallow: /secret" };
  });
  await machine.crawl(["http://site.example/1"]);
  machine.setClockForward(ms);
  return machine;
}

it("a copy from before the machine was asleep serves on while its origin is out of reach", async () => {
  const machine = await asleepFor(dayMs);
  const later = "later" as JobId;
  const host = await machine.clock.run(
    (async () => {
      await machine.peer.inject(later, ["http://site.example/2", "http://site.example/3"]);
      await machine.clock.sleep(20_000);
      return machine.peer.host("site.example");
    })(),
  );
  expect(machine.peer.job(later).counts).toMatchObject({ pages: 2 });
  expect(machine.web.hits.filter(({ url }) => url.endsWith("/robots.txt"))).toHaveLength(2);
  const againAtMs = Date.parse(host.robots[0]?.expiresAt ?? "") - dayMs;
  expect(againAtMs).toBeGreaterThan(machine.clock.nowMs());
});

it("a copy that is a month old serves no more, though the machine was asleep all the while", async () => {
  const machine = await asleepFor(31 * dayMs);
  const later = "later" as JobId;
  await machine.clock.run(
    (async () => {
      await machine.peer.inject(later, ["http://site.example/2"]);
      await machine.peer.jobFinished(later, new AbortController().signal);
    })(),
  );
  expect(machine.peer.job(later).counts).toMatchObject({ pages: 0 });
});

it("a robots.txt that is read after the machine was asleep is asked for once", async () => {
  const machine = new VirtualPeer((url) =>
    url.endsWith("/robots.txt") ? { body: "" } : htmlPage(),
  );
  await machine.crawl(["http://site.example/1"]);
  machine.setClockForward(dayMs);
  await machine.clock.run(
    (async () => {
      await machine.inject(["http://other.example/1", "http://other.example/2"]);
      await machine.peer.jobFinished(testJob, new AbortController().signal);
    })(),
  );
  const asked = machine.web.hits.filter(({ url }) => url === "http://other.example/robots.txt");
  expect(asked).toHaveLength(1);
});

it("an origin that is waited for is told to be asked again when it is, though the machine was asleep meanwhile", async () => {
  const machine = new VirtualPeer((url) =>
    url.endsWith("/robots.txt") ? { status: 503 } : htmlPage(),
  );
  const host = await machine.clock.run(
    (async () => {
      await machine.start();
      await machine.inject(["http://site.example/1"]);
      await machine.clock.sleep(20_000);
      machine.setClockForward(dayMs);
      return machine.peer.host("site.example");
    })(),
  );
  expect(host.hold).toBe("backoff");
  expect(host.robots[0]?.expiresAt).toBe(host.nextFetchAt);
});
