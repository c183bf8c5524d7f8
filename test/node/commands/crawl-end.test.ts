import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../node/cli.ts";
import type { RunnablePeer } from "../../../node/peer-session.ts";
import type { JobId } from "../../../src/core/units.ts";
import type { JobReport, UrlStatus } from "../../../src/ports/peer-control.ts";
import { FakePeerControl, jobReport, neverBroken } from "../../support/fake-peer-control.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";

const [seed, lost] = ["https://docs.example/", "https://lost.example/"];
const again = "to try again, begin anew with --job NAME or another --out DIR";

let out: string;
let control: FakePeerControl;
let terminal: FakeTerminal;

beforeEach(async () => {
  out = join(await mkdtemp(join(tmpdir(), "crawl-end-")), "out");
  control = new FakePeerControl();
  terminal = new FakeTerminal();
  terminal.environment["ORBWEAVER_CONTACT"] = "mail@docs.example";
});

afterEach(() => rm(join(out, ".."), { recursive: true }));

function composePeer(): Promise<RunnablePeer> {
  const nothing = (): Promise<void> => Promise.resolve();
  return Promise.resolve({ control, broken: neverBroken, start: nothing, stop: nothing });
}

/** Runs a crawl of the seed, or of none, until it waits for its end, which is then `report`; `others` are other jobs' reports. */
async function crawlUntil(
  report: JobReport,
  seeds: readonly string[] = [seed],
  others: readonly JobReport[] = [],
) {
  const crawling = runCli(["crawl", ...seeds, "--out", out], terminal, composePeer);
  await expect.poll(() => control.waiting).toBe(1);
  if (terminal.stderr.isTTY) await expect.poll(() => terminal.stderr.text).toContain("crawling ");
  control.finish();
  for (const each of [report, ...others]) control.reports.set(each.definition.id, each);
  return { exitCode: await crawling, out: terminal.stdout.text, err: terminal.stderr.text };
}

it("lets a crawl go on that was paused when it was stopped", async () => {
  control.reports.set("crawl", jobReport("crawl", { queued: 2 }));
  await control.changeJob("crawl" as JobId, "pause");
  control.changes.length = 0;
  const { err, exitCode } = await crawlUntil(jobReport("crawl", { fetched: 3, pages: 3 }));
  expect(exitCode).toBe(0);
  expect(control.changes).toEqual([{ job: "crawl", change: "resume" }]);
  expect(err).toMatch(/^job crawl was paused, and goes on\ncontinuing in /);
});

it("leaves nothing of what an earlier run has said of its end, as soon as the job goes on", async () => {
  const results = ["broken.ndjson", "summary.json"];
  await mkdir(join(out, "state"), { recursive: true });
  for (const name of results) await writeFile(join(out, name), "{}");
  control.reports.set("crawl", jobReport("crawl", { queued: 2 }));
  const crawling = runCli(["crawl", "--out", out], terminal, composePeer);
  await expect.poll(() => control.waiting).toBe(1);
  const left = await readdir(out);
  terminal.signal("SIGINT");
  await crawling;
  expect(left).toContain("state");
  expect(left.filter((name) => results.includes(name))).toEqual([]);
});

it("has not done its work where somebody lets its peer leave before that", async () => {
  await mkdir(join(out, "state"), { recursive: true });
  control.reports.set("crawl", jobReport("crawl", { queued: 2 }));
  const words = ["crawl", "--out", out, "--api", "127.0.0.1:0"];
  const crawling = runCli(words, terminal, composePeer);
  await expect.poll(() => control.waiting).toBe(1);
  expect(await runCli(["leave", "--data", out], new FakeTerminal(), composePeer)).toBe(0);
  expect(await crawling).toBe(1);
  expect(terminal.stdout.text).toContain("stopped; everything is kept");
});

it("shows of a crawl that somebody pauses what lets it go on", async () => {
  terminal = new FakeTerminal({ isTTY: true });
  terminal.environment["ORBWEAVER_CONTACT"] = "mail@docs.example";
  const crawling = runCli(["crawl", seed, "--out", out], terminal, composePeer);
  await expect.poll(() => control.waiting).toBe(1);
  await control.changeJob("crawl" as JobId, "pause");
  await expect
    .poll(() => terminal.stderr.text.replace(/\u001b\[K\n */gu, " "))
    .toContain(`to go on: peer jobs resume crawl --data ${out}`);
  terminal.signal("SIGINT");
  expect(await crawling).toBe(130);
});

it.each([{ fetched: 3, pages: 3 }, {}])(
  "has failed where somebody cancels its job, whatever was fetched by then: %j",
  async (counts) => {
    const { definition, ...rest } = jobReport("crawl", counts);
    const cancelled = { ...rest, definition: { ...definition, state: "cancelled" } } as const;
    const ended = await crawlUntil(cancelled);
    expect(ended.out).toMatch(/^cancelled; what was fetched is kept\n/);
    expect(ended).toMatchObject({
      exitCode: 1,
      err: `peer: job "crawl" in ${out} was cancelled; begin anew with --job NAME or another --out DIR\n`,
    });
    const summary = await readFile(join(out, "summary.json"), "utf8");
    expect(JSON.parse(summary)).toMatchObject({ finished: false });
  },
);

it.each([
  [["docs"], "docs"],
  [["docs", "news", "old", "past", "rest"], "docs, news, old, 2 more"],
])("says which other jobs of its directory are left: %j", async (ids, names) => {
  const report = jobReport("crawl", { fetched: 3, pages: 3 });
  const others = [jobReport("over"), ...ids.map((id) => jobReport(id, { queued: 2 }))];
  expect(await crawlUntil(report, [seed], others)).toMatchObject({
    exitCode: 0,
    err:
      `also left in ${out}, not finished: ${names}; ` +
      `to go on with docs: peer crawl --job docs --out ${out}\n`,
  });
});

it("goes on with its own job by the same command, whichever job was the last", async () => {
  const stopped = (job: string) => control.reports.set(job, jobReport(job, { queued: 2 }));
  await mkdir(join(out, "state"), { recursive: true });
  stopped("crawl");
  stopped("again");
  const run = async (...words: string[]) => {
    control.injected.length = 0;
    const crawling = runCli(["crawl", ...words, "--out", out], terminal, composePeer);
    await expect.poll(() => control.waiting).toBe(1);
    terminal.signal("SIGINT");
    await crawling;
    return control.injected.map(({ job }) => job);
  };
  expect(await run(seed, "--job", "again")).toEqual(["again"]);
  expect(await run()).toEqual(["again"]);
  expect(await run(seed)).toEqual(["crawl"]);
  expect(await run()).toEqual(["crawl"]);
});

it("names its job in the advice to continue it with a file, and where it is to be asked with its URL", async () => {
  const file = join(out, "..", "urls.txt");
  const urls = Array.from({ length: 1_500 }, (_, page) => `${seed}${page}`);
  await writeFile(file, urls.join("\n"));
  const inject = control.inject.bind(control);
  control.inject = (...given) => {
    terminal.signal("SIGINT");
    return inject(...given);
  };
  await runCli(["crawl", "--file", file, "--out", out, "--job", "again"], terminal, composePeer);
  expect(terminal.stderr.text).toBe(
    `continue with: peer crawl --file ${file} --job again --out ${out}\n`,
  );

  control.inject = inject;
  await rm(join(out, "seeds-left.json"));
  await mkdir(join(out, "state"));
  control.reports.set("again", jobReport("again"));
  terminal = new FakeTerminal();
  await runCli(["crawl", "--out", out], terminal, composePeer);
  expect(terminal.stderr.text).toContain(
    "nothing could be fetched; run it again with its URL --job again to be told why\n",
  );
});

describe("the end of a crawl", () => {
  it("leaves the reason why nothing was fetched on a terminal, above the panel", async () => {
    terminal = new FakeTerminal({ isTTY: true });
    const refused = { url: seed, state: "excluded", attempts: 0, owner: "peer-0" } as const;
    control.statuses.set(seed, { ...refused, reason: "robots" });
    const { err, exitCode } = await crawlUntil(jobReport("crawl", { skipped: { robots: 1 } }));
    expect(exitCode).toBe(1);
    // The panel is taken away before the line, and drawn again below it.
    expect(err).toMatch(
      new RegExp(`\u001b\\[4A\u001b\\[0Jpeer: nothing could be fetched; ${seed}: .*\n.*crawling `),
    );
  });

  it.each<[Partial<UrlStatus>, string]>([
    [{ state: "done", reason: "dns-error" }, `; ${seed}: dns-error; ${again}`],
    [{ state: "excluded" }, `; ${seed}: no reason is known; ${again}`],
    [{ state: "done", httpStatus: 404 }, ""],
    [{ state: "queued" }, ""],
  ])("says which seed was given up where nothing was fetched: %j", async (status, text) => {
    control.statuses.set(seed, {
      url: seed,
      state: "done",
      attempts: 1,
      owner: "peer-0",
      ...status,
    });
    const { err, exitCode } = await crawlUntil(jobReport("crawl"));
    expect({ err, exitCode }).toEqual({
      err: `peer: nothing could be fetched${text}\n`,
      exitCode: 1,
    });
  });

  it("says nothing of a seed that was given up where others were fetched, until it is run again", async () => {
    control.statuses.set(seed, { url: seed, state: "excluded", attempts: 0, owner: "peer-0" });
    const report = jobReport("crawl", { fetched: 3, pages: 3 });
    expect(await crawlUntil(report)).toMatchObject({ err: "", exitCode: 0 });
  });

  it("fails where all that is left is of halted hosts, and says how they are let back", async () => {
    const queued = [{ job: "crawl" as JobId, urls: 7, orMore: false }];
    control.hosts.set("docs.example", {
      host: "docs.example",
      owner: "peer-0",
      known: true,
      queued,
      hold: "halted",
      detail: "It failed too often.",
      failuresInRow: 50,
      robots: [],
    });
    const ended = await crawlUntil(jobReport("crawl", { fetched: 3, pages: 3, queued: 7 }));
    expect(ended.out).toMatch(/^stopped; everything is kept\n/);
    expect(ended).toMatchObject({
      exitCode: 1,
      err:
        "peer: not all could be fetched; docs.example: it failed too often; to let it back sooner: " +
        `peer --data ${out}, and then peer host docs.example --release --data ${out}\n` +
        `continue with: peer crawl --out ${out}\n`,
    });
  });

  it("fails where its hosts are halted, also where it is not known which", async () => {
    const ended = await crawlUntil(jobReport("crawl", { fetched: 3, pages: 3, queued: 7 }));
    expect(ended.exitCode).toBe(1);
    expect(ended.err).toMatch(/^peer: not all could be fetched; its hosts are halted\n/);
  });

  it.each([
    [{ httpStatus: 403 }, `${seed}: the server answers with 403\n`],
    [
      { httpStatus: 404, reason: "parse-failed" },
      `${seed}: the server answers with 404: parse-failed\n`,
    ],
    [{ httpStatus: 300 }, `${seed}: the server answers with 300\n`],
    [
      { httpStatus: 302, redirect: lost, reason: "redirect-loop", detail: "The redirects loop." },
      `${seed}: the server answers with 302: the redirects loop\n`,
    ],
    [{ httpStatus: 301, redirect: lost }, `${lost}: it is lost\n`],
  ] as const)("says why there is no page where a server has answered: %j", async (answer, text) => {
    const done = { state: "done", attempts: 1, owner: "peer-0" } as const;
    control.statuses.set(lost, { ...done, url: lost, reason: "tls-error", detail: "It is lost." });
    control.statuses.set(seed, { ...done, url: seed, ...answer });
    const { err, exitCode } = await crawlUntil(jobReport("crawl", { fetched: 1 }));
    expect({ err, exitCode }).toEqual({ err: `peer: there is no page; ${text}`, exitCode: 0 });
  });

  it("follows no more redirects than a crawl does, of this job alone", async () => {
    const urls = Array.from({ length: 12 }, (_, hop) => `https://docs.example/${hop}`);
    const answer = { state: "done", attempts: 1, owner: "peer-0", httpStatus: 301 } as const;
    for (const [hop, url] of urls.entries()) {
      control.statuses.set(url, { ...answer, url, redirect: `https://docs.example/${hop + 1}` });
    }
    const status = control.status.bind(control);
    const jobs = new Set<string | undefined>();
    control.status = (asked, job) => {
      jobs.add(job);
      return status(asked, job);
    };
    const { err } = await crawlUntil(jobReport("crawl", { fetched: 11 }), urls.slice(0, 1));
    expect(err).toBe(`peer: there is no page; ${urls[10]}: the server answers with 301\n`);
    expect([...jobs]).toEqual(["crawl"]);
  });

  it.each([200, 204, 299])("says nothing of a crawl of what is no page: %i", async (httpStatus) => {
    const picture = { httpStatus, contentType: "image/png" };
    const done = { url: seed, state: "done", attempts: 1, owner: "peer-0" } as const;
    control.statuses.set(seed, { ...done, ...picture });
    expect(await crawlUntil(jobReport("crawl", { fetched: 1 }))).toMatchObject({ err: "" });
  });

  it("says nothing of it either where it is continued without a seed", async () => {
    await mkdir(join(out, "state"), { recursive: true });
    control.reports.set("crawl", jobReport("crawl", { queued: 1 }));
    const { err, exitCode } = await crawlUntil(jobReport("crawl", { fetched: 1 }), []);
    expect({ err, exitCode }).toEqual({
      err: `continuing in ${out}: 0 pages so far, 1 queued\n`,
      exitCode: 0,
    });
  });
});
