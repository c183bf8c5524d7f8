import { describe, expect, it } from "vitest";
import type { JobOptions } from "../../../src/core/jobs/job-definition.ts";
import { htmlPage } from "../../support/table-web.ts";
import { testJob, VirtualPeer } from "../../support/virtual-peer.ts";

describe("the tries of a URL", () => {
  it("are made on a new connection after the first, whatever other URLs do", async () => {
    const machine = new VirtualPeer((url, asked) => {
      if (url.endsWith("/1")) return asked < 2 ? { failure: "connection-stale" } : htmlPage();
      return url.endsWith("/robots.txt") ? undefined : htmlPage();
    });
    await machine.crawl([1, 2, 3].map((n) => `http://site.example/${n}`));
    const asked = machine.web.requests.map(({ url, needsNewConnection }) => [
      new URL(url).pathname,
      needsNewConnection,
    ]);
    expect(asked.toSorted()).toEqual([
      ["/1", false],
      ["/1", true],
      ["/1", true],
      ["/2", false],
      ["/3", false],
      ["/robots.txt", false],
    ]);
  });

  it.each([
    ["content-length-mismatch", 2],
    ["connection-reset", 3],
  ] as const)("keep what comes of a body that ends with %s in the last", async (failure, tries) => {
    const machine = new VirtualPeer((url) => {
      if (url.endsWith("/cut")) return { ...htmlPage("/linked"), failure };
      return url.endsWith("/robots.txt") ? undefined : htmlPage();
    });
    const peer = await machine.crawl(["http://site.example/cut"]);
    expect(Object.fromEntries(machine.web.counts())).toEqual({
      "http://site.example/cut": tries,
      "http://site.example/linked": 1,
    });
    const [status] = await peer.status(["http://site.example/cut"]);
    expect(status).toMatchObject({ state: "done", httpStatus: 200, attempts: tries });
    expect(machine.archived()).toContain("http://site.example/cut");
  });

  const never = new AbortController().signal;
  const urls = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `http://site.example/${n}`);

  /** Loses the name of a host whose robots.txt is known, and crawls these URLs of it while that comes back. */
  async function crawlWithoutName(
    seeds: readonly string[],
    lostForMs: number,
    options: Partial<JobOptions> = {},
  ): Promise<{ readonly machine: VirtualPeer; readonly attempts: readonly number[] }> {
    const machine = new VirtualPeer((url) =>
      url.endsWith("/robots.txt") ? { status: 404 } : htmlPage(),
    );
    const attempts = await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(["http://site.example/"], options);
        await peer.jobFinished(testJob, never);
        await machine.clock.sleep(7_200_000);
        machine.web.lostNames.add("site.example");
        await machine.inject(seeds, options);
        await machine.clock.sleep(lostForMs);
        machine.web.lostNames.clear();
        await peer.jobFinished(testJob, never);
        expect(peer.job(testJob).counts).toMatchObject({ fetched: seeds.length + 1, failed: 0 });
        const statuses = await peer.status(seeds);
        return statuses.map((status) => status.attempts);
      })(),
    );
    return { machine, attempts };
  }

  it("look the name up again before each, where it had no address before", async () => {
    const { machine, attempts } = await crawlWithoutName(urls.slice(0, 1), 500);
    expect(attempts).toEqual([2]);
    expect(machine.web.notFound).toHaveLength(1);
  });

  it("are not lost by one look-up to several URLs of a host", async () => {
    const options = { connectionsPerHost: 4, delayMs: 0 };
    const { machine, attempts } = await crawlWithoutName(urls, 5_000, options);
    const lost = attempts.reduce((sum, count) => sum + count - 1, 0);
    expect(lost).toBeGreaterThan(1);
    expect(lost).toBe(machine.web.notFound.length);
  });
});
