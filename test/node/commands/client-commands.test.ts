import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HttpApi } from "../../../src/adapters/http-api/http-api.ts";
import { fakePeerApi, runAgainst } from "../../support/fake-peer-api.ts";
import { FakePeerControl, jobReport } from "../../support/fake-peer-control.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";
import { jsonLines } from "../../support/json-lines.ts";

let folder: string;
let control: FakePeerControl;
let api: HttpApi;
let leaves: number;
let stopsAtLeave: boolean;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "client-commands-"));
});

afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  control = new FakePeerControl();
  leaves = 0;
  stopsAtLeave = false;
  const leave = (): Promise<undefined> => {
    leaves += 1;
    if (stopsAtLeave) void api.stop();
    return Promise.resolve(undefined);
  };
  api = fakePeerApi(control, { leave });
  await api.start();
});

afterEach(() => api.stop());

/** Runs a command line against the peer of the test. */
const peer = (words: readonly string[], terminal?: FakeTerminal) =>
  runAgainst(api, words, terminal);

/** A mistake of the user's is told in one line, and nothing is done. */
async function expectRefusal(words: readonly string[], expected: string): Promise<void> {
  const { err, exitCode, out } = await peer(words);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toMatch(/^peer: [^\n]*\n$/);
  expect(err).toContain(expected);
  expect(control.injected).toEqual([]);
}

describe("finding the peer", () => {
  it("says in one line that nothing answers, and how to start a peer", async () => {
    const { err, exitCode, out } = await peer(["stats", "--api", "127.0.0.1:2"]);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toMatch(
      /^peer: no peer can be reached at http:\/\/127\.0\.0\.1:2 .*peer --data DIR.*\n$/,
    );
  });

  it("reads the address that a peer left in its data directory, before the environment's", async () => {
    const data = await mkdtemp(join(folder, "data-"));
    const terminal = new FakeTerminal();
    terminal.environment["ORBWEAVER_API"] = "127.0.0.1:1";
    const none = await peer(["stats", "--data", data], terminal);
    expect(none).toMatchObject({ exitCode: 1 });
    expect(none.err).toContain(`no peer runs in ${data}`);
    const running = { pid: 1, peer: "peer-0", url: api.url };
    await writeFile(join(data, "api.json"), JSON.stringify(running));
    expect(await peer(["stats", "--data", data], terminal)).toMatchObject({ exitCode: 0 });
  });

  it("does not take another peer for one that was killed and had the same address", async () => {
    const data = await mkdtemp(join(folder, "data-"));
    const killed = { pid: 1, peer: "peer-1", url: api.url };
    await writeFile(join(data, "api.json"), JSON.stringify(killed));
    const { err, exitCode } = await peer(["leave", "--data", data]);
    expect({ exitCode, leaves }).toEqual({ exitCode: 1, leaves: 0 });
    expect(err).toBe(`peer: no peer runs in ${data}; start one with "peer --data ${data}"\n`);
  });

  it("says that what answers is no peer, or that the peer failed", async () => {
    const other = createServer((_request, response) => void response.writeHead(404).end("<html>"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const { err, exitCode } = await peer(["stats", "--api", `127.0.0.1:${port}`]);
    other.close();
    expect(exitCode).toBe(1);
    expect(err).toMatch(/^peer: what answers at \S+ is not a peer \(HTTP 404\); [^\n]*\n$/);
    control.broken = new Error("x");
    expect((await peer(["stats"])).err).toMatch(/^peer: the peer at \S+ failed: [^\n]*\n$/);
  });
});

describe("peer inject", () => {
  it("hands on URLs with the options that were set, and reports", async () => {
    const words = [
      ...["http://a.example/", "--job", "docs", "--depth", "3"],
      ...["--no-normalize-query", "--sitemaps"],
    ];
    const { exitCode, out } = await peer([
      "inject",
      ...words,
      "--include",
      "/x",
      "--include",
      "/y",
    ]);
    expect({ exitCode, out }).toEqual({
      exitCode: 0,
      out: "job docs: 1 added, 0 known already, 0 rejected\n",
    });
    expect(control.injected).toEqual([
      {
        job: "docs",
        urls: ["http://a.example/"],
        options: { depthMax: 3, normalizeQuery: false, sitemaps: true, include: ["/x", "/y"] },
      },
    ]);
  });

  it("tells which options of the job it has changed, by the names they are set by", async () => {
    control.changed = [
      { option: "depthMax", before: 1_000, after: 3 },
      { option: "exclude", before: [], after: ["/x", "/y"] },
      { option: "urlBytesMax", before: 2_048, after: 64 },
    ];
    const { out } = await peer(["inject", "http://a.example/", "--job", "docs", "--depth", "3"]);
    expect(out).toBe(
      "job docs: 1 added, 0 known already, 0 rejected\n" +
        "job docs is changed from now on: depth from 1,000 to 3, exclude from none to /x /y, " +
        "urlBytesMax from 2,048 to 64\n",
    );
    const json = await peer(["inject", "http://b.example/", "--job", "docs", "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({ added: 1, changed: [{ after: 3 }, {}, {}] });
  });

  it("sends a file in batches, sets options once, and names the lines that are wrong", async () => {
    const file = join(folder, "urls.txt");
    const lines = Array.from({ length: 1_500 }, (_, i) => `http://a.example/${i}`);
    await writeFile(file, ["# a list", "", ...lines, "no url", "no url", ""].join("\n"));
    const { err, exitCode, out } = await peer(["inject", "--file", file, "--delay", "5", "--json"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ job: "default", added: 1_500, rejectedCount: 2 });
    const why = '"no url" is rejected: invalid-url (this is no http or https URL, is not UTF-8';
    expect(err).toContain(`peer: ${file}, line 1503: ${why}`);
    expect(err).toContain(`peer: ${file}, line 1504: ${why}`);
    expect(control.injected.map(({ urls, options }) => [urls.length, options])).toEqual([
      [1_000, { delayMs: 5 }],
      [502, undefined],
    ]);
  });

  it("reads standard input, and ends with 2 when nothing of it can be crawled", async () => {
    const terminal = new FakeTerminal();
    terminal.input = "nothing\n";
    const { err, exitCode } = await peer(["inject", "-"], terminal);
    expect(exitCode).toBe(2);
    expect(err).toContain("standard input, line 1");
    const none = await peer(["inject", "--file", "/dev/null"]);
    expect(none).toMatchObject({ exitCode: 0, err: expect.stringMatching("^note: ") as string });
  });

  it("rejects a line that is longer than any URL by its number, and injects the others", async () => {
    const file = join(folder, "long.txt");
    const long = `http://a.example/${"x".repeat(300_000)}`;
    await writeFile(file, [long, "http://a.example/1", long, "http://a.example/2", ""].join("\n"));
    const { err, exitCode, out } = await peer(["inject", "--file", file, "--delay", "5"]);
    expect([exitCode, out]).toEqual([0, "job default: 2 added, 0 known already, 2 rejected\n"]);
    const shown = `"${long.slice(0, 199)}…" is rejected: url-length (the URL is longer than the job allows)\n`;
    expect(err).toBe(`peer: ${file}, line 1: ${shown}peer: ${file}, line 3: ${shown}`);
    expect(control.injected).toMatchObject([{ options: { delayMs: 5 } }]);
    const states = await peer(["status", "--file", file, "--json"]);
    expect(states).toMatchObject({ exitCode: 0, err });
    expect(jsonLines(states.out)).toMatchObject([
      { url: "http://a.example/1" },
      { url: "http://a.example/2" },
    ]);
  });

  it("sends long lines in batches that the peer takes", async () => {
    const terminal = new FakeTerminal();
    const lines = Array.from(
      { length: 300 },
      (_, i) => `http://a.example/${i}${"é".repeat(60_000)}`,
    );
    terminal.input = lines.join("\n");
    expect(await peer(["inject", "-"], terminal)).toMatchObject({
      exitCode: 0,
      out: "job default: 300 added, 0 known already, 0 rejected\n",
    });
  });

  it.each([
    [["inject"], "needs URLs"],
    [["inject", "a.example"], "did you mean https://a.example?"],
    [["inject", "ftp://a.example/"], "not ftp"],
    [["inject", `http://a.example/${"x".repeat(70_000)}`], "longer than 65,536 characters"],
    [["inject", "http://a.example/caf\ufffd"], "has bytes that are not UTF-8"],
    [["inject", "http://a/", "--file", "x"], "not both"],
    [["inject", "--file", "x", "--file", "y"], "--file stands for one file"],
    [["status", "--file", "x", "--file", "y"], "--file stands for one file"],
    [["inject", "--file", "/no/such/file"], "there is no such file"],
    [["inject", "http://a/", "--scope", "web"], "--scope must be one of"],
  ])("refuses %j with exit code 2 and one line", expectRefusal);
});

describe("peer get", () => {
  const body = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7) % 256);
  beforeEach(() => {
    control.archived.set("http://a.example/", {
      url: "http://a.example/",
      status: 200,
      statusLine: "HTTP/1.0 200 \u001b[1mOK",
      fetchedAtMs: 0,
      headers: ["Content-Type", "text/html", "X", "\u001b[1m"],
      body,
      truncated: false,
    });
  });

  it("writes the body byte for byte, and nothing else", async () => {
    const { exitCode, terminal } = await peer(["get", "http://a.example/"]);
    expect(exitCode).toBe(0);
    expect(terminal.stdout.bytes.equals(body)).toBe(true);
  });

  it("says beside the body that its end was not kept", async () => {
    const cut = { url: "http://b.example/", status: 200, statusLine: "HTTP/1.1 200 OK" };
    const head = { ...cut, fetchedAtMs: 0, headers: [] };
    control.archived.set(cut.url, { ...head, body: body.subarray(0, 3), truncated: true });
    const { err, exitCode, terminal } = await peer(["get", cut.url]);
    expect({ err, exitCode }).toEqual({
      err: "peer: http://b.example/ is archived without its end\n",
      exitCode: 0,
    });
    expect(terminal.stdout.bytes.equals(body.subarray(0, 3))).toBe(true);
    expect(await peer(["get", "http://a.example/"])).toMatchObject({ err: "" });
  });

  it("shows the archived head", async () => {
    const { out } = await peer(["get", "--headers", "http://a.example/"]);
    expect(out).toBe("HTTP/1.0 200 \ufffd[1mOK\nContent-Type: text/html\nX: \ufffd[1m\n");
    const json = await peer(["get", "--json", "http://a.example/"]);
    expect(JSON.parse(json.out)).toMatchObject({ status: 200, bodyBytes: 100_000 });
  });

  it("says in one line that nothing is archived", async () => {
    const { err, exitCode, out } = await peer(["get", "http://b.example/"]);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toMatch(/^peer: http:\/\/b\.example\/ is not in the archive; [^\n]*\n$/);
  });
});

describe("peer wait, stats, jobs and leave", () => {
  it("waits until every job is finished", async () => {
    control.reports.set("a", jobReport("a", { queued: 5 }));
    control.reports.set("b", jobReport("b"));
    const waiting = peer(["wait", "--json"]);
    await expect.poll(() => control.waiting).toBe(1);
    control.finish();
    const { exitCode, out } = await waiting;
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ finished: true }, { finished: true }]);
  });

  it("stops waiting at Ctrl-C, which is not the crawl's end", async () => {
    control.reports.set("a", jobReport("a", { queued: 5 }));
    const terminal = new FakeTerminal();
    const waiting = peer(["wait", "--job", "a"], terminal);
    await expect.poll(() => control.waiting).toBe(1);
    terminal.signal("SIGINT");
    expect(await waiting).toMatchObject({ exitCode: 130, out: "" });
    expect(terminal.listening).toBe(0);
  });

  it("says which job there is not", async () => {
    const { err, exitCode } = await peer(["wait", "--job", "none"]);
    expect({ exitCode, err }).toEqual({
      exitCode: 1,
      err: "peer: there is no job none; peer jobs lists the jobs there are\n",
    });
  });

  it("shows the peer and its jobs", async () => {
    control.reports.set("docs", jobReport("docs", { pages: 4_321, queued: 5, activeMs: 4_000 }));
    const { out } = await peer(["stats"]);
    expect(out).toMatch(/^peer +peer-0, orbweaver 1\.2\.3, up 1 h 2 min\n/);
    expect(out).toMatch(/docs +running +4,321 /);
    expect(JSON.parse((await peer(["stats", "--json"])).out)).toMatchObject({ openRequests: 3 });
  });

  it("lists, shows and changes jobs", async () => {
    expect((await peer(["jobs"])).out).toContain("no jobs");
    control.reports.set(
      "docs",
      jobReport("docs", { queued: 5, skipped: { scope: 7, robots: 9, depth: 7 } }),
    );
    expect((await peer(["jobs"])).out).toMatch(/docs +running/);
    const shown = (await peer(["jobs", "show", "docs"])).out;
    expect(shown).toMatch(/\nscope +site, at most 1,000 links from a seed\n/);
    expect(shown).toMatch(
      /\ndelay +1,000 ms between requests to a host, 1 request open to it at once\n/,
    );
    expect(shown).toContain(
      "\nsitemaps  not followed\nnot HTML  archived\n" +
        "queries   session ids, tracking and order of parameters make no other URL\n",
    );
    expect(shown).toMatch(/\nskipped +9 robots, 7 depth, 7 scope\n/);
    expect((await peer(["jobs", "pause", "docs"])).out).toBe("job docs is paused\n");
    const resumed = await peer(["jobs", "resume", "docs", "--json"]);
    expect(JSON.parse(resumed.out)).toMatchObject({ definition: { state: "running" } });
    expect((await peer(["jobs", "cancel", "docs"])).out).toBe("job docs is cancelled\n");
    expect(control.changes.map(({ change }) => change)).toEqual(["pause", "resume", "cancel"]);
  });

  it("asks the peer to leave", async () => {
    stopsAtLeave = true;
    expect(await peer(["leave"])).toMatchObject({
      exitCode: 0,
      out: "peer peer-0 has stopped; everything is kept\n",
    });
    expect(leaves).toBe(1);
  });
});
