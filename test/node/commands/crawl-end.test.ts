import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../node/cli.ts";
import type { RunnablePeer } from "../../../node/peer-session.ts";
import type { JobId } from "../../../src/core/units.ts";
import { FakePeerControl, jobReport, neverBroken } from "../../support/fake-peer-control.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";

const seed = "https://docs.example/";

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

/** Runs a crawl of the seed until it waits for its end, which is then `report`. */
async function crawlUntil(report: ReturnType<typeof jobReport>) {
  const crawling = runCli(["crawl", seed, "--out", out], terminal, composePeer);
  await expect.poll(() => control.waiting).toBe(1);
  if (terminal.stderr.isTTY) await expect.poll(() => terminal.stderr.text).toContain("crawling ");
  control.finish();
  control.reports.set("crawl", report);
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

  it.each([
    [{ httpStatus: 403 }, `${seed}: the server answers with 403\n`],
    [
      { httpStatus: 302, redirect: seed, reason: "redirect-loop", detail: "The redirects loop." },
      `${seed}: the server answers with 302: the redirects loop\n`,
    ],
    [{ httpStatus: 301, redirect: "https://lost.example/" }, "https://lost.example/: it is lost\n"],
  ] as const)("says why there is no page where a server has answered: %j", async (answer, text) => {
    const done = { state: "done", attempts: 1, owner: "peer-0" } as const;
    const lost = "https://lost.example/";
    control.statuses.set(lost, { ...done, url: lost, reason: "tls-error", detail: "It is lost." });
    control.statuses.set(seed, { ...done, url: seed, ...answer });
    const { err, exitCode } = await crawlUntil(jobReport("crawl", { fetched: 1 }));
    expect({ err, exitCode }).toEqual({ err: `peer: there is no page; ${text}`, exitCode: 0 });
  });

  it("says nothing of a crawl of what is no page", async () => {
    const picture = { httpStatus: 200, contentType: "image/png" };
    const done = { url: seed, state: "done", attempts: 1, owner: "peer-0" } as const;
    control.statuses.set(seed, { ...done, ...picture });
    expect(await crawlUntil(jobReport("crawl", { fetched: 1 }))).toMatchObject({ err: "" });
  });
});
