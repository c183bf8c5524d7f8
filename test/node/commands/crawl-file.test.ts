import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../node/cli.ts";
import type { CrawlSummary } from "../../../node/crawl-summary.ts";
import type { RunnablePeer } from "../../../node/peer-session.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { CrawlError } from "../../../src/core/errors.ts";
import { FakePeerControl, jobReport } from "../../support/fake-peer-control.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";

let folder: string;
let file: string;
let out: string;
let control: FakePeerControl;
let terminal: FakeTerminal;
let broken: PromiseWithResolvers<never>;
let calls: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "crawl-file-"));
  file = join(folder, "urls.txt");
  out = join(folder, "out");
  control = new FakePeerControl();
  terminal = new FakeTerminal();
  broken = Promise.withResolvers<never>();
  calls = [];
});

afterEach(() => rm(folder, { recursive: true }));

function composePeer(): Promise<RunnablePeer> {
  const called = (name: string) => () => Promise.resolve(void calls.push(name));
  return Promise.resolve({
    control,
    broken: broken.promise,
    start: called("start"),
    stop: called("stop"),
  });
}

async function crawl(...words: string[]) {
  terminal.environment["ORBWEAVER_CONTACT"] = "mail@docs.example";
  const exitCode = await runCli(["crawl", ...words], terminal, composePeer);
  return { exitCode, out: terminal.stdout.text, err: terminal.stderr.text };
}

/** Runs a crawl to its end, with all that is queued fetched. */
async function crawlAll(...words: string[]) {
  const crawling = crawl(...words);
  await expect.poll(() => control.waiting).toBe(1);
  control.finish();
  return crawling;
}

function urlsOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `http://docs.example/${i}`);
}

/** Signals after the given number of batches. */
function signalAfter(batches: number): void {
  const inject = control.inject.bind(control);
  control.inject = (job, urls, options) => {
    const report = inject(job, urls, options);
    if (control.injected.length === batches) terminal.signal("SIGINT");
    return report;
  };
}

describe("peer crawl --file", () => {
  it("sets options with the first batch of which something is taken", async () => {
    const refused = Array.from({ length: 1_000 }, (_, i) => `http://docs.example/no/${i}`);
    await writeFile(file, [...refused, ...urlsOf(1_500), ""].join("\n"));
    const inject = control.inject.bind(control);
    const asked: unknown[] = [];
    control.inject = (job, urls, options) => {
      asked.push(options);
      if (asked.length > 1) return inject(job, urls, options);
      const rejected = urls.map((input) => ({ input, reason: "pattern" })).slice(0, 100);
      return Promise.resolve({ job, added: 0, known: 0, rejected, rejectedCount: urls.length });
    };
    const { exitCode } = await crawlAll("--file", file, "--out", out, "--delay", "5");
    expect([exitCode, asked]).toEqual([0, [{ delayMs: 5 }, { delayMs: 5 }, undefined]]);
  });

  it("injects a file in batches, sets options once, and crawls to the end", async () => {
    await writeFile(file, ["# a list", "", ...urlsOf(2_500), ""].join("\n"));
    const ended = await crawlAll("--file", file, "--out", out, "--delay", "5", "--json");
    expect(ended).toMatchObject({ exitCode: 0, err: "" });
    expect(JSON.parse(ended.out)).toMatchObject({ finished: true, pages: 2_500, queued: 0 });
    expect(control.injected.map(({ urls, options }) => [urls.length, options])).toEqual([
      [1_000, { delayMs: 5 }],
      [1_000, undefined],
      [500, undefined],
    ]);
    expect(control.injected.flatMap(({ urls }) => urls)).toEqual(urlsOf(2_500));
  });

  it("names the lines that it cannot crawl, and crawls the others", async () => {
    const long = `http://docs.example/${"x".repeat(70_000)}`;
    const garbled = "http://docs.example/caf\xe9";
    const urls = ["no url", "http://127.0.0.1/", "http://docs.example/", long, "http://[::1]:80/"];
    await writeFile(file, Buffer.from([...urls, garbled].join("\n"), "latin1"));
    const { err, exitCode } = await crawlAll("--file", file, "--out", out);
    const isPrivate =
      "is at a private, loopback or link-local address; to crawl it, add --allow-private\n";
    const invalid =
      "invalid-url (this is no http or https URL, is not UTF-8, or has more than 16,384 characters)\n";
    expect(err.split(/(?<=\n)/).sort()).toEqual([
      `peer: ${file}, line 1: "no url" is rejected: ${invalid}`,
      `peer: ${file}, line 2: "http://127.0.0.1/" ${isPrivate}`,
      `peer: ${file}, line 4: "${long.slice(0, 199)}…" is rejected: url-length (the URL is longer than the job allows)\n`,
      `peer: ${file}, line 5: "http://[::1]:80/" ${isPrivate}`,
      `peer: ${file}, line 6: "http://docs.example/caf\ufffd" is rejected: ${invalid}`,
    ]);
    expect(exitCode).toBe(0);
    expect(control.injected.map(({ urls }) => urls)).toEqual([["http://docs.example/"]]);
  });

  it("crawls private addresses where that is allowed, by the last run too", async () => {
    await writeFile(file, "http://127.0.0.1/\n");
    expect(await crawlAll("--file", file, "--out", out, "--allow-private")).toMatchObject({
      exitCode: 0,
      err: "",
    });
    terminal = new FakeTerminal();
    const again = await crawl("--file", file, "--out", out);
    expect(again).toMatchObject({ exitCode: 0, err: "" });
    expect(again.out).toMatch(/^already finished\n/);
  });

  it("names a hundred bad lines and counts the rest, before and after the first good one", async () => {
    const bad = Array.from({ length: 1_500 }, (_, i) => `no url ${i}`);
    await writeFile(file, [...bad, ...urlsOf(1), ...bad].join("\n"));
    const { err, exitCode } = await crawlAll("--file", file, "--out", out);
    expect(exitCode).toBe(0);
    expect(err.match(/is rejected/g)).toHaveLength(100);
    expect(err).toMatch(/line 100: "no url 99" [^\n]*\npeer: 2,900 more are rejected\n$/);
    expect(control.injected.map(({ urls }) => urls)).toEqual([urlsOf(1)]);
  });

  it("tells by its line what the job rejects", async () => {
    const inject = control.inject.bind(control);
    control.inject = async (job, urls, options) => ({
      ...(await inject(job, urls, options)),
      rejected: [{ input: "http://docs.example/1", reason: "pattern" }],
      rejectedCount: 1,
    });
    await writeFile(file, ["", ...urlsOf(2)].join("\n"));
    const { err } = await crawlAll("--file", file, "--out", out);
    expect(err).toMatch(/urls\.txt, line 3: "http:\/\/docs\.example\/1" is rejected: pattern /);
  });

  it.each(["", "# nothing\n\n", "no url\nhttp://10.0.0.1/\n"])(
    "makes nothing of a file without a seed (%j)",
    async (text) => {
      await writeFile(file, text);
      const { err, exitCode, out: printed } = await crawl("--file", file, "--out", out);
      expect({ exitCode, printed, calls }).toEqual({ exitCode: 2, printed: "", calls: [] });
      const [last, ...others] = err.trimEnd().split("\n").reverse();
      expect(last).toBe(`peer: ${file} has no URL to start from`);
      expect(others).toHaveLength(text.includes("url") ? 2 : 0);
      expect(await readdir(folder)).toEqual(["urls.txt"]);
    },
  );

  it("continues a crawl by a file without a seed", async () => {
    await mkdir(join(out, "state"), { recursive: true });
    control.reports.set("crawl", jobReport("crawl", { queued: 3 }));
    await writeFile(file, "no url\n");
    const { err, exitCode } = await crawlAll("--file", file, "--out", out, "--depth", "2");
    expect(exitCode).toBe(0);
    expect(err).toMatch(/line 1: "no url" is rejected: [^\n]*\ncontinuing in [^\n]*, 3 queued\n/);
    expect(control.injected).toEqual([{ job: "crawl", urls: [], options: { depthMax: 2 } }]);
  });

  it("shows progress under the file's name", async () => {
    terminal = new FakeTerminal({ isTTY: true });
    await writeFile(file, urlsOf(1_001).join("\n"));
    const { err } = await crawlAll("--file", file, "--out", out);
    expect(err).toContain("crawling urls.txt ");
    expect(err.split("\u001b[?25l")).toHaveLength(2);
  });

  it("shows progress while more seeds come", async () => {
    terminal = new FakeTerminal({ isTTY: true });
    terminal.input = `${urlsOf(1_000).join("\n")}\n`;
    terminal.inputStaysOpen = true;
    const crawling = crawl("--file", "-", "--out", out);
    await expect.poll(() => terminal.stderr.text).toMatch(/queued.* 1,000/);
    expect(control.waits).toBe(0);
    control.finish();
    terminal.closeStdin();
    expect(await crawling).toMatchObject({ exitCode: 0 });
  });

  it("reads standard input, and is not over before its end", async () => {
    terminal.input = `${urlsOf(1_000).join("\n")}\n`;
    terminal.inputStaysOpen = true;
    const crawling = crawl("--file", "-", "--out", out, "--json");
    await expect.poll(() => control.injected.length).toBe(1);
    control.finish();
    expect(control.waits).toBe(0);
    terminal.closeStdin();
    const { exitCode, out: printed } = await crawling;
    expect(exitCode).toBe(0);
    expect(JSON.parse(printed)).toMatchObject({ finished: true, pages: 1_000 });
  });

  it.each([
    ["nothing comes", "\n", /^waiting for URLs from standard input, one a line\n/u],
    [
      "no URL comes",
      "no url\n",
      /is rejected: [^\n]*\nwaiting for URLs from standard input, one a line\n/u,
    ],
  ])("says once what it waits for where %s", async (_what, input, expected) => {
    const clock = new VirtualClock();
    terminal = new FakeTerminal({ clock });
    terminal.input = input;
    terminal.inputStaysOpen = true;
    const crawling = crawl("--file", "-", "--out", out);
    await expect.poll(() => clock.sleepers).toBe(1);
    await clock.run(clock.sleep(60_000));
    expect(terminal.stderr.text).toMatch(expected);
    expect(terminal.stderr.text.split("waiting for URLs")).toHaveLength(2);
    terminal.closeStdin();
    expect((await crawling).exitCode).toBe(2);
  });

  it("stops in the middle of a file, and the same command continues", async () => {
    await writeFile(file, urlsOf(3_500).join("\n"));
    signalAfter(2);
    const stopped = await crawl("--file", file, "--out", out);
    expect([stopped.exitCode, terminal.endCode]).toEqual([130, 130]);
    expect(stopped.out).toMatch(/^stopped; everything is kept\n/);
    expect(stopped.err).toContain(`continue with: peer crawl --file ${file} --out ${out}\n`);
    expect(control.injected).toHaveLength(2);
    expect(calls).toEqual(["start", "stop"]);

    terminal = new FakeTerminal();
    const { err, exitCode } = await crawlAll("--file", file, "--out", out);
    expect(exitCode).toBe(0);
    expect(err).toBe(`continuing in ${out}: 0 pages so far, 2,000 queued\n`);
    expect(control.job("crawl" as never).counts.pages).toBe(3_500);
  });

  it("has failed where its job is cancelled in the middle of a file, and does not begin it again", async () => {
    await writeFile(file, urlsOf(1_500).join("\n"));
    const inject = control.inject.bind(control);
    control.inject = (...seeds) => {
      if (control.injected.length === 0) return inject(...seeds);
      control.finish();
      void control.changeJob("crawl" as never, "cancel");
      return Promise.reject(new CrawlError("JOB_CANCELLED", "no more"));
    };
    const { exitCode, out: printed } = await crawl("--file", file, "--out", out, "--json");
    expect(exitCode).toBe(1);
    expect(JSON.parse(printed)).toMatchObject({ finished: false, pages: 1_000 });
    expect(await readdir(out)).not.toContain("seeds-left.json");

    terminal = new FakeTerminal();
    expect(await crawl("--file", file, "--out", out)).toEqual({
      exitCode: 1,
      out: "",
      err: `peer: job "crawl" in ${out} was cancelled; begin anew with --job NAME or another --out DIR\n`,
    });
  });

  it("does not end as finished without the file of which it was cut off", async () => {
    await writeFile(file, urlsOf(1_500).join("\n"));
    // As a kill leaves it: what comes after the first batch never happens.
    const inject = control.inject.bind(control);
    control.inject = (...seeds) =>
      control.injected.length === 1
        ? Promise.reject(new CrawlError("STORE_IO", "cut off"))
        : inject(...seeds);
    await crawl("--file", file, "--out", out);
    control.inject = inject;

    await mkdir(join(out, "state"), { recursive: true });
    terminal = new FakeTerminal();
    const { err, exitCode, out: printed } = await crawlAll("--out", out, "--json");
    expect({ exitCode, err }).toEqual({
      exitCode: 1,
      err:
        `continuing in ${out}: 0 pages so far, 1,000 queued\n` +
        `peer: not all URLs of ${file} are in the crawl: it was interrupted meanwhile\n` +
        `continue with: peer crawl --file ${file} --out ${out}\n`,
    });
    expect(JSON.parse(printed)).toMatchObject({ finished: false, pages: 1_000 });

    // Another file is not the rest of this one.
    const other = join(folder, "other.txt");
    await writeFile(other, "http://docs.example/other");
    terminal = new FakeTerminal();
    const withOther = await crawlAll("--file", other, "--out", out);
    expect(withOther.exitCode).toBe(1);
    expect(withOther.err).toContain(`peer: not all URLs of ${file} are in the crawl: `);

    terminal = new FakeTerminal();
    expect(await crawlAll("--file", file, "--out", out)).toMatchObject({ exitCode: 0 });
    terminal = new FakeTerminal();
    expect((await crawl("--out", out)).out).toMatch(/^already finished\n/);
  });

  it("lacks nothing of a file of which the job rejects every line", async () => {
    await writeFile(file, urlsOf(1).join("\n"));
    const inject = control.inject.bind(control);
    control.inject = (job, _urls, options) => inject(job, [], options);
    const { err, exitCode } = await crawl("--file", file, "--out", out);
    expect(exitCode).toBe(2);
    expect(err).toContain("no URL is left");
    control.inject = inject;

    terminal = new FakeTerminal();
    const again = await crawlAll("http://docs.example/", "--out", out);
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.err).not.toContain("not all URLs");
  });

  it("is stopped by a signal also where the job has rejected every line so far", async () => {
    await writeFile(file, urlsOf(1_500).join("\n"));
    control.inject = (job, urls) => {
      terminal.signal("SIGINT");
      return Promise.resolve({
        job,
        added: 0,
        known: 0,
        rejected: [],
        rejectedCount: urls.length,
      });
    };
    const { err, exitCode, out: printed } = await crawl("--file", file, "--out", out);
    expect({ err, exitCode, printed }).toEqual({
      err:
        "peer: 1,000 more are rejected\n" +
        "stopped before any URL was taken; the same command begins again\n",
      exitCode: 130,
      printed: "",
    });
    expect(calls).toEqual(["start", "stop"]);
  });

  it("is not finished where the rest of its seeds is missing", async () => {
    terminal.input = `${urlsOf(1_000).join("\n")}\n`;
    terminal.inputStaysOpen = true;
    const crawling = crawl("--file", "-", "--out", out);
    await expect.poll(() => control.injected.length).toBe(1);
    control.finish();
    terminal.signal("SIGTERM");
    const { err, exitCode } = await crawling;
    expect(exitCode).toBe(143);
    expect(err).toContain(
      `continue with: peer crawl --file - --out ${out}, with the same URLs on standard input\n`,
    );
    const summary = JSON.parse(await readFile(join(out, "summary.json"), "utf8")) as CrawlSummary;
    expect(summary).toMatchObject({ finished: false, pages: 1_000 });
    expect(terminal).toMatchObject({ inputClosed: true, listening: 0 });
  });

  it("reads standard input no further where it cannot begin", async () => {
    terminal.input = `${urlsOf(1).join("\n")}\n`;
    terminal.inputStaysOpen = true;
    terminal.environment["ORBWEAVER_CONTACT"] = "mail@docs.example";
    const locked = new CrawlError("DATA_DIR_LOCKED", "another process has it");
    const words = ["crawl", "--file", "-", "--out", out];
    expect(await runCli(words, terminal, () => Promise.reject(locked))).toBe(1);
    expect(terminal.inputClosed).toBe(true);
  });

  it("ends as the peer breaks while it waits for standard input", async () => {
    terminal.input = `${urlsOf(1_000).join("\n")}\n`;
    terminal.inputStaysOpen = true;
    const crawling = crawl("--file", "-", "--out", out);
    await expect.poll(() => control.injected.length).toBe(1);
    broken.reject(new CrawlError("DISK_FULL", "the disk is full"));
    expect((await crawling).exitCode).toBe(1);
    expect(calls).toEqual(["start", "stop"]);
  });

  it.each([
    [["http://docs.example/", "--file", "urls.txt"], "give URLs or --file, not both"],
    [["--file", "urls.txt", "--file", "more.txt"], "--file stands for one file"],
    [["--file", "-"], "a crawl of URLs from standard input needs --out DIR"],
    [["-"], "a crawl of URLs from standard input needs --out DIR"],
    [["--file", "/no/such/file"], "/no/such/file cannot be read (there is no such file)"],
  ])("refuses %j with exit code 2, one line, and no peer started", async (words, expected) => {
    const { err, exitCode, out: printed } = await crawl(...words);
    expect({ exitCode, printed, calls }).toEqual({ exitCode: 2, printed: "", calls: [] });
    expect(err).toMatch(/^peer: [^\n]*\n$/);
    expect(err).toContain(expected);
  });
});
