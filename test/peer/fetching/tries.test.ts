import { describe, expect, it } from "vitest";
import type { JobOptions } from "../../../src/core/jobs/job-definition.ts";
import type { FetchFailure } from "../../../src/core/politeness/retry-table.ts";
import type { UrlStatus } from "../../../src/core/answers/url-status.ts";
import type { IpAddress } from "../../../src/core/units.ts";
import { htmlPage, type TableWeb } from "../../support/table-web.ts";
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

  it("are none at an address that is not to be asked", async () => {
    const machine = new VirtualPeer((url) =>
      url.endsWith("/robots.txt") ? { status: 404 } : { failure: "address-forbidden" },
    );
    const peer = await machine.crawl(["http://site.example/"]);
    const skipped = { "address-forbidden": 1 };
    expect(peer.job(testJob).counts).toMatchObject({ failed: 0, skipped });
  });

  it.each([429, 503])("wait as a %i says, though its body breaks off", async (status) => {
    const busy = { status, headers: { "retry-after": "20" }, failure: "connection-reset" } as const;
    const machine = new VirtualPeer((url, asked) => {
      if (url.endsWith("/robots.txt")) return undefined;
      return asked === 0 ? busy : htmlPage();
    });
    await machine.crawl(["http://site.example/"]);
    const [, first, second] = machine.web.hits;
    expect(second?.startedAtMs).toBeGreaterThanOrEqual((first?.finishedAtMs ?? 0) + 20_000);
  });

  it("are as many where redirects led to another spelling of its page first", async () => {
    const page = "http://site.example/page";
    const spellings = ["?utm_source=x&b=1&a=2", "?b=1&a=2", "?a=2&b=1"].map(
      (query) => page + query,
    );
    const [first = "", second = "", last = ""] = spellings;
    const next: Readonly<Record<string, string>> = { [first]: second, [second]: last };
    const machine = new VirtualPeer((url, asked) => {
      const location = next[url];
      if (location !== undefined) return { status: 301, headers: { location } };
      if (url === last && asked === 0) return { status: 500 };
      if (url === last && asked === 1) return { ...htmlPage(), failure: "connection-reset" };
      return url.endsWith("/robots.txt") ? undefined : htmlPage("/linked");
    });
    const peer = await machine.crawl([first]);
    expect(machine.web.counts().get(last)).toBe(3);
    expect(machine.web.counts().get("http://site.example/linked")).toBe(1);
    const [status] = await peer.status([last]);
    expect(status).toMatchObject({ state: "done", httpStatus: 200, attempts: 5 });
  });

  const never = new AbortController().signal;
  const urls = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `http://site.example/${n}`);

  const loseName = ({ lostNames }: TableWeb): void => void lostNames.add("site.example");

  interface Outage {
    readonly begin: (web: TableWeb) => void;
    readonly forMs: number;
    /** The server's first answers after it are errors. */
    readonly errorsAfter?: number;
  }

  /** Crawls these URLs of a host whose robots.txt is known, through its outage: another host is there all the while. */
  async function crawlThrough(
    seeds: readonly string[],
    { begin, forMs, errorsAfter = 0 }: Outage,
    options: Partial<JobOptions> = {},
  ): Promise<{ readonly machine: VirtualPeer; readonly statuses: readonly UrlStatus[] }> {
    let errorsLeft = 0;
    const machine = new VirtualPeer((url) => {
      if (url.endsWith("/robots.txt")) return { status: 404 };
      return errorsLeft-- > 0 ? { status: 500 } : htmlPage();
    });
    const statuses = await machine.clock.run(
      (async () => {
        const peer = await machine.start();
        await machine.inject(["http://site.example/", "http://other.example/"], options);
        await peer.jobFinished(testJob, never);
        // The name server's answer is over by then.
        await machine.clock.sleep(7_200_000);
        begin(machine.web);
        await machine.inject(seeds, options);
        await machine.clock.sleep(forMs);
        errorsLeft = errorsAfter;
        machine.web.lostNames.clear();
        machine.web.unreached.clear();
        await peer.jobFinished(testJob, never);
        return peer.status(seeds);
      })(),
    );
    return { machine, statuses };
  }

  it("look the name up again before each, where it had no address before", async () => {
    const outage = { begin: loseName, forMs: 500 };
    const { machine, statuses } = await crawlThrough(urls.slice(0, 1), outage);
    expect(statuses).toMatchObject([{ httpStatus: 200, attempts: 2 }]);
    expect(machine.web.notFound).toHaveLength(1);
  });

  it("are not lost by one look-up to several URLs of a host", async () => {
    const options = { connectionsPerHost: 4, delayMs: 0 };
    const outage = { begin: loseName, forMs: 5_000 };
    const { machine, statuses } = await crawlThrough(urls, outage, options);
    const lost = statuses.reduce((sum, { attempts }) => sum + attempts - 1, 0);
    expect(statuses.every(({ httpStatus }) => httpStatus === 200)).toBe(true);
    expect(lost).toBeGreaterThan(1);
    expect(lost).toBe(machine.web.notFound.length);
  });

  const unreach =
    (failure: FetchFailure) =>
    ({ unreached }: TableWeb): void =>
      void unreached.set("addr-site.example" as IpAddress, failure);
  const outages = [
    ["dns-error", loseName],
    ["connect-refused", unreach("connect-refused")],
    ["connect-timeout", unreach("connect-timeout")],
    ["connect-unreachable", unreach("connect-unreachable")],
  ] as const;

  it.each(outages)("outlast two minutes without a server (%s)", async (_, begin) => {
    const { statuses } = await crawlThrough(urls.slice(0, 1), { begin, forMs: 120_000 });
    expect(statuses).toMatchObject([{ httpStatus: 200 }]);
    const { statuses: all } = await crawlThrough(urls, { begin, forMs: 120_000 });
    expect(all.every(({ httpStatus }) => httpStatus === 200)).toBe(true);
  });

  it.each(outages)(
    "of a server are all left to who has outlasted an outage (%s)",
    async (_, begin) => {
      const outage = { begin, forMs: 120_000, errorsAfter: 2 };
      const { statuses } = await crawlThrough(urls.slice(0, 1), outage);
      expect(statuses).toMatchObject([{ httpStatus: 200, attempts: 7 + 2 + 1 }]);
    },
  );

  it.each(outages)("end after eight without a server (%s)", async (failure, begin) => {
    const { statuses } = await crawlThrough(urls.slice(0, 1), { begin, forMs: 3_600_000 });
    expect(statuses).toMatchObject([{ state: "done", reason: failure, attempts: 8 }]);
  });
});
