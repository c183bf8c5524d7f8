import { describe, expect, it } from "vitest";
import { htmlPage } from "../../support/table-web.ts";
import type { TablePage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const home = "http://site.example/";

const to = (location: string): TablePage => ({ status: 302, headers: { location } });

/** A page that is linked with a tracking parameter, and asked for without it by way of `track`. */
function trackedSite(track: string): Readonly<Record<string, TablePage>> {
  return {
    [home]: htmlPage("/page?utm_source=x"),
    [`${home}page?utm_source=x`]: to(track),
    [track]: to(`${home}page`),
    [`${home}page`]: htmlPage("/next"),
    [`${home}next`]: htmlPage(),
  };
}

const counts = { pages: 3, fetched: 5, requests: 5, failed: 0, queued: 0, skipped: {} };

it("archives a redirect to another spelling of its page, which is asked again there", async () => {
  const linked = `${home}page?utm_source=x`;
  const pages: Readonly<Record<string, TablePage>> = {
    [home]: htmlPage("/page?utm_source=x"),
    [linked]: to(`${home}page`),
    [`${home}page`]: htmlPage(),
  };
  const machine = new VirtualPeer((url) => pages[url]);
  const peer = await machine.crawl([home], { delayMs: 10 });
  expect(peer.job(testJob).counts).toMatchObject({ pages: 2, fetched: 2, requests: 3, queued: 0 });
  expect(machine.archived()).toEqual([home, linked, `${home}page`]);
});

describe("a redirect chain that leads back to one of its pages, in another spelling", () => {
  it.each([
    ["the same host", `${home}track`],
    ["another host", "http://track.site.example/"],
    ["another site", "http://track.example/"],
  ])("by way of %s, is followed to its end", async (_, track) => {
    const pages = trackedSite(track);
    const machine = new VirtualPeer((url) => pages[url]);
    const peer = await machine.crawl([home], { delayMs: 10, scope: "any" });
    expect([...machine.web.counts().keys()].sort()).toEqual(Object.keys(pages).sort());
    expect(peer.job(testJob)).toMatchObject({ finished: true, counts });
    const [page, tracked] = await peer.status([`${home}page`, track]);
    expect(page).toMatchObject({ state: "done", httpStatus: 200, attempts: 2 });
    expect(tracked).toMatchObject({ httpStatus: 302, redirect: `${home}page` });
  });

  it("gives a seed that is sent through a session its pages", async () => {
    const pages: Readonly<Record<string, TablePage>> = {
      [home]: to("/start?PHPSESSID=abc"),
      [`${home}start?PHPSESSID=abc`]: to("/?PHPSESSID=abc"),
      [`${home}?PHPSESSID=abc`]: htmlPage("/next"),
      [`${home}next`]: htmlPage(),
    };
    const machine = new VirtualPeer((url) => pages[url]);
    const peer = await machine.crawl([home], { delayMs: 10, scope: "host" });
    expect(peer.job(testJob).counts).toMatchObject({ pages: 2, fetched: 4, queued: 0 });
  });

  it("ends where it goes on for ever", async () => {
    const machine = new VirtualPeer((url) => {
      const [, name, lap] =
        /^http:\/\/site\.example\/([abc])(?:\?utm_source=(\d+))?$/.exec(url) ?? [];
      if (name === "c") return to(`/a?utm_source=${Number(lap ?? 0) + 1}`);
      return to(`/${name === "a" ? "b" : "c"}?utm_source=${lap ?? 0}`);
    });
    const peer = await machine.crawl([`${home}a`], { delayMs: 10 });
    expect(peer.job(testJob)).toMatchObject({ finished: true, counts: { fetched: 11, queued: 0 } });
    const states = await peer.status([`${home}a`, `${home}b`, `${home}c`]);
    expect(states.map(({ reason }) => reason)).toContain("redirect-limit");
    const simple: Readonly<Record<string, TablePage>> = {
      [`${home}a`]: to("/b"),
      [`${home}b`]: to("/a?utm_source=x"),
      [`${home}a?utm_source=x`]: to("/b"),
    };
    const other = new VirtualPeer((url) => simple[url]);
    const looped = await other.crawl([`${home}a`], { delayMs: 10 });
    expect([...other.web.counts().values()]).toEqual([1, 1, 1]);
    const [last] = await looped.status([`${home}a`]);
    expect(last).toMatchObject({ state: "done", reason: "redirect-loop", attempts: 2 });
  });

  it("is followed to its end through kills, and what is fetched again is counted", async () => {
    const track = "http://track.example/";
    const pages = trackedSite(track);
    for (let afterMs = 5; afterMs < 400; afterMs += 5) {
      const machine = new VirtualPeer((url) => pages[url]);
      await machine.clock.run(
        (async () => {
          await machine.start();
          await machine.inject([home], { delayMs: 10, scope: "any" });
          await machine.clock.sleep(afterMs);
          machine.kill();
          const peer = await machine.start();
          await peer.jobFinished(testJob, new AbortController().signal);
        })(),
      );
      const fetched = [...machine.web.counts().values()];
      const again = fetched.reduce((sum, count) => sum + count - 1, 0);
      const report = machine.peer.job(testJob).counts;
      expect(report).toMatchObject({ pages: 3, fetched: 5, queued: 0 });
      expect(again).toBeLessThanOrEqual(report.duplicateFetches);
    }
  });
});
