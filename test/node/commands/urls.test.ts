import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import { fakePeerApi, runAgainst } from "../../support/fake-peer-api.ts";
import { FakePeerControl, jobReport } from "../../support/fake-peer-control.ts";

let control: FakePeerControl;
let api: HttpApi;

beforeEach(async () => {
  control = new FakePeerControl();
  api = fakePeerApi(control);
  await api.start();
});

afterEach(() => api.stop());

/** Runs a command line against the peer of the test. */
const peer = (words: readonly string[]) => runAgainst(api, words);

describe("peer urls", () => {
  beforeEach(() => {
    const common = { attempts: 1, owner: "peer-0" } as const;
    const statuses = [
      { state: "done", httpStatus: 404, via: "http://a.example/\u001b[2J" },
      { state: "done", httpStatus: 301, redirect: "http://a.example/new" },
      {
        state: "done",
        reason: "connect-refused",
        via: "http://a.example/",
        linkedAs: "http://a.example/old",
      },
      { state: "excluded", reason: "robots" },
      { state: "queued", reason: "politeness" },
      {
        state: "done",
        httpStatus: 302,
        redirect: "http://a.example/1",
        reason: "redirect-loop",
        via: "http://a.example/",
      },
    ] as const;
    statuses.forEach((status, at) => {
      const url = `http://a.example/${at}`;
      control.statuses.set(url, { url, ...common, ...status });
    });
  });

  it("says of each URL in a line what became of it, and where a broken link stands", async () => {
    const { out, exitCode } = await peer(["urls", "--job", "docs"]);
    expect(out).toBe(
      [
        "404               http://a.example/0  on http://a.example/\ufffd[2J",
        "301               http://a.example/1  to http://a.example/new",
        "connect-refused   http://a.example/2  on http://a.example/  as http://a.example/old",
        "robots            http://a.example/3",
        "queued            http://a.example/4",
        "redirect-loop     http://a.example/5  to http://a.example/1  on http://a.example/",
        "",
      ].join("\n"),
    );
    expect(exitCode).toBe(0);
  });

  it("lists what is asked for, as JSON lines where that is wanted", async () => {
    const { out } = await peer(["urls", "--job", "docs", "--http", "4xx", "--json"]);
    expect(JSON.parse(out)).toMatchObject({
      url: "http://a.example/0",
      job: "docs",
      httpStatus: 404,
      reason: null,
    });
    const { out: failed } = await peer(["urls", "--job", "docs", "--state", "failed"]);
    expect(failed).toMatch(/^connect-refused {3}http:\/\/a\.example\/2 .*\n$/);
    const { out: broken } = await peer(["urls", "--job", "docs", "--broken"]);
    expect(broken).toMatch(/^404 .*\nconnect-refused .*\nredirect-loop .*\n$/);
  });

  it("takes the job of a peer that has one alone", async () => {
    const none = await peer(["urls"]);
    expect(none).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining("no job yet") as string,
    });
    control.reports.set("docs", jobReport("docs"));
    expect((await peer(["urls", "--http", "404", "--json"])).out).toContain('"job":"docs"');
    control.reports.set("news", jobReport("news"));
    const several = await peer(["urls"]);
    expect(several).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining("docs, news") as string,
    });
  });

  it.each([
    [["urls", "--http", "4x"], "a status such as 404 or 5xx"],
    [["urls", "--state", "done"], "queued, fetched, failed, excluded"],
  ])("refuses %j with exit code 2 and one line", async (words, expected) => {
    const { err, exitCode, out } = await peer(words);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toMatch(/^peer: [^\n]*\n$/);
    expect(err).toContain(expected);
  });
});
