import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../node/cli.ts";
import type { PeerConfig } from "../../../node/config/peer-config.ts";
import type { RunnablePeer } from "../../../node/peer-session.ts";
import { parseSwarmKey } from "../../../src/adapters/libp2p/swarm-key.ts";
import { CrawlError } from "../../../src/core/errors.ts";
import { FakePeerControl, neverBroken } from "../../support/fake-peer-control.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";
import { until } from "../../support/until.ts";

let folder: string;
let control: FakePeerControl;
let terminal: FakeTerminal;
let configs: PeerConfig[];
let calls: string[];
let handedOver: PromiseWithResolvers<boolean>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "run-in-swarm-"));
  control = new FakePeerControl();
  terminal = new FakeTerminal();
  configs = [];
  calls = [];
  handedOver = Promise.withResolvers<boolean>();
});

afterEach(() => rm(folder, { recursive: true }));

function composePeer(config: PeerConfig): Promise<RunnablePeer> {
  configs.push(config);
  const called = (name: string) => () => {
    calls.push(name);
    return Promise.resolve();
  };
  const swarm = {
    addresses: ["/ip4/127.0.0.1/tcp/4711"],
    leave: () => {
      calls.push("leave");
      return handedOver.promise;
    },
  };
  const ends = { start: called("start"), stop: called("stop") };
  return Promise.resolve({ control, broken: neverBroken, ...ends, ...(config.swarm && { swarm }) });
}

/** Starts a peer; returns its end once it is ready. */
async function started(...words: string[]): Promise<Promise<number>[]> {
  const place = ["run", "--data", folder, "--api", "127.0.0.1:0"];
  const running = runCli([...place, ...words], terminal, composePeer);
  await expect.poll(() => terminal.stdout.text).toContain("\n");
  return [running];
}

async function stopped(...words: string[]): Promise<PeerConfig | undefined> {
  const [running] = await started(...words);
  terminal.signal("SIGTERM");
  await running;
  return configs[0];
}

describe("peer run, in a swarm", () => {
  it.each([
    [["--listen", "127.0.0.1:0"], { name: "orbweaver", listen: ["127.0.0.1:0"] }],
    [["--join"], { name: "orbweaver", join: [] }],
    [
      ["--join", "a.example:1", "/ip4/192.0.2.1/tcp/2", "--join", "[::1]:3", "--swarm", "s"],
      { name: "s", join: ["a.example:1", "/ip4/192.0.2.1/tcp/2", "[::1]:3"] },
    ],
    [
      ["--join", "a:1", "--listen", "0.0.0.0:2", "--listen", "[::]:2", "--announce", "b:2"],
      { name: "orbweaver", join: ["a:1"], listen: ["0.0.0.0:2", "[::]:2"], announce: ["b:2"] },
    ],
    [
      [
        ...["--join", "--weight", "2.5", "--membership", "wan", "--minority", "pause"],
        ...["--local-discovery", "--swarm-key", "k", "--replicas", "3"],
      ],
      {
        ...{ name: "orbweaver", join: [], weight: 2.5, membership: "wan" },
        ...{ minority: "pause", localDiscovery: true, keyFile: "k", replicas: 3 },
      },
    ],
  ])("understands %j", async (words, swarm) => {
    expect((await stopped(...words))?.swarm).toEqual(swarm);
  });

  it("reads the same from the environment and a file", async () => {
    const file = join(folder, "c.json");
    await writeFile(file, JSON.stringify({ listen: ["127.0.0.1:1"], weight: 0.5, join: true }));
    terminal.environment["ORBWEAVER_CONFIG"] = file;
    terminal.environment["ORBWEAVER_JOIN"] = "a:1 b:2";
    const swarm = { name: "orbweaver", join: ["a:1", "b:2"], listen: ["127.0.0.1:1"], weight: 0.5 };
    expect((await stopped())?.swarm).toEqual(swarm);
  });

  it("crawls alone where it neither joins nor listens", async () => {
    expect(await stopped()).not.toHaveProperty("swarm");
    expect(terminal.stdout.text).not.toContain("join");
  });

  it.each([
    [["--swarm-key", "k"], "--swarm-key: only in a swarm"],
    [["--swarm", "s", "--weight", "2"], "--swarm, --weight: only in a swarm"],
    [["--join", "nowhere"], "--join must be HOST:PORT"],
    [["--join", "a:0"], "--join must be HOST:PORT"],
    [["--listen", "/ip4/127.0.0.1/udp/1"], "--listen must be HOST:PORT"],
    [["--join", "--replicas", "0"], "--replicas must be a whole number from 1 to 8"],
    [["--join", "--weight", "17"], "--weight must be a number from 0.0625 to 16"],
    [["--join", "--membership", "moon"], "--membership must be one of local, lan, wan"],
    [["--join", "--minority", "flee"], "--minority must be one of crawl, pause"],
    [["--join", "--swarm", "a b"], "--swarm must be small letters"],
  ])("refuses %j with one line, and starts no peer", async (words, expected) => {
    const code = await runCli(["run", "--data", folder, ...words], terminal, composePeer);
    expect({ code, configs }).toEqual({ code: 2, configs: [] });
    expect(terminal.stderr.text).toMatch(/^peer: [^\n]*\n$/);
    expect(terminal.stderr.text).toContain(expected);
  });

  it("says where others reach it", async () => {
    const [running] = await started("--listen", "127.0.0.1:0", "--json");
    const ready: unknown = JSON.parse(terminal.stdout.text);
    expect(ready).toMatchObject({ event: "ready", addresses: ["/ip4/127.0.0.1/tcp/4711"] });
    terminal.signal("SIGTERM");
    expect(await running).toBe(143);
    expect(calls).toEqual(["start", "stop"]);

    terminal = new FakeTerminal();
    await stopped("--listen", "127.0.0.1:0");
    expect(terminal.stdout.text).toContain("\n  others join by --join 127.0.0.1:4711\n");
  });

  it("is ready before its seeds have found their owners, and bears that they do not", async () => {
    control.broken = new CrawlError("SWARM_BUSY", "1 of 1 URLs were not acknowledged");
    const [running] = await started("--join", "a:1", "--seed", "http://a.example/");
    await expect.poll(() => terminal.stderr.text).toContain("not acknowledged");
    expect(calls).toEqual(["start"]);
    terminal.signal("SIGTERM");
    expect(await running).toBe(143);
  });

  it("injects its seeds once its swarm takes them", async () => {
    control.broken = new CrawlError("SWARM_BUSY", "1 of 1 URLs were not acknowledged");
    const [running] = await started("--join", "a:1", "--seed", "http://a.example/");
    await expect.poll(() => terminal.stderr.text).toContain("--seed is tried again");
    control.broken = undefined;
    await until("the seed", () => control.injected.length > 0);
    expect(control.injected[0]).toMatchObject({ urls: ["http://a.example/"] });
    expect(terminal.stderr.text.split("not acknowledged")).toHaveLength(2);
    terminal.signal("SIGTERM");
    expect(await running).toBe(143);
    expect(control.injected).toHaveLength(1);
  });

  it.each([
    ["leaves their job as others may have changed it, once it has told of it", { open: 1 }, {}],
    ["tells of their job as long as it has not found its swarm", {}, { depthMax: 3 }],
  ])("injects its seeds again and %s", async (_, details, options) => {
    control.broken = new CrawlError("SWARM_BUSY", "1 of 1 URLs were not acknowledged", details);
    const [running] = await started("--join", "a:1", "--seed", "http://a.example/", "--depth", "3");
    await expect.poll(() => terminal.stderr.text).toContain("--seed is tried again");
    control.broken = undefined;
    await until("the seed", () => control.injected.length > 0);
    expect(control.injected[0]?.options).toEqual(options);
    terminal.signal("SIGTERM");
    await running;
  });

  it("goes on without its seeds where others have cancelled their job meanwhile, and says so", async () => {
    control.broken = new CrawlError("SWARM_BUSY", "1 of 1 URLs were not acknowledged");
    const [running] = await started("--join", "a:1", "--seed", "http://a.example/");
    await expect.poll(() => terminal.stderr.text).toContain("--seed is tried again");
    control.broken = new CrawlError("JOB_CANCELLED", 'job "default" was cancelled');
    await expect.poll(() => terminal.stderr.text, { timeout: 3_000 }).toContain("was cancelled");
    expect(calls).toEqual(["start"]);
    terminal.signal("SIGTERM");
    expect(await running).toBe(143);
    expect(terminal.stderr.text.split("was cancelled")).toHaveLength(2);
  });

  it("promises no further attempt for seeds that the swarm has not taken when it stops", async () => {
    const attempt = Promise.withResolvers<never>();
    control.inject = () => attempt.promise;
    const [running] = await started("--join", "a:1", "--seed", "http://a.example/");
    terminal.signal("SIGTERM");
    await until("the stop", () => calls.includes("stop"));
    attempt.reject(new CrawlError("SWARM_BUSY", "1 of 1 URLs were not acknowledged"));
    expect(await running).toBe(143);
    await until("the message", () => terminal.stderr.text.includes("not acknowledged"));
    expect(terminal.stderr.text).not.toContain("tried again");
  });
});

describe("peer run that a program started", () => {
  it("stops when that program is gone, and its standard input ends", async () => {
    terminal.inputStaysOpen = true;
    const [running] = await started("--until-input-ends");
    expect(calls).toEqual(["start"]);
    terminal.closeStdin();
    expect(await running).toBe(0);
    expect(calls).toEqual(["start", "stop"]);
  });

  it("does not wait for that once it is told to stop", async () => {
    terminal.inputStaysOpen = true;
    const [running] = await started("--until-input-ends");
    terminal.signal("SIGTERM");
    expect(await running).toBe(143);
    expect(terminal.inputClosed).toBe(true);
  });

  it("runs on without standard input where it is not told to watch it", async () => {
    const [running] = await started();
    expect(calls).toEqual(["start"]);
    terminal.signal("SIGTERM");
    expect(await running).toBe(143);
    expect(terminal.inputClosed).toBe(false);
  });
});

describe("peer leave, in a swarm", () => {
  it("hands over first, then stops, with 0", async () => {
    const [running] = await started("--listen", "127.0.0.1:0");
    const asker = new FakeTerminal();
    const leaving = runCli(["leave", "--data", folder, "--json"], asker);
    await expect.poll(() => calls).toEqual(["start", "leave"]);
    handedOver.resolve(true);
    expect(await Promise.all([running, leaving])).toEqual([0, 0]);
    const told: unknown = JSON.parse(asker.stdout.text);
    expect(told).toEqual({ peer: control.peerId, left: true, handedOver: true });
    expect(calls).toEqual(["start", "leave", "stop"]);
  });

  it("says so and ends with 1 when not everything could be handed over", async () => {
    const [running] = await started("--listen", "127.0.0.1:0");
    const asker = new FakeTerminal();
    const leaving = runCli(["leave", "--data", folder], asker);
    await expect.poll(() => calls).toEqual(["start", "leave"]);
    handedOver.resolve(false);
    expect(await Promise.all([running, leaving])).toEqual([1, 1]);
    const problem = "not everything could be handed over";
    expect(terminal.stderr.text).toContain(`${problem} in time`);
    expect(asker.stdout.text).toContain(`has stopped; ${problem}: it is kept there`);
  });

  it("gives up handing over at a signal, stops gracefully all the same, and does not call it done", async () => {
    const [running] = await started("--listen", "127.0.0.1:0");
    const asker = new FakeTerminal();
    const leaving = runCli(["leave", "--data", folder, "--json"], asker);
    await expect.poll(() => calls).toEqual(["start", "leave"]);
    terminal.signal("SIGTERM");
    expect(await Promise.all([running, leaving])).toEqual([143, 1]);
    const told: unknown = JSON.parse(asker.stdout.text);
    expect(told).toEqual({ peer: control.peerId, left: true, handedOver: false });
    expect(calls).toEqual(["start", "leave", "stop"]);
    expect(terminal.exits).toEqual([]);
  });
});

describe("peer key new", () => {
  it("writes a key that only its user may read, and never over another file", async () => {
    const file = join(folder, "swarm.key");
    expect(await runCli(["key", "new", file], terminal)).toBe(0);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const key = await readFile(file, "utf8");
    expect(parseSwarmKey(key)).toHaveLength(32);
    expect(terminal.stdout.text).toBe("");
    expect(await runCli(["key", "new", file], terminal)).toBe(2);
    expect(terminal.stderr.text).toContain("is there already; name another file");
    expect(await readFile(file, "utf8")).toBe(key);
  });

  it("prints another one each time where no file is named", async () => {
    const second = new FakeTerminal();
    expect(await runCli(["key", "new"], terminal)).toBe(0);
    expect(await runCli(["key", "new", "--json"], second)).toBe(0);
    const { key } = JSON.parse(second.stdout.text) as { readonly key: string };
    expect(parseSwarmKey(key)).not.toEqual(parseSwarmKey(terminal.stdout.text));
  });

  it("says that a file cannot be written", async () => {
    expect(await runCli(["key", "new", "/no/such/folder/key"], terminal)).toBe(2);
    expect(terminal.stderr.text).toMatch(
      /^peer: [^\n]* cannot be written \(there is no such directory\)\n$/,
    );
  });
});
