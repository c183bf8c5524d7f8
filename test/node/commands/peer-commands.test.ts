import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../node/cli.ts";
import type { PeerConfig } from "../../../node/config/peer-config.ts";
import type { CrawlSummary } from "../../../node/crawl-summary.ts";
import type { RunnablePeer } from "../../../node/peer-session.ts";
import { CrawlError } from "../../../src/core/errors.ts";
import { FakePeerControl, jobReport } from "../../support/fake-peer-control.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";

let out: string;
let control: FakePeerControl;
let terminal: FakeTerminal;
let configs: PeerConfig[];
let calls: string[];
let broken: PromiseWithResolvers<never>;
/** What a peer fails with when it is started. */
let startFailure: Error | undefined;

beforeEach(async () => {
  out = join(await mkdtemp(join(tmpdir(), "peer-commands-")), "out");
  control = new FakePeerControl();
  terminal = new FakeTerminal();
  configs = [];
  calls = [];
  broken = Promise.withResolvers<never>();
  startFailure = undefined;
});

afterEach(() => rm(join(out, ".."), { recursive: true }));

function composePeer(config: PeerConfig): Promise<RunnablePeer> {
  configs.push(config);
  const called = (name: string) => () => {
    calls.push(name);
    return name === "start" && startFailure ? Promise.reject(startFailure) : Promise.resolve();
  };
  return Promise.resolve({
    control,
    broken: broken.promise,
    start: called("start"),
    stop: called("stop"),
  });
}

async function peer(...words: string[]) {
  terminal.environment["ORBWEAVER_CONTACT"] ??= "mail@docs.example";
  const exitCode = await runCli(words, terminal, composePeer);
  return { exitCode, out: terminal.stdout.text, err: terminal.stderr.text };
}

const seed = "https://docs.example/";

describe("peer crawl", () => {
  it("crawls to the end and leaves a summary, which it prints", async () => {
    const crawling = peer("crawl", seed, "--out", out, "--depth", "2", "--max-open", "9", "--json");
    await expect.poll(() => control.waiting).toBe(1);
    control.finish();
    const { exitCode, out: printed } = await crawling;
    expect(exitCode).toBe(0);
    expect(control.injected).toEqual([{ job: "crawl", urls: [seed], options: { depthMax: 2 } }]);
    expect(configs).toMatchObject([{ dataDir: out, openRequestsMax: 9, log: { level: "warn" } }]);
    expect(calls).toEqual(["start", "stop"]);
    const summary = JSON.parse(printed) as CrawlSummary;
    expect(summary).toMatchObject({
      finished: true,
      pages: 1,
      fetched: 1,
      failed: 0,
      skipped: {},
      queued: 0,
      duplicateFetches: 0,
      bytes: 0,
      seconds: 0,
      pagesPerSecond: 0,
      archive: [join(out, "archive", "a.warc.gz")],
    });
    expect(JSON.parse(await readFile(join(out, "summary.json"), "utf8"))).toEqual(summary);
  });

  it("asks once whom operators can turn to, and not where JSON is wanted", async () => {
    await control.inject("crawl" as never, [seed]);
    control.finish();
    terminal.environment["ORBWEAVER_CONTACT"] = "";
    const { err } = await peer("crawl", seed, "--out", out);
    expect(err.match(/note: no --contact is set; /g)).toHaveLength(1);
    terminal = new FakeTerminal();
    terminal.environment["ORBWEAVER_CONTACT"] = "";
    expect((await peer("crawl", seed, "--out", out, "--json")).err).not.toContain("contact");
  });

  it("says so at once when everything is done already", async () => {
    await control.inject("crawl" as never, [seed]);
    control.reports.set("crawl", jobReport("crawl", { pages: 7, fetched: 8 }));
    const { exitCode, out: printed } = await peer("crawl", seed, "--out", out);
    expect(exitCode).toBe(0);
    expect(printed).toMatch(/^already finished\n {2}pages +7 /);
  });

  it("stops gracefully at a signal, says how to continue, and continues", async () => {
    const crawling = peer("crawl", seed, "--out", out);
    await expect.poll(() => control.waiting).toBe(1);
    terminal.signal("SIGTERM");
    const stopped = await crawling;
    expect(stopped.exitCode).toBe(143);
    expect(stopped.out).toMatch(/^stopped; everything is kept\n/);
    expect(stopped.err).toContain(`continue with: peer crawl --out ${out}\n`);
    expect(calls).toEqual(["start", "stop"]);
    expect(JSON.parse(await readFile(join(out, "summary.json"), "utf8"))).toMatchObject({
      finished: false,
      queued: 1,
    });

    terminal = new FakeTerminal();
    control.changed = [{ option: "pagesMax", before: 0, after: 9 }];
    const again = peer("crawl", seed, "--out", out);
    await expect.poll(() => control.waiting).toBe(1);
    control.finish();
    const finished = await again;
    expect(finished.exitCode).toBe(0);
    expect(finished.err).toContain("job crawl is changed from now on: max-pages from 0 to 9\n");
    expect(finished.err).toContain(`continuing in ${out}: 0 pages so far, 1 queued\n`);
  });

  it("remembers how it was told to reach the network, unless it is told otherwise", async () => {
    const network = ["--allow-private", "--dns", "[::1]:53", "--contact", "a@b.example"];
    await control.inject("docs" as never, [seed]);
    control.finish();
    await peer("crawl", seed, "--out", out, "--job", "docs", ...network, "--log-level", "debug");
    await mkdir(join(out, "state"));
    const again = await peer("crawl", "--out", out, "--contact", "c@d.example");
    expect(again.exitCode).toBe(0);
    expect(control.injected.map(({ job }) => job)).toEqual(["docs", "docs", "docs"]);
    expect(configs[1]).toEqual({
      ...configs[0],
      userAgent: expect.stringMatching(/\(\+c@d\.example\)$/) as string,
      log: { level: "warn", format: "text" },
      writeLog: expect.any(Function) as () => void,
    });
    expect(configs[1]).toMatchObject({ allowPrivate: true, dns: { host: "::1", port: 53 } });
    await writeFile(join(out, "settings.json"), "{");
    expect(await peer("crawl", "--out", out)).toMatchObject({ exitCode: 2 });
  });

  it("fails with the seed's own reason when nothing at all could be fetched", async () => {
    control.statuses.set(seed, {
      url: seed,
      state: "excluded",
      attempts: 0,
      owner: "peer-0",
      reason: "address-forbidden",
      detail: "The address is private.",
    });
    await control.inject("crawl" as never, [seed]);
    control.reports.set("crawl", jobReport("crawl"));
    const { err, exitCode, out: printed } = await peer("crawl", seed, "--out", out);
    expect(exitCode).toBe(1);
    expect(printed).toMatch(/^ended with nothing fetched\n/);
    expect(err).toBe(
      `peer: nothing could be fetched; ${seed}: the address is private; ` +
        "to try again with --allow-private, begin anew with --job NAME or another --out DIR\n",
    );
  });

  it("says which seed of a finished crawl stays given up, and what helps", async () => {
    const status = { attempts: 1, owner: "peer-0" };
    const lost = "https://lost.example/";
    control.statuses.set(seed, { ...status, url: seed, state: "done", httpStatus: 404 });
    control.statuses.set(lost, { ...status, url: lost, state: "done", reason: "connect-refused" });
    control.reports.set("crawl", jobReport("crawl", { fetched: 1 }));
    await control.inject("crawl" as never, [seed, lost]);
    control.finish();
    const { err, exitCode } = await peer("crawl", seed, lost, "--out", out);
    expect({ exitCode, err }).toEqual({
      exitCode: 0,
      err: `peer: not all could be fetched; ${lost}: connect-refused; to try again, begin anew with --job NAME or another --out DIR\n`,
    });
  });

  it("fails so too where it is continued without the seed", async () => {
    await mkdir(join(out, "state"), { recursive: true });
    control.reports.set("crawl", jobReport("crawl"));
    const { err, exitCode } = await peer("crawl", "--out", out);
    expect({ exitCode, err }).toEqual({
      exitCode: 1,
      err: "peer: nothing could be fetched; run it again with its URL to be told why\n",
    });
  });

  it("continues no job that there is not, and leaves all as it was", async () => {
    await mkdir(join(out, "state"), { recursive: true });
    expect(await peer("crawl", "--out", out)).toMatchObject({
      exitCode: 2,
      err: `peer: there is no crawl to continue in ${out}; give a URL to start from\n`,
    });
    control.reports.set("docs", jobReport("docs"));
    terminal = new FakeTerminal();
    expect(await peer("crawl", "--out", out, "--job", "dogs", "--json")).toEqual({
      exitCode: 1,
      out: "",
      err: `peer: no job in ${out} is named "dogs"; it has: docs\n`,
    });
    expect(control.injected).toEqual([]);
    expect(await readdir(out)).toEqual(["state"]);
    expect(calls).toEqual(["start", "stop", "start", "stop"]);
  });

  it("stops the peer and passes its trouble on when it breaks on the way", async () => {
    const crawling = peer("crawl", seed, "--out", out);
    await expect.poll(() => control.waiting).toBe(1);
    broken.reject(new CrawlError("DISK_FULL", "the disk is full"));
    const { err, exitCode, out: printed } = await crawling;
    expect({ exitCode, printed }).toEqual({ exitCode: 1, printed: "" });
    expect(err).toBe(
      "peer: the disk is full; free some space and start again: nothing is lost, the crawl continues\n",
    );
    expect(calls).toEqual(["start", "stop"]);
  });

  it.each([
    [["crawl"], "needs a URL to start from"],
    [["crawl", "docs.example"], "did you mean https://docs.example?"],
    [["crawl", seed, "--user-agent", "Mozilla/5.0 (X11)"], "imitations of browsers are refused"],
    [["crawl", seed, "--exclude", "("], "--exclude has bad patterns"],
    [["crawl", seed, "--config", "/no/such.json"], "there is no such file"],
    [
      ["crawl", "http://127.0.0.1:8080/"],
      "private, loopback or link-local address; to crawl it, add --allow-private",
    ],
    [["crawl", seed, "http://[::1]/"], '"http://[::1]/" is at a private'],
    [["crawl", seed, "http://localhost./"], '"http://localhost./" is at a private'],
    [["crawl", "--out", "/no/such/dir"], "there is no crawl to continue"],
  ])("refuses %j with exit code 2, one line, and no peer started", async (words, expected) => {
    const { err, exitCode, out: printed } = await peer(...words);
    expect({ exitCode, printed, configs }).toEqual({ exitCode: 2, printed: "", configs: [] });
    expect(err).toMatch(/^peer: [^\n]*\n$/);
    expect(err).toContain(expected);
  });

  it.each([
    [true, () => `another running peer; stop that one (peer leave --data ${out})`],
    [
      false,
      () =>
        "what takes no questions (a crawl without --api, or a peer that begins or ends); stop it with Ctrl-C where it runs",
    ],
  ])(
    "names a directory in use as it was given, and what to do; with an API %s",
    async (has, who) => {
      await mkdir(out);
      if (has) await writeFile(join(out, "api.json"), "{}");
      startFailure = new CrawlError("DATA_DIR_LOCKED", "the database in /there/state is in use");
      const { err, exitCode } = await peer("crawl", seed, "--out", out);
      expect({ exitCode, err }).toEqual({
        exitCode: 1,
        err: `peer: ${out} is in use by ${who()}, or name another directory\n`,
      });
    },
  );

  it("clears away the address that a killed peer has left, where it has none itself", async () => {
    await mkdir(out);
    await writeFile(join(out, "api.json"), "{}");
    await control.inject("crawl" as never, [seed]);
    control.finish();
    expect(await peer("crawl", seed, "--out", out)).toMatchObject({ exitCode: 0 });
    expect(await readdir(out)).not.toContain("api.json");
  });

  it("refuses a directory that is none", async () => {
    await writeFile(join(out, "..", "file"), "");
    const { err, exitCode } = await peer("crawl", seed, "--out", join(out, "..", "file"));
    expect(exitCode).toBe(2);
    expect(err).toMatch(/^peer: \S+ cannot be used [^\n]*a file is in the way[^\n]*\n$/);
  });

  it("refuses a directory that no folder can be made in, and makes folders where they can", async () => {
    const { err, exitCode } = await peer("crawl", seed, "--out", "/proc/none/out");
    expect(exitCode).toBe(2);
    expect(err).toMatch(/^peer: \S+ cannot be used [^\n]*it cannot be made there[^\n]*\n$/);
    await control.inject("crawl" as never, [seed]);
    control.finish();
    for (const path of [join(out, "a", "b"), `${out}/c/./d/.`, `${out}/e/../f/`]) {
      expect(await peer("crawl", seed, "--out", path)).toMatchObject({ exitCode: 0 });
    }
  });

  it("reads a file, the environment and flags, the later over the earlier", async () => {
    const config = join(out, "..", "conf.json");
    await writeFile(config, JSON.stringify({ depth: 1, delay: 1, priority: 1 }));
    terminal.environment["ORBWEAVER_CONFIG"] = config;
    terminal.environment["ORBWEAVER_DELAY"] = "2";
    terminal.environment["ORBWEAVER_PRIORITY"] = "2";
    control.statuses.clear();
    const crawling = peer("crawl", seed, "--out", out, "--priority", "3");
    await expect.poll(() => control.waiting).toBe(1);
    control.finish();
    await crawling;
    expect(control.injected[0]?.options).toEqual({ depthMax: 1, delayMs: 2, priority: 3 });
  });
});

describe("peer run", () => {
  it("tells its address to commands, serves them, and is gone without a trace", async () => {
    const running = peer("--data", out, "--api", "127.0.0.1:0", "--seed", seed, "--json");
    await expect.poll(() => terminal.stdout.text).toContain("\n");
    const ready = JSON.parse(terminal.stdout.text) as { api: string };
    expect(ready).toMatchObject({ event: "ready", peer: "peer-0", data: out, pid: process.pid });
    const apiFile = join(out, "api.json");
    expect(JSON.parse(await readFile(apiFile, "utf8"))).toEqual({
      pid: process.pid,
      peer: "peer-0",
      url: ready.api,
    });
    expect(control.injected).toEqual([{ job: "default", urls: [seed], options: {} }]);

    const other = new FakeTerminal();
    expect(await runCli(["leave", "--data", out], other)).toBe(0);
    expect((await running).exitCode).toBe(0);
    expect(calls).toEqual(["start", "stop"]);
    await expect(stat(apiFile)).rejects.toThrow("ENOENT");
    await expect(fetch(`${ready.api}/healthz`)).rejects.toThrow();
    expect(terminal.listening).toBe(0);
  });

  it("goes on with the jobs of a crawl that was interrupted, by the crawl's own network", async () => {
    const network = ["--allow-private", "--dns", "[::1]:53", "--contact", "a@b.example"];
    const crawling = peer("crawl", seed, "--out", out, "--job", "docs", ...network);
    await expect.poll(() => control.waiting).toBe(1);
    terminal.signal("SIGINT");
    await crawling;
    control.reports.set("news", jobReport("news", { queued: 2_000 }));
    await control.changeJob("news" as never, "pause");
    control.reports.set("old", jobReport("old"));

    terminal = new FakeTerminal();
    const words = ["--contact", "c@d.example", "--seed", "https://b.example/"];
    const running = peer("--data", out, "--api", "127.0.0.1:0", ...words);
    await expect.poll(() => terminal.stdout.text).toContain("stop it");
    terminal.signal("SIGINT");
    const { out: said } = await running;
    expect(said).toContain("  goes on with:  job docs: 1 queued; job news: paused, 2,000 queued\n");
    expect(said).toContain("  set as before: --dns, --allow-private\n");
    expect(configs[1]).toMatchObject({
      allowPrivate: true,
      dns: { host: "::1", port: 53 },
      userAgent: expect.stringMatching(/\(\+c@d\.example\)$/) as string,
    });
    expect(control.injected.at(-1)).toMatchObject({ job: "default" });
  });

  it.each([
    [
      ["--delay", "50", "--no-normalize-query"],
      "--job, --max-pages, --delay, --no-normalize-query hold",
    ],
    [["--seed", seed, "--delay", "50"], undefined],
  ])("says that settings of a job hold only for seeds: %j", async (words, expected) => {
    const config = join(out, "..", "conf.json");
    await writeFile(config, JSON.stringify({ "max-pages": 5 }));
    terminal.environment["ORBWEAVER_CONFIG"] = config;
    terminal.environment["ORBWEAVER_JOB"] = "docs";
    const running = peer("--data", out, "--api", "127.0.0.1:0", ...words);
    await expect.poll(() => terminal.stdout.text).toContain("stop it");
    terminal.signal("SIGINT");
    expect((await running).err).toBe(
      expected === undefined
        ? ""
        : `peer: ${expected} only for --seed, and none is given; peer inject takes them too\n`,
    );
  });

  it("stops at a signal with the signal's code", async () => {
    const running = peer("run", "--data", out, "--api", "127.0.0.1:0");
    await expect.poll(() => terminal.stdout.text).toContain("runs in");
    const watchers = `peer stats --data ${out}, peer wait --data ${out}, or a browser at the address above\n`;
    expect(terminal.stdout.text).toContain(watchers);
    terminal.signal("SIGINT");
    expect((await running).exitCode).toBe(130);
    expect(calls).toEqual(["start", "stop"]);
  });

  it("stops the peer again when its port is in use", async () => {
    const running = peer("run", "--data", out, "--api", "127.0.0.1:0", "--json");
    await expect.poll(() => terminal.stdout.text).toContain("\n");
    const { api } = JSON.parse(terminal.stdout.text) as { api: string };
    const second = new FakeTerminal();
    const words = ["run", "--data", `${out}2`, "--api", new URL(api).host];
    expect(await runCli(words, second, composePeer)).toBe(1);
    expect(second.stderr.text).toMatch(
      /^peer: cannot listen to \S+: the port is in use; [^\n]*\n$/,
    );
    expect(calls).toEqual(["start", "start", "stop"]);
    terminal.signal("SIGINT");
    await running;
  });
});
