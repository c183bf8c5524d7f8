import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../../node/cli.ts";
import { FakeTerminal } from "../support/fake-terminal.ts";

async function peer(words: readonly string[]) {
  const terminal = new FakeTerminal();
  const exitCode = await runCli(words, terminal);
  return { exitCode, out: terminal.stdout.text, err: terminal.stderr.text };
}

async function expectRefusal(words: readonly string[], expected: string): Promise<void> {
  const { err, exitCode, out } = await peer(words);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toMatch(/^peer: [^\n]*\n$/);
  expect(err).toContain(expected);
}

describe("the command line", () => {
  const asking = ["inject", "status", "get", "host", "wait", "stats", "members", "jobs", "leave"];
  const commands = ["run", "crawl", ...asking, "demo", "sim"];

  it.each(commands)("helps with %s, and shows an example", async (name) => {
    const { err, exitCode, out } = await peer([name, "--help"]);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(out).toMatch(/^Usage: peer /);
    expect(out).toMatch(/\n {2}--json /);
    expect(out).toMatch(/\nExamples?:\n {2}# .*\n {2}peer/);
    expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect((await peer(["help", name])).out).toBe(out);
  });

  it("helps with a command below another", async () => {
    const { out } = await peer(["jobs", "pause", "--help"]);
    expect(out).toMatch(/^Usage: peer jobs pause /);
    expect((await peer(["help", "jobs", "pause"])).out).toBe(out);
  });

  it("tells what holds where nothing is set, and how a size is written", async () => {
    const out = (await peer(["crawl", "--help"])).out.replace(/\s+/g, " ");
    expect(out).toContain(
      "--parser-threads <n> threads that parse pages, at most 32 (default: processors less",
    );
    expect(out).toContain("--dns <ip:port> name server to ask instead of the system's, by its IP");
    expect(out).toContain("or may open few files (default: 256)");
    expect(out).toContain("10MB or 10MiB; what is longer is cut and marked (default: 10MiB)");
    expect(out).toContain("10MB or 10MiB (default: 1GiB)");
  });

  it("helps with the program itself, and shows how to begin", async () => {
    const { exitCode, out } = await peer(["--help"]);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/\nExamples:\n {2}# .*\n {2}peer crawl /);
    expect(out).toMatch(
      /\nExit codes: 0 done, .* 130 after Ctrl-C, 143 after\nSIGTERM, 129 when the terminal is gone\.\n/,
    );
    expect(await peer(["help"])).toMatchObject({ exitCode: 0, out });
  });

  it.each([
    [["demo", "--sites", "50", "--pages", "10"], "--pages must be at least --sites (50), got 10"],
    [["demo", "--out", ""], '--out must name a new or empty folder, got ""'],
    [
      ["crawl", "http://a.example/", "--delay", "1s"],
      '--delay must be a whole number of milliseconds from 0 to 86,400,000, got "1s"',
    ],
    [["demo", "--sites", "0"], "--sites must be a whole number from 1 to 1,000, got 0"],
  ])("refuses %j with exit code 2 and one line", expectRefusal);

  it("begins no demo in a folder that is in use", async () => {
    const folder = await mkdtemp(join(tmpdir(), "cli-"));
    const file = join(folder, "used");
    await writeFile(file, "");
    await expectRefusal(["demo", "--out", folder], `${folder} is not empty`);
    await expectRefusal(["demo", "--out", file], `${file} cannot be read (a file is in the way)`);
    await rm(folder, { recursive: true });
  });

  it("says what the columns of a table mean", async () => {
    const { out } = await peer(["members", "--help"]);
    expect(out).toMatch(/\nColumns:\n(?: {2}[A-Z].*\n)* {2}LAG +time /);
  });

  it.each([
    [["stat"], 'did you mean "peer stats"?'],
    [["frobnicate"], "peer --help lists the commands"],
    [["stats", "--verbose"], "unknown option '--verbose'; peer stats --help"],
    [["crawl", "--swarm-key", "k"], "'--swarm-key' (an option of peer run); peer crawl --help"],
    [["crawl", "--join=a"], "'--join=a' (an option of peer run); peer crawl"],
    [["--out", "d"], "'--out' (an option of peer crawl); peer run --help"],
    [["demo", "--join", "a"], "'--join' (an option of peer run); peer demo --help"],
    [["key", "new", "--file", "f"], "(an option of peer crawl, peer inject, peer status); peer"],
    [["crawl", "--timeout", "4"], "(an option of peer inject, peer status, peer urls, ...); peer"],
    [["crawl", "--until-input-ends"], "'--until-input-ends'; peer crawl --help"],
    [["crawl", "--dept"], "'--dept' (Did you mean --depth?); peer crawl --help"],
    [["--data", "d", "stats"], 'options of "peer stats" stand behind it; peer stats --help'],
    [["get"], "missing required argument"],
    [["crawl", "--depth"], "argument missing"],
    [["stats", "--api", "nowhere"], "--api must be HOST:PORT, such as 127.0.0.1:7780, got"],
    [
      ["run", "--dns", "localhost:53"],
      "--dns must be ADDRESS:PORT, an IP address and no name, such",
    ],
    [["help", "nope"], 'there is no command "nope"; peer --help lists the commands'],
    [["https://a.example/?b&c"], `did you mean "peer crawl 'https://a.example/?b&c'"?`],
    [["run", "http://a.example/"], 'did you mean "peer crawl http://a.example/"?'],
    [["help", "stat"], 'there is no command "stat"; did you mean "peer stats"?'],
    [["help", "jobs", "shw"], 'there is no command "jobs shw"; did you mean "peer jobs show"?'],
    [["stats", "x"], "too many arguments for 'stats': expected 0 arguments but got 1: x; peer"],
    [["jobs", "shw"], 'there is no command "jobs shw"; did you mean "peer jobs show"?'],
    [["jobs", "explode", "x"], "peer jobs --help lists the commands"],
    [["key", "ne"], 'there is no command "key ne"; did you mean "peer key new"?'],
    [["wait", "--job", ""], "--job must be 1 to 64 characters of a-z,"],
  ])("refuses %j with exit code 2 and one line", expectRefusal);
});
