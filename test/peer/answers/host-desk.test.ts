import { describe, expect, it } from "vitest";
import type { HostStatus } from "../../../src/core/answers/host-status.ts";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import type { JobId } from "../../../src/core/units.ts";
import { htmlPage, type TablePage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const seed = "http://site.example/";
const links = Array.from({ length: 20 }, (_, at) => `/${at}`);

/** What a peer says of the host of a page with links after `scene` was played there. */
function hostAfter(
  scene: (machine: VirtualPeer) => Promise<unknown>,
  robots?: TablePage,
): Promise<HostStatus> {
  const machine = new VirtualPeer((url) =>
    url.endsWith("robots.txt") ? robots : htmlPage(...links),
  );
  return machine.clock.run(
    (async () => {
      const peer = await machine.start();
      await scene(machine);
      await machine.clock.sleep(2_000);
      return peer.host("site.example");
    })(),
  );
}

describe("a peer that is asked for a host", () => {
  it("says why its robots.txt did not come", async () => {
    const host = await hostAfter((machine) => machine.inject([seed]), {
      failure: "connect-refused",
    });
    expect(host).toMatchObject({
      hold: "backoff",
      robots: [{ verdict: "disallow-all", httpStatus: 0, failure: "connect-refused" }],
    });
  });

  it("tells when its robots.txt was fetched, however long the machine was asleep since", async () => {
    const dayMs = 86_400_000;
    const machine = new VirtualPeer((url) => (url.endsWith("robots.txt") ? {} : htmlPage()));
    const robots = async () => (await machine.peer.host("site.example")).robots;
    await machine.clock.run(
      (async () => {
        await machine.start();
        await machine.inject([seed]);
        await machine.clock.sleep(2_000);
        const [first] = await robots();
        const fetchedAtMs = Date.parse(first?.fetchedAt ?? "");
        machine.setClockForward(dayMs);
        expect(await robots()).toEqual([first]);
        await machine.inject([`${seed}1`]);
        await machine.clock.sleep(2_000);
        const [second] = await robots();
        expect(Date.parse(second?.fetchedAt ?? "") - fetchedAtMs).toBeGreaterThan(dayMs);
      })(),
    );
  });

  it.each([
    [40, { urls: 40, orMore: false }],
    [1_000, { urls: 1_000, orMore: false }],
    [1_001, { urls: 1_000, orMore: true }],
  ])("counts the URLs that it has queued, here %i", async (count, counted) => {
    const host = await hostAfter(async ({ peer }) => {
      const urls = Array.from({ length: count }, (_, number) => `${seed}${number}`);
      await peer.inject(testJob, [], {});
      await peer.changeJob(testJob, "pause");
      await peer.inject(testJob, urls, {});
    });
    expect(host).toMatchObject({ queued: [{ job: testJob, ...counted }] });
  });

  it("tells nothing as queued of a cancelled job, though the host is known", async () => {
    const host = await hostAfter(async (machine) => {
      await machine.inject([seed], { delayMs: 1_000 });
      await machine.clock.sleep(5_500);
      await machine.peer.changeJob(testJob, "cancel");
    });
    expect(host).toMatchObject({ known: true, queued: [] });
    expect(host).not.toHaveProperty("hold");
  });

  it("gives the reason of a job that has its pages, as it does for a URL of it", async () => {
    const host = await hostAfter(async (machine) => {
      await machine.inject([seed], { delayMs: 100, pagesMax: 3 });
      await machine.peer.jobFinished(testJob, new AbortController().signal);
    });
    expect(host).toMatchObject({ queued: [{ job: testJob }], hold: "page-limit" });
  });

  it("names the hold that a user can end, unless a job goes on", async () => {
    const paused = "paused" as JobId;
    const addPaused = async ({ peer }: VirtualPeer): Promise<void> => {
      await peer.inject(paused, ["http://site.example/50"], { delayMs: 60_000 });
      await peer.changeJob(paused, "pause");
    };
    const held = await hostAfter(async (machine) => {
      await machine.inject([seed], { delayMs: 100, pagesMax: 3 });
      await machine.peer.jobFinished(testJob, new AbortController().signal);
      await addPaused(machine);
    });
    expect(held).toMatchObject({ hold: "job-paused" });
    const going = await hostAfter(async (machine) => {
      await machine.inject([seed], { delayMs: 60_000 });
      await addPaused(machine);
    });
    expect(going).toMatchObject({ hold: "politeness" });
  });

  it("lets a halted host back before its time, also after a restart, and no other", async () => {
    const politeness = { ...defaultPolitenessOptions, haltFailuresInRow: 3 };
    let isWell = false;
    const machine = new VirtualPeer((url) => (isWell ? htmlPage(...links) : answerOf(url)), {
      politeness,
    });
    const never = new AbortController().signal;
    await machine.clock.run(
      (async () => {
        await machine.start();
        await machine.inject([seed]);
        await machine.clock.sleep(2_000);
        // A backoff ends by itself.
        expect(await machine.peer.host("site.example", "release")).toMatchObject({
          hold: "backoff",
        });
        await machine.inject([`${seed}1`, `${seed}2`]);
        await machine.peer.jobFinished(testJob, never);
        expect(await machine.peer.host("site.example")).toMatchObject({ hold: "halted" });
        machine.kill();
        isWell = true;
        const startedAtMs = machine.clock.nowMs();
        const peer = await machine.start();
        const released = await peer.host("site.example", "release");
        expect(released).toMatchObject({ failuresInRow: 0 });
        expect(released.hold).not.toBe("halted");
        await peer.jobFinished(testJob, never);
        expect(peer.job(testJob).counts.queued).toBe(0);
        expect(machine.clock.nowMs() - startedAtMs).toBeLessThan(60_000);
      })(),
    );
  });
});

/** A host whose pages fail. */
function answerOf(url: string): TablePage {
  return { status: url.endsWith("robots.txt") ? 404 : 500 };
}
