import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../node/cli.ts";
import type { CrawlSummary } from "../../../node/crawl-summary.ts";
import type { RunnablePeer } from "../../../node/peer-session.ts";
import { SystemClock } from "../../../src/adapters/system/system-clock.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { FakePeerControl, jobReport, neverBroken } from "../../support/fake-peer-control.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";

let out: string;
let control: FakePeerControl;
let terminal: FakeTerminal;
/** What the peer waits for until its requests have ended. */
let drained: Promise<void>;
/** Ends the time that the list of a stopped crawl may take. */
let timeOver: PromiseWithResolvers<void>;

beforeEach(async () => {
  out = join(await mkdtemp(join(tmpdir(), "crawl-broken-")), "out");
  control = new FakePeerControl();
  drained = Promise.resolve();
  timeOver = Promise.withResolvers();
  terminal = new FakeTerminal({ clock: handClock() });
  await mkdir(join(out, "state"), { recursive: true });
  await writeFailed("http://old.example/");
});

afterEach(() => rm(join(out, ".."), { recursive: true }));

/** The system's, but for the one wait that the test ends. */
function handClock(): Clock {
  const clock = new SystemClock();
  return {
    nowMs: () => clock.nowMs(),
    wallMs: () => clock.wallMs(),
    call: (...timer) => clock.call(...timer),
    sleep: (ms, signal) =>
      ms === 3_000
        ? Promise.race([timeOver.promise, clock.sleep(60_000, signal)])
        : clock.sleep(ms, signal),
  };
}

/** A crawl that was finished leaves a list with this one URL. */
async function writeFailed(url: string): Promise<void> {
  control.statuses.set(url, { url, state: "done", attempts: 3, owner: "peer-0" });
  control.reports.set("crawl", jobReport("crawl", { failed: 1 }));
  await crawl();
  expect(await listed()).toHaveLength(1);
  control.statuses.clear();
  terminal = new FakeTerminal({ clock: terminal.clock });
}

function composePeer(): Promise<RunnablePeer> {
  return Promise.resolve({
    control,
    broken: neverBroken,
    start: () => Promise.resolve(),
    stop: async (atRest) => {
      await drained;
      await atRest?.();
    },
  });
}

async function crawl(): Promise<CrawlSummary> {
  await runCli(["crawl", "--out", out, "--json"], terminal, composePeer);
  return JSON.parse(terminal.stdout.text) as CrawlSummary;
}

async function listed(): Promise<string[]> {
  return (await readFile(join(out, "broken.ndjson"), "utf8")).split("\n").slice(0, -1);
}

/** A crawl with two URLs more that were given up, and one that is queued. */
async function stopped(): Promise<CrawlSummary> {
  for (const url of ["http://a.example/", "http://b.example/"]) {
    control.statuses.set(url, { url, state: "done", attempts: 3, owner: "peer-0" });
  }
  control.reports.set("crawl", jobReport("crawl", { failed: 2, queued: 1 }));
  const crawling = crawl();
  await expect.poll(() => control.waiting).toBe(1);
  terminal.signal("SIGINT");
  return crawling;
}

describe("a crawl that is continued and stopped", () => {
  it("lists what is broken by then", async () => {
    expect(await stopped()).toMatchObject({ finished: false, broken: 2 });
    expect((await listed()).join("\n")).toMatch(/http:\/\/a\.example\/.*\n.*http:\/\/b\.example\//);
  });

  it("leaves no list of before where its requests take long to end", async () => {
    drained = timeOver.promise.then(() => new Promise((resolve) => setImmediate(resolve)));
    timeOver.resolve();
    expect(await stopped()).not.toHaveProperty("broken");
    await expect(listed()).rejects.toThrow("ENOENT");
  });
});
