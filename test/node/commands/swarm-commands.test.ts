import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import { fakePeerApi, runAgainst } from "../../support/fake-peer-api.ts";
import { FakePeerControl, jobReport, otherMember } from "../../support/fake-peer-control.ts";

let control: FakePeerControl;
let api: HttpApi;

beforeEach(async () => {
  control = new FakePeerControl();
  api = fakePeerApi(control, {}, { waitMsMax: 20 });
  await api.start();
});

afterEach(() => api.stop());

/** Runs a command line against the peer of the test. */
const peer = (words: readonly string[]) => runAgainst(api, words);

describe("peer wait, longer than one question may stay open", () => {
  it("asks again until the job is over", async () => {
    control.reports.set("docs", jobReport("docs", { queued: 5 }));
    const waiting = peer(["wait", "--job", "docs", "--json"]);
    await expect.poll(() => control.waits).toBeGreaterThan(2);
    control.finish();
    const { exitCode, out } = await waiting;
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ finished: true });
  });
});

describe("peer members, host, and stats of a swarm", () => {
  const silent = "12D3KooWJWoaqZhDaoEFshF7Rh1bpY9ohihFhzcW6d69Lr2NASuq";
  beforeEach(() => {
    control.others.push(otherMember("peer-1", { queued: 1_234 }), otherMember(silent));
  });

  it("shows the members as a table, with short ids and one address each", async () => {
    const { exitCode, out } = await peer(["members"]);
    expect(exitCode).toBe(0);
    const [head, own, other, last, ...rest] = out.split("\n");
    expect(head).toMatch(/^MEMBER +ADDRESS +STATE +SHARE +QUEUED +PAGES\/S +LAG +VERSION$/);
    expect(own).toMatch(/^peer-0 \* +- +active +100\.0% +0 +13 +0 ms +1\.2\.3$/);
    expect(other).toMatch(
      /^peer-1 +192\.0\.2\.7:7781 +active +25\.0% +1,234 +2\.0 +1,235 ms +1\.2\.4$/,
    );
    expect(last).toMatch(/^Lr2NASuq +192\.0\.2\.7:7781 +suspect +25\.0% +- +- +- +1\.2\.4$/);
    expect(rest).toEqual([""]);
  });

  it("prints the members as one document with full ids", async () => {
    const { out } = await peer(["members", "--json"]);
    expect(JSON.parse(out)).toMatchObject([
      { id: "peer-0", stats: { lagMs: 0 } },
      { id: "peer-1", stats: { lagMs: 1_234.56 } },
      { id: silent },
    ]);
  });

  it("sums the swarm's figures, and names who is silent", async () => {
    const { out } = await peer(["stats"]);
    expect(out).toContain(
      "\nswarm     2 of 3 members, summed up below\nsilent    Lr2NASuq; not in these sums\n",
    );
    expect(out).toContain("\nopen      4 requests\n");
    control.others.pop();
    expect((await peer(["stats"])).out).toContain("\nswarm     2 members, summed up below\nrate ");
  });

  it("shows as a job's time that of the member that took longest, not the sum", async () => {
    control.reports.set("docs", jobReport("docs", { pages: 2_000, activeMs: 4_000 }));
    const { out } = await peer(["jobs"]);
    expect(out).toMatch(/docs +finished +4,000 .* 4\.0 s\n$/);
  });

  it("shows who has done what of a job", async () => {
    control.reports.set("docs", jobReport("docs", { fetched: 1_000, queued: 7 }));
    const { out } = await peer(["jobs", "show", "docs"]);
    expect(out).toContain(
      "\nmember    peer-0, 1,000 fetched, 7 queued\nmember    peer-1, 1,000 fetched, 7 queued\n",
    );
  });

  it("says why a host is not asked now", async () => {
    control.hosts.set("a.example", {
      host: "a.example",
      owner: silent,
      known: true,
      replica: true,
      queued: [{ job: "docs" as never, urls: 1_000, orMore: true }],
      hold: "breaker",
      detail: "It is\u001b[2J paused.",
      nextFetchAt: "2026-01-02T03:04:05.678Z",
      failuresInRow: 5,
      lastFailure: { httpStatus: 503 },
      crawlDelayMs: 2_000,
      robots: [
        {
          origin: "http://a.example",
          verdict: "rules",
          httpStatus: 200,
          fetchedAt: "2026-01-02T03:04:05Z",
          expiresAt: "2026-01-03T03:04:05Z",
        },
      ],
    });
    expect((await peer(["host", "a.example"])).out).toBe(
      [
        "a.example",
        "  owner     Lr2NASuq, which does not answer; from a copy",
        "  queued    1,000 URLs or more of job docs",
        "  now       breaker: It is\ufffd[2J paused.",
        "  next      2026-01-02 03:04:05 UTC",
        "  failures  5 in a row, the last one HTTP 503",
        "  delay     2.0 s, as its robots.txt asks",
        "  robots    http://a.example: rules (HTTP 200), kept until 2026-01-03 03:04:05 UTC",
        "",
      ].join("\n"),
    );
    expect(control.hostChanges).toEqual([]);
    await peer(["host", "a.example", "--release"]);
    expect(control.hostChanges).toEqual([["a.example", "release"]]);
    expect((await peer(["host", "b.example"])).out).toContain("nothing of it was ever queued");
    expect((await peer(["host", "b.example"])).out).not.toContain("failures");
    const spared = { host: "c.example", owner: silent, known: true, queued: [], robots: [] };
    const lastFailure = { httpStatus: 0, failure: "connect-timeout" } as const;
    control.hosts.set("c.example", { ...spared, failuresInRow: 0, lastFailure });
    expect((await peer(["host", "c.example"])).out).toContain(
      "  failures  the last one connect-timeout\n",
    );
    const json = await peer(["host", "b.example", "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({ host: "b.example", known: false });
  });
});
