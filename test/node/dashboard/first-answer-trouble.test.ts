import { describe, expect, it } from "vitest";
import { firstAnswerTrouble } from "../../../node/dashboard/first-answer-trouble.ts";
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

/** What is told of a crawl with these hosts' URLs as its seeds. */
function told(
  hosts: readonly HostStatus[],
  { openRequests = 0, ...counts }: Partial<JobCounts> & { openRequests?: number } = {},
): Promise<string | undefined> {
  const control = new FakePeerControl();
  control.reports.set(job, jobReport(job, { queued: 1, ...counts }));
  for (const host of hosts) control.hosts.set(host.host, host);
  const urls = hosts.map(({ host }) => `http://${host}/`);
  return firstAnswerTrouble(
    {
      host: (name) => control.host(name),
      job: (id) => control.job(id),
      stats: () => ({ ...control.stats(), openRequests }),
    },
    { job, urls },
    nowMs,
  );
}

const refused = resting("a.example", { failure: "connect-refused" });

describe("firstAnswerTrouble", () => {
  it.each([
    ["robots.txt that did not come", refused, "the server refused the connection"],
    [
      "robots.txt with an error",
      resting("a.example", { httpStatus: 503 }),
      "its robots.txt answers with 503",
    ],
    ["a page that failed", resting("a.example"), "the host rests after a failure"],
  ])("says what is wrong, and when it is tried again: %s", async (_what, host, reason) => {
    expect(await told([host])).toBe(`a.example: ${reason}; tried again in 4.0 s`);
  });

  it.each([
    ["a server has answered", told([refused], { fetched: 1 })],
    ["one is being asked", told([refused], { openRequests: 1 })],
    ["nothing is left", told([refused], { queued: 0 })],
    ["another host may go on", told([refused, { ...resting("b.example"), hold: "politeness" }])],
    ["no seed is known", told([])],
  ])("says nothing where %s", async (_what, text) => {
    expect(await text).toBeUndefined();
  });

  it("passes over hosts that were given up", async () => {
    const givenUp: HostStatus = { ...resting("a.example"), queued: [], hold: "halted" };
    expect(await told([givenUp, resting("b.example")])).toMatch(/^b\.example: /);
  });
});
