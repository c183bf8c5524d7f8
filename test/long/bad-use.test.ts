import { once } from "node:events";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainSampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import { crawlWords, ProcessBench, summaryOf } from "../support/process-bench.ts";
import { SwarmBench } from "../support/swarm-bench.ts";
import type { SampleSite } from "../support/process-bench.ts";
import type { Ended } from "../support/peer-process.ts";

/** Nothing on standard output, and on standard error `lines` lines that match. */
function expectRefusal(ended: Ended, code: number, line: RegExp, lines = 1): void {
  expect(ended).toMatchObject({ code, stdout: "" });
  expect(ended.stderr).toMatch(line);
  const said = ended.stderr.trimEnd().split("\n");
  expect(said, ended.stderr).toHaveLength(lines);
  expect(said.every((each) => each.startsWith("peer: "))).toBe(true);
}

describe("peer, used wrongly, says so in a plain line with exit code 2", () => {
  const bench = new ProcessBench();
  afterAll(() => bench.clear());

  it.each([
    ["a URL that is none", ["crawl", "not a url"], /"not a url" is not a URL/],
    ["another scheme", ["crawl", "ftp://example.com/"], /only http and https/],
    ["a URL that is none, to inject", ["inject", "nonsense"], /"nonsense" is not a URL/],
    ["no URL", ["crawl"], /needs a URL to start from/],
    ["an unknown option", ["crawl", "https://example.com/", "--frob"], /'--frob'/],
    ["an unknown command", ["frobnicate"], /there is no command "frobnicate"/],
    ["an option without its value", ["crawl", "https://example.com/", "--delay"], /--delay/],
    ["a number that is none", ["crawl", "https://example.com/", "--delay", "soon"], /delay/],
    ["nothing to continue", ["crawl", "--out", "/tmp/never-made"], /no crawl to continue/],
  ])("for %s", async (_what, words, line) => {
    expectRefusal(await bench.run(words), 2, line);
  });

  it("for each problem of a configuration file", async () => {
    const directory = await bench.directory();
    const file = join(directory, "peer.json");
    await writeFile(file, '{"delay": -1, "scope": "galaxy", "colour": "red", "depth": "deep"}');
    const out = join(directory, "out");
    const words = ["crawl", "https://example.com/", "--config", file, "--out", out];
    const ended = await bench.run(words);
    expectRefusal(ended, 2, /colour/, 4);
    for (const key of ["delay", "scope", "depth"]) expect(ended.stderr).toContain(key);
    expect(await readdir(directory)).toEqual(["peer.json"]);
  });

  it("for a directory that cannot be written, and does not hang", async () => {
    const file = join(await bench.directory(), "file");
    await writeFile(file, "");
    for (const out of [file, join(file, "below"), "/proc/orbweaver", "/proc/orbweaver/below"]) {
      const ended = await bench.run(["crawl", "https://example.com/", "--out", out]);
      expectRefusal(ended, 2, /cannot be used as a directory/);
      expect(ended.stderr).toContain(out);
    }
  });
});

describe("peer, where something is in its way, says so in a plain line with exit code 1", () => {
  const bench = new ProcessBench();
  let site: SampleSite;
  let out: string;

  beforeAll(async () => {
    site = await bench.site({
      ...plainSampleWebOptions,
      sites: 2,
      hostsPerSite: 1,
      totalPages: 60,
    });
    out = join(await bench.directory(), "crawl");
    expect(await bench.run(crawlWords(site, out, 0))).toMatchObject({ code: 0 });
    // The database turns its log into a table when it is opened again.
    expect(await bench.run(["crawl", "--out", out])).toMatchObject({ code: 0 });
    expect((await readdir(join(out, "state"))).some((name) => name.endsWith(".ldb"))).toBe(true);
  });
  afterAll(() => bench.clear());

  /** A copy of the finished crawl, to be damaged. */
  const copyOfCrawl = async (): Promise<string> => {
    const copy = join(await bench.directory(), "crawl");
    await cp(out, copy, { recursive: true });
    return copy;
  };

  it("for a port that is taken, and leaves the data as they are", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const api = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    const data = await copyOfCrawl();
    expectRefusal(await bench.run(["run", "--data", data, "--api", api]), 1, /--api HOST:PORT/);
    other.close();
    const again = await bench.run(["crawl", "--out", data, "--json"]);
    expect(summaryOf(again)).toMatchObject({ finished: true, pages: 60 });
  });

  it("for a directory that another peer holds, which goes on undisturbed", async () => {
    const data = await copyOfCrawl();
    const peer = await bench.peer(data);
    expectRefusal(await bench.run(["crawl", ...site.seeds, "--out", data]), 1, /in use by another/);
    const second = await bench.run(["run", "--data", data, "--api", "127.0.0.1:0"]);
    expectRefusal(second, 1, /in use by another/);
    expect(await bench.run(["stats", "--data", data, "--json"])).toMatchObject({ code: 0 });
    expect(await peer.process.end("SIGTERM")).toMatchObject({ code: 143, stderr: "" });
  });

  it("for a client command without a peer", async () => {
    const data = await bench.directory();
    expectRefusal(await bench.run(["stats", "--data", data]), 1, /no peer runs in/);
    expectRefusal(await bench.run(["stats", "--api", "127.0.0.1:2"]), 1, /no peer can be reached/);
  });

  it.each([
    ["lacks its root file", (state: string) => rm(join(state, "CURRENT"))],
    ["has a root file of garbage", (state: string) => garble(state, /^CURRENT$/)],
    ["has a manifest of garbage", (state: string) => garble(state, /^MANIFEST/)],
    ["lacks its manifest", (state: string) => removeAll(state, /^MANIFEST/)],
    ["has a table of garbage", (state: string) => garble(state, /\.ldb$/)],
  ])("for a database that %s, and touches no archived page", async (_what, damage) => {
    const data = await copyOfCrawl();
    const archive = join(data, "archive");
    const before = await readAll(archive);
    await damage(join(data, "state"));
    expectRefusal(await bench.run(["crawl", "--out", data]), 1, /damaged/);
    expect(await readAll(archive)).toEqual(before);
  });
});

/** Overwrites the middle of each file whose name matches. */
async function garble(directory: string, name: RegExp): Promise<void> {
  for (const each of (await readdir(directory)).filter((one) => name.test(one))) {
    const bytes = await readFile(join(directory, each));
    await writeFile(
      join(directory, each),
      bytes.fill(0xa5, Math.floor(bytes.length / 4), Math.ceil((bytes.length * 3) / 4)),
    );
  }
}

async function removeAll(directory: string, name: RegExp): Promise<void> {
  for (const each of await readdir(directory)) {
    if (name.test(each)) await rm(join(directory, each));
  }
}

async function readAll(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory)).sort();
  const files = await Promise.all(names.map((name) => readFile(join(directory, name), "base64")));
  return Object.fromEntries(names.map((name, at) => [name, files[at] ?? ""]));
}

describe("peer, with a key or an address that it cannot use, does not start and says so in a line", () => {
  const bench = new SwarmBench();
  afterAll(() => bench.clear());
  const loopback = ["--listen", "127.0.0.1:0"];

  it("for an address that is taken, a key file that is not there, and a damaged key", async () => {
    const founder = await bench.member(undefined, loopback);
    const data = await bench.directory();
    const run = ["run", "--data", data, "--api", "127.0.0.1:0"];
    const taken = await bench.run([...run, "--listen", ...founder.addresses]);
    expect(taken).toMatchObject({ code: 1, stdout: "" });
    expect(taken.stderr).toMatch(/^peer: cannot listen [^\n]*--listen HOST:PORT [^\n]*$/m);
    const noKey = await bench.run([...run, ...loopback, "--swarm-key", join(data, "none")]);
    expect(noKey).toMatchObject({ code: 2, stdout: "" });
    expect(noKey.stderr).toMatch(/^peer: --swarm-key: [^\n]*there is no such file[^\n]*\n$/);
    await writeFile(join(data, "peer-key"), "hello\n");
    const damaged = await bench.run([...run, ...loopback]);
    expect(damaged).toMatchObject({ code: 2, stdout: "" });
    expect(damaged.stderr).toMatch(/^peer: [^\n]* does not hold a peer's key [^\n]*\n$/);
  });
});
