import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runCli } from "../../../node/cli.ts";
import type { RunnablePeer } from "../../../node/peer-session.ts";
import { CrawlError } from "../../../src/core/errors.ts";
import { FakePeerControl } from "../../support/fake-peer-control.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";

let folder: string;
let control: FakePeerControl;
let terminal: FakeTerminal;
let broken: PromiseWithResolvers<never>;
let peer: Partial<RunnablePeer>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "run-json-log-"));
  control = new FakePeerControl();
  terminal = new FakeTerminal();
  broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  peer = {};
});

afterEach(() => rm(folder, { recursive: true }));

function run(...words: string[]): Promise<number> {
  const place = ["run", "--data", folder, "--api", "127.0.0.1:0", "--log-format", "json"];
  const [start, stop] = [() => Promise.resolve(), () => Promise.resolve()];
  return runCli([...place, ...words], terminal, () =>
    Promise.resolve({ control, broken: broken.promise, start, stop, ...peer }),
  );
}

/** Each line on standard error, all of which are JSON. */
function lines(): unknown[] {
  const [...texts] = terminal.stderr.text.split("\n");
  expect(texts.pop()).toBe("");
  return texts.map((text): unknown => JSON.parse(text));
}

const at = expect.any(String) as string;

it("tells in its log that a peer has failed, where that is JSON, and ends as it would without", async () => {
  const running = run("--contact", "a@b.example", "--log-level", "silent");
  await expect.poll(() => terminal.stdout.text).toContain("\n");
  broken.reject(new CrawlError("DISK_FULL", "the disk is full"));
  expect(await running).toBe(1);
  const message = expect.stringMatching(/^the disk is full; free some space/) as string;
  const failure = { at, level: "error", event: "peer-failed", code: "DISK_FULL", message };
  expect(lines()).toEqual([failure]);
});

it("tells of a setting that is wrong there too, once it is known what its log is", async () => {
  expect(await run("--weight", "2", "--swarm", "s")).toBe(2);
  const message = expect.stringContaining("--swarm, --weight: only in a swarm") as string;
  const failure = { at, level: "error", event: "peer-failed", code: "CONFIG_INVALID", message };
  expect(lines()).toEqual([failure]);
  terminal = new FakeTerminal();
  expect(await run("--weight", "much")).toBe(2);
  expect(terminal.stderr.text).toMatch(/^peer: --weight must be [^\n]*\n$/);
});

it("tells of its seeds and settings there", async () => {
  const rejected = [{ input: "http://a.example/\n", reason: "address-forbidden" }] as const;
  control.inject = (job) =>
    Promise.resolve({ job, added: 0, known: 0, rejected, rejectedCount: 1 });
  const running = run("--seed", "http://a.example/");
  await expect.poll(() => terminal.stdout.text).toContain("\n");
  terminal.signal("SIGTERM");
  expect(await running).toBe(143);
  const told = { at, message: expect.not.stringMatching(/^(peer|note): |\n/) as string };
  expect(lines()).toEqual([
    {
      ...told,
      level: "warn",
      event: "seed-rejected",
      ...{ url: rejected[0].input, reason: rejected[0].reason },
    },
    { ...told, level: "info", event: "no-contact" },
  ]);
  terminal = new FakeTerminal();
  const idle = run("--contact", "a@b.example", "--depth", "3");
  await expect.poll(() => terminal.stdout.text).toContain("\n");
  terminal.signal("SIGTERM");
  await idle;
  expect(lines()).toEqual([{ ...told, level: "warn", event: "settings-without-seed" }]);
});

it("tells there of seeds that the swarm does not take, and of what it could not hand over", async () => {
  control.broken = new CrawlError("SWARM_BUSY", "1 of 1 URLs were not acknowledged");
  peer = { swarm: { addresses: ["/ip4/127.0.0.1/tcp/1"], leave: () => Promise.resolve(false) } };
  const swarm = ["--join", "a:1", "--contact", "a@b.example"];
  const running = run(...swarm, "--seed", "http://a.example/");
  await expect.poll(() => terminal.stderr.text).toContain("\n");
  await runCli(["leave", "--data", folder], new FakeTerminal());
  expect(await running).toBe(1);
  const refused = { level: "error", event: "seeds-refused", code: "SWARM_BUSY" };
  expect(lines()).toMatchObject([refused, { level: "warn", event: "not-handed-over" }]);
});
