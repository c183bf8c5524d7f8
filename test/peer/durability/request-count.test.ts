import { describe, expect, it } from "vitest";
import { defaultPolitenessOptions } from "../../../src/core/politeness/politeness-options.ts";
import { htmlPage } from "../../support/table-web.ts";
import type { Pages } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

const seed = "http://site.example/0";
const forever = new AbortController().signal;

/** Pages that are there, that fail for a while or for ever, and that lead on to others. */
const web: Pages = (url, asked) => {
  const number = Number(/^http:\/\/site\.example\/(\d+)$/.exec(url)?.[1]);
  if (!(number >= 0 && number < 24)) return undefined;
  if (number % 6 === 3) return { status: 302, headers: { location: `/${number + 5}` } };
  if (number % 6 === 4 && asked < 1) return { status: 500 };
  if (number === 11) return { failure: "connection-reset" };
  return htmlPage(`/${2 * number + 1}`, `/${2 * number + 2}`);
};

/** Requests for pages that the server saw, or would have seen. */
const sentBy = ({ web: { requests } }: VirtualPeer): number =>
  requests.filter(({ url }) => !url.endsWith("/robots.txt")).length;

/** Lets a crawl end in this way after each of these times, and start again. */
async function crawlThrough(
  machine: VirtualPeer,
  endsAfterMs: readonly number[],
  end: () => Promise<void> | void,
): Promise<number> {
  await machine.start();
  await machine.inject([seed], { delayMs: 5, connectionsPerHost: 4 });
  for (const afterMs of endsAfterMs) {
    await machine.clock.sleep(afterMs);
    await end();
    await machine.start();
  }
  await machine.peer.jobFinished(testJob, forever);
  return machine.peer.job(testJob).counts.requests;
}

/** A host that fails is asked again at once. */
const politeness = {
  ...defaultPolitenessOptions,
  backoffMaxMs: 1,
  breaker: { ...defaultPolitenessOptions.breaker, errorShare: 1 },
};

describe("the count of a job's requests", () => {
  it.each([
    ["kill -9", (machine: VirtualPeer) => machine.kill()],
    ["a stop that lets them end", (machine: VirtualPeer) => machine.peer.stop()],
  ] as const)("has each of them once, through %s at any moment", async (_how, end) => {
    for (let afterMs = 0; afterMs < 240; afterMs += 7) {
      const machine = new VirtualPeer(web, { politeness });
      const times = [afterMs, 41, 83];
      const counted = await machine.clock.run(crawlThrough(machine, times, () => end(machine)));
      expect({ afterMs, counted }).toEqual({ afterMs, counted: sentBy(machine) });
    }
  });

  it("has none that was not made, for want of an address", async () => {
    const machine = new VirtualPeer((url) =>
      url.endsWith("/robots.txt") ? { status: 404 } : htmlPage(),
    );
    await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject([seed]);
        await peer.jobFinished(testJob, forever);
        machine.web.lostNames.add("site.example");
        // The answer of the name server is over by then, and robots.txt is not.
        await machine.clock.sleep(7_200_000);
        await machine.inject(["http://site.example/1"]);
        await peer.jobFinished(testJob, forever);
        const [status] = await peer.status(["http://site.example/1"]);
        expect(status).toMatchObject({ state: "done", reason: "dns-error" });
      })(),
    );
    expect(machine.peer.job(testJob).counts).toMatchObject({ failed: 1, requests: 1 });
    expect(machine.counted.get("fetch_seconds")).toBe(1);
  });
});
