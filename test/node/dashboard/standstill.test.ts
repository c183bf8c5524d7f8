import { describe, expect, it } from "vitest";
import { Standstill } from "../../../node/dashboard/standstill.ts";
import type { OriginRobots } from "../../../src/core/answers/host-status.ts";
import type { JobId } from "../../../src/core/units.ts";
import type { HostStatus, JobCounts } from "../../../src/ports/peer-control.ts";
import { FakePeerControl, jobReport } from "../../support/fake-peer-control.ts";

const job = "crawl" as JobId;
const nowMs = Date.parse("2030-01-01T00:00:00Z");

function resting(host: string, robots?: Partial<OriginRobots>): HostStatus {
  return {
    host,
    owner: "peer-0",
    known: true,
    queued: [{ job, urls: 1, orMore: false }],
    hold: "backoff",
    detail: "The host rests after a failure.",
    nextFetchAt: "2030-01-01T00:00:04Z",
    failuresInRow: 0,
    robots: robots
      ? [
          {
            origin: `http://${host}`,
            verdict: "disallow-all",
            httpStatus: 0,
            fetchedAt: "2030-01-01T00:00:00Z",
            expiresAt: "2030-01-01T00:00:04Z",
            ...robots,
          },
        ]
      : [],
  };
}

/** One that waits for nothing but the end of its request. */
function asked(host: string): HostStatus {
  return { ...resting(host), hold: "in-flight" };
}

interface Crawl extends Partial<JobCounts> {
  readonly openRequests?: number;
  readonly fetchedBefore?: number;
  /** URLs that are in the queue beside the seeds. */
  readonly queue?: readonly string[];
  /** Where they are other than the hosts' first pages. */
  readonly seeds?: readonly string[];
  /** How long the machine was asleep since the process began. */
  readonly asleepMs?: number;
}

/** A crawl with these hosts' URLs as its seeds, and what looks at it. */
function watched(
  hosts: readonly HostStatus[],
  { openRequests = 0, fetchedBefore = 0, queue = [], seeds, asleepMs = 0, ...counts }: Crawl = {},
): {
  readonly control: FakePeerControl;
  readonly text: (nowMs: number) => Promise<string | undefined>;
} {
  const control = new FakePeerControl();
  control.reports.set(job, jobReport(job, { queued: 1, ...counts }));
  for (const host of hosts) control.hosts.set(host.host, host);
  for (const url of queue) {
    control.statuses.set(url, { url, state: "queued", attempts: 0, owner: "peer-0" });
  }
  const shown = { wallMs: nowMs };
  const urls = seeds ?? hosts.map(({ host }) => `http://${host}/`);
  const standstill = new Standstill(
    {
      host: (name) => control.host(name),
      queued: async (id) => (await control.urls(id, { state: "queued" })).urls,
    },
    { job, urls, fetchedBefore },
    { nowMs: () => shown.wallMs - asleepMs, wallMs: () => shown.wallMs },
  );
  return {
    control,
    text: (atMs) => {
      const { counts: now, finished } = control.job(job);
      shown.wallMs = atMs;
      return standstill.text({ fetched: now.fetched, openRequests, isRunning: !finished });
    },
  };
}

/** What is told of it at the first look. */
function told(...crawl: Parameters<typeof watched>): Promise<string | undefined> {
  return watched(...crawl).text(nowMs);
}

const refused = resting("a.example", { failure: "connect-refused" });

describe("Standstill", () => {
  it.each<[string, HostStatus, string]>([
    ["robots.txt that did not come", refused, "the server refused the connection"],
    [
      "robots.txt with an error",
      resting("a.example", { httpStatus: 503 }),
      "its robots.txt answers with 503",
    ],
    [
      "robots.txt that asks for a pause",
      resting("a.example", { httpStatus: 429 }),
      "its robots.txt answers with 429",
    ],
    ["a page that failed", resting("a.example"), "the host rests after a failure"],
    [
      "a page without an answer",
      { ...resting("a.example"), lastFailure: { httpStatus: 0, failure: "connect-refused" } },
      "the server refused the connection",
    ],
    [
      "a page with an error",
      { ...resting("a.example"), lastFailure: { httpStatus: 503 } },
      "it answers with 503",
    ],
    [
      "robots.txt that failed after a page did",
      { ...refused, lastFailure: { httpStatus: 503 } },
      "the server refused the connection",
    ],
    [
      "a host that is halted",
      {
        ...resting("a.example"),
        hold: "halted",
        detail: "The host failed too often.",
        lastFailure: { httpStatus: 503 },
      },
      "the host failed too often (it answers with 503)",
    ],
  ])("says what is wrong, and when it is tried again: %s", async (_what, host, reason) => {
    expect(await told([host])).toBe(`a.example: ${reason}; tried again in 4.0 s`);
  });

  it.each(["network-down", "name-server-down"] as const)(
    "says of no host that all wait for an outage's end: %s",
    async (hold) => {
      const host = { ...refused, hold, detail: "The crawler's own network is down." };
      expect(await told([host])).toBe("the crawler's own network is down; tried again in 4.0 s");
    },
  );

  it("tells of the origin that was asked last, and of none that was given up", async () => {
    const origins = (...others: Partial<OriginRobots>[]): HostStatus => ({
      ...refused,
      robots: [{ failure: "tls-error", fetchedAt: "2029-12-31T23:59:50Z" } as const, ...others]
        .map((one) => resting("a.example", one).robots)
        .flat(),
    });
    expect(await told([origins({ failure: "connection-reset" })])).toMatch(/closed the connection/);
    const old = { failure: "tls-error", expiresAt: "2029-12-31T23:59:00Z" } as const;
    expect(await told([resting("a.example", old)])).toMatch(/: the host rests after a failure/);
  });

  it("counts from the dates that are told, however long the machine was asleep", async () => {
    const asleep = { asleepMs: 8 * 3_600_000 };
    expect(await told([refused], asleep)).toMatch(/; tried again in 4\.0 s$/);
    const old = { failure: "tls-error", expiresAt: "2029-12-31T23:59:00Z" } as const;
    const givenUp = await told([resting("a.example", old)], asleep);
    expect(givenUp).toMatch(/: the host rests after a failure/);
  });

  it.each([
    ["a server has just answered", told([refused], { fetched: 1 })],
    ["one has in this run", told([refused], { fetched: 8, fetchedBefore: 7 })],
    ["one is being asked", told([refused], { openRequests: 1 })],
    ["nothing is left", told([refused], { queued: 0 })],
    ["another host may go on", told([refused, { ...resting("b.example"), hold: "politeness" }])],
    ["no seed is known", told([])],
  ])("says nothing where %s", async (_what, text) => {
    expect(await text).toBeUndefined();
  });

  it.each([
    ["one host", [asked("a.example")], "a.example: no complete answer for 12.0 s"],
    ["several", [asked("a.example"), asked("b.example")], "no complete answer for 12.0 s"],
    ["one that rests", [resting("a.example")], "no complete answer for 12.0 s"],
  ])("says for how long nothing has come of what is asked: %s", async (_what, hosts, expected) => {
    const { text } = watched(hosts, { openRequests: 1 });
    expect(await text(nowMs)).toBeUndefined();
    expect(await text(nowMs + 4_999)).toBeUndefined();
    expect(await text(nowMs + 12_000)).toBe(expected);
  });

  it("counts from the last answer on where requests are open all the time", async () => {
    const { control, text } = watched([asked("a.example")], { openRequests: 1 });
    await text(nowMs);
    control.reports.set(job, jobReport(job, { queued: 1, fetched: 1 }));
    expect(await text(nowMs + 20_000)).toBeUndefined();
    expect(await text(nowMs + 26_000)).toBe("a.example: no complete answer for 6.0 s");
  });

  it("says why a robots.txt did not come also where politeness outlasts the rest for that", async () => {
    const robots = { failure: "head-timeout", expiresAt: "2029-12-31T23:59:46Z" } as const;
    const host: HostStatus = { ...resting("a.example", robots), hold: "politeness" };
    const text = "a.example: the server did not answer in time; tried again in 4.0 s";
    expect(await told([host])).toBe(text);
  });

  it("passes over hosts that were given up", async () => {
    const givenUp: HostStatus = { ...resting("a.example"), queued: [], hold: "halted" };
    expect(await told([givenUp, resting("b.example")])).toMatch(/^b\.example: /);
  });

  it("passes over hosts where only another job has something left", async () => {
    const others = { ...refused, queued: [{ job: "other" as JobId, urls: 1, orMore: false }] };
    const queue = ["http://b.example/7"];
    const seeds = ["http://a.example/"];
    const text = await told([others, resting("b.example")], { seeds, queue });
    expect(text).toMatch(/^b\.example: /);
  });

  it("tells of a crawl that is continued what it told of it at first", async () => {
    const continued = { fetched: 7, fetchedBefore: 7 };
    expect(await told([refused], continued)).toMatch(/^a\.example: the server refused/);
  });

  it.each([
    ["is continued without a seed", []],
    ["has nothing left of its seeds", ["http://done.example/"]],
  ])("looks at the hosts of queued URLs where a crawl %s", async (_what, seeds) => {
    const queue = ["http://a.example/7"];
    expect(await told([refused], { seeds, queue })).toMatch(/^a\.example: /);
  });

  it("looks for queued URLs again after a while where it found none", async () => {
    const { control, text } = watched([refused], { seeds: [] });
    expect(await text(nowMs)).toBeUndefined();
    const url = "http://a.example/7";
    control.statuses.set(url, { url, state: "queued", attempts: 0, owner: "peer-0" });
    expect(await text(nowMs + 9_999)).toBeUndefined();
    expect(await text(nowMs + 10_000)).toMatch(/^a\.example: /);
  });

  it("tells of a crawl that no longer goes on, some seconds after the last answer", async () => {
    const { control, text } = watched([resting("a.example")], { fetched: 30 });
    const toldAt = (seconds: number) => text(nowMs + seconds * 1_000);
    expect(await toldAt(0)).toBeUndefined();
    expect(await toldAt(4.9)).toBeUndefined();
    expect(await toldAt(5)).toMatch(/^a\.example: the host rests after a failure/);
    control.reports.set(job, jobReport(job, { queued: 1, fetched: 31 }));
    expect(await toldAt(9)).toBeUndefined();
    expect(await toldAt(13.9)).toBeUndefined();
    expect(await toldAt(14)).toMatch(/^a\.example: /);
  });
});
