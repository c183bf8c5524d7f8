import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { composeSwarm, type SwarmParts } from "../../node/compose-swarm.ts";
import type { SwarmConfig } from "../../node/config/peer-config.ts";
import { localNetwork } from "../../node/patient-overlay.ts";
import { idOfKey, newKey } from "../../node/peer-identity.ts";
import { formatSwarmKey, newSwarmKey } from "../../src/adapters/libp2p/swarm-key.ts";
import { SystemClock } from "../../src/adapters/system/system-clock.ts";
import { wanMembership } from "../../src/core/membership/membership-options.ts";
import { defaultSwarmOptions } from "../../src/peer/swarm/swarm-options.ts";
import { noMetrics } from "../../src/ports/metrics.ts";
import { silentLogger } from "../support/silent-logger.ts";

const addresses = Object.values(networkInterfaces()).flat();
const hasIPv6 = addresses.some((each) => each?.address === "::1");

async function composed(
  config: Omit<SwarmConfig, "name">,
  swarmFile = "/nowhere/swarm.json",
  { clock = new SystemClock(), onNobody = (): void => undefined } = {},
): Promise<SwarmParts> {
  const key = newKey();
  const id = idOfKey(key);
  const parts = await composeSwarm(
    { name: "test", ...config },
    { id, fileName: id, key },
    { swarmFile },
    { clock, logger: silentLogger, metrics: noMetrics },
    onNobody,
  );
  onTestFinished(() => parts.overlay.stop());
  return parts;
}

/** Where a peer listens that joins by these addresses and names none of its own. */
async function listenedAt(join: readonly string[], swarmFile?: string): Promise<readonly string[]> {
  const { overlay } = await composed({ join }, swarmFile);
  await overlay.start();
  return overlay.addresses;
}

/** Whether somebody listens. */
async function answers(host: string, port: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) });
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

const portOf = (listened: readonly string[], start: string): string | undefined =>
  listened
    .find((each) => each.startsWith(start))
    ?.split("/")
    .at(4);

describe("a peer that joins and is not told where to listen", () => {
  const local = ["127.0.0.1:1", "localhost:1", "/dns4/localhost/tcp/1", "[::1]:1"];
  it.each(local)("listens on loopback alone where it joins by %s", async (join) => {
    const port = portOf(await listenedAt([join]), "/ip4/127.0.0.1/");
    expect(await answers("127.0.0.1", port)).toBe(true);
    expect(await answers("127.0.0.2", port)).toBe(false);
  });

  it("listens on loopback alone where it joins by that again, whatever it remembers", async () => {
    const folder = await mkdtemp(`${tmpdir()}/compose-swarm-`);
    onTestFinished(() => rm(folder, { recursive: true }));
    const swarmFile = `${folder}/swarm.json`;
    const addresses = ["/ip4/127.0.0.1/tcp/1", "/ip4/192.0.2.1/tcp/1"];
    await writeFile(swarmFile, JSON.stringify({ swarm: "test", addresses }));
    const port = portOf(await listenedAt(["127.0.0.1:1"], swarmFile), "/ip4/127.0.0.1/");
    expect(await answers("127.0.0.1", port)).toBe(true);
    expect(await answers("127.0.0.2", port)).toBe(false);
  });

  it("listens at the port of its last run, and at another one where that has been taken", async () => {
    const folder = await mkdtemp(`${tmpdir()}/compose-swarm-`);
    onTestFinished(() => rm(folder, { recursive: true }));
    const swarmFile = `${folder}/swarm.json`;
    const compose = (listen?: string[]): Promise<SwarmParts> =>
      composed({ join: ["127.0.0.1:1"], ...(listen && { listen }) }, swarmFile);
    const first = await compose();
    await first.overlay.start();
    const port = portOf(first.overlay.addresses, "/ip4/127.0.0.1/");
    await first.overlay.stop();
    const memory = { swarm: "test", port: Number(port), addresses: [] };
    await writeFile(swarmFile, JSON.stringify(memory));
    const [second, third] = [await compose(), await compose()];
    await second.overlay.start();
    expect(portOf(second.overlay.addresses, "/ip4/127.0.0.1/")).toBe(port);
    await third.overlay.start();
    const other = portOf(third.overlay.addresses, "/ip4/127.0.0.1/");
    expect(other).not.toBe(port);
    expect(await answers("127.0.0.1", other)).toBe(true);
    const named = await compose([`127.0.0.1:${port}`]);
    await expect(named.overlay.start()).rejects.toThrow("the address is in use");
  });

  it("listens nowhere else than it is told to, if it is", async () => {
    const { overlay } = await composed({ join: ["192.0.2.1:1"], listen: ["127.0.0.1:0"] });
    await overlay.start();
    expect(await answers("127.0.0.2", portOf(overlay.addresses, "/ip4/"))).toBe(false);
  });

  it.each([[["192.0.2.1:1"]], [["127.example.org:1"]], [["127.0.0.1:1", "192.0.2.1:1"]]])(
    "listens everywhere else, as by %s",
    async (join) => {
      const port = portOf(await listenedAt(join), "/ip4/");
      expect(await answers("127.0.0.2", port)).toBe(true);
    },
  );

  it("listens as those that it remembers would have it where it names none", async () => {
    const folder = await mkdtemp(`${tmpdir()}/compose-swarm-`);
    onTestFinished(() => rm(folder, { recursive: true }));
    const swarmFile = `${folder}/swarm.json`;
    const isOpen = async (...addresses: string[]): Promise<boolean> => {
      await writeFile(swarmFile, JSON.stringify({ swarm: "test", addresses }));
      const { overlay } = await composed({}, swarmFile);
      await overlay.start();
      return answers("127.0.0.2", portOf(overlay.addresses, "/ip4/"));
    };
    expect(await isOpen("/ip4/127.0.0.1/tcp/1")).toBe(false);
    expect(await isOpen("/ip4/127.0.0.1/tcp/1", "/ip4/192.0.2.1/tcp/1")).toBe(true);
    expect(await isOpen()).toBe(true);
  });

  it.runIf(hasIPv6).each(["[::1]:1", "[2001:db8::1]:1"])(
    "is reached by IPv6, too, where it joins by %s",
    async (join) => {
      const port = portOf(await listenedAt([join]), "/ip6/");
      expect(await answers("::1", port)).toBe(true);
    },
  );
});

describe("a peer that finds nobody", () => {
  it.each([
    ["begins the swarm that it remembers where it names nobody", undefined, 1],
    ["goes on looking where it names somebody", ["127.0.0.1:1"], 0],
  ])("%s", async (_, join, begun) => {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(20_000)]);
    let [rests, nobodies] = [0, 0];
    const rest = (): Promise<void> => {
      rests += 1;
      if (rests === 10) over.abort();
      return Promise.resolve();
    };
    const clock = Object.assign(new SystemClock(), { sleep: rest });
    const config = { listen: ["127.0.0.1:0"], ...(join && { join }) };
    const onNobody = (): void => void (nobodies += 1);
    const { overlay } = await composed(config, undefined, { clock, onNobody });
    await overlay.start();
    await overlay.join("/ip4/127.0.0.1/tcp/1", signal);
    expect([rests, nobodies]).toEqual([10, begun]);
  });
});

describe("how a peer takes part in its swarm", () => {
  const [one, two] = ["/ip4/127.0.0.1/tcp/1", "/ip4/127.0.0.1/tcp/2"];

  it.each<[readonly string[] | undefined, readonly string[], readonly string[]]>([
    [undefined, [], []],
    [undefined, [one], [one]],
    [[], [], [localNetwork]],
    [[], [one], [one]],
    [["127.0.0.1:2"], [], [two]],
    [["127.0.0.1:2"], [one, two], [two, one]],
  ])("joins, told %j and remembering %j, by %j", async (join, addresses, by) => {
    const folder = await mkdtemp(`${tmpdir()}/compose-swarm-`);
    onTestFinished(() => rm(folder, { recursive: true }));
    const swarmFile = `${folder}/swarm.json`;
    await writeFile(swarmFile, JSON.stringify({ swarm: "test", addresses }));
    const { options } = await composed(
      { listen: ["127.0.0.1:0"], ...(join && { join }) },
      swarmFile,
    );
    expect(options.join).toEqual(by);
  });

  const local = ["127.0.0.1:1"];

  it("is as its configuration has it", async () => {
    const own = { weight: 2, replicas: 3, membership: "wan", minority: "pause" } as const;
    const { options } = await composed({ join: local, ...own });
    expect(options).toEqual({
      ...defaultSwarmOptions,
      cluster: { ...defaultSwarmOptions.cluster, replicas: 3 },
      join: [one],
      weight: 2,
      membership: wanMembership,
      minority: "pause",
    });
  });

  it("is the usual way where that says nothing of it", async () => {
    const { options } = await composed({ join: local });
    expect(options).toEqual({ ...defaultSwarmOptions, join: [one] });
  });
});

describe("what a peer announces", () => {
  const key = newKey();
  const id = idOfKey(key);
  const addressesFor = async (...announce: string[]): Promise<readonly string[]> => {
    const { overlay } = await composeSwarm(
      { name: "test", listen: ["127.0.0.1:0"], announce },
      { id, fileName: id, key },
      { swarmFile: "/nowhere/swarm.json" },
      { clock: new SystemClock(), logger: silentLogger, metrics: noMetrics },
      () => undefined,
    );
    return overlay.addresses;
  };
  const many = Array.from({ length: 9 }, (_, index) => `192.0.2.${index + 1}:7781`);
  const longName = `${"a".repeat(60)}.${"b".repeat(60)}.example`;

  it("is told without its own id, which others put there", async () => {
    const name = `${"a".repeat(60)}.svc.example`;
    expect(await addressesFor(`/dns4/${name}/tcp/7781/p2p/${id}`, "192.0.2.1:7781")).toEqual([
      `/dns4/${name}/tcp/7781`,
      "/ip4/192.0.2.1/tcp/7781",
    ]);
  });

  it("is as much as others take in", async () => {
    const longest = `/dns4/${longName.slice(0, 113)}/tcp/7781`;
    expect(longest).toHaveLength(128);
    const most = [longest, ...many.slice(2)];
    expect(await addressesFor(...most)).toHaveLength(8);
  });

  it.each([
    ["more addresses than others take in", many, "at most 8"],
    ["a longer one than others take in", [`${longName}:7781`], "128 characters"],
    ["one that is any address", ["0.0.0.0:7781"], "nobody can connect"],
    ["one that is any address of IPv6", ["[::]:7781"], "nobody can connect"],
    [
      "another peer's",
      [`/ip4/192.0.2.1/tcp/7781/p2p/${idOfKey(newKey())}`],
      "the id of another peer",
    ],
  ])("is not %s", async (_, announce, problem) => {
    await expect(addressesFor(...announce)).rejects.toThrow(problem);
  });
});

describe("the key of a swarm", () => {
  it("is taken out of its file, and keeps out whoever has none", async () => {
    const folder = await mkdtemp(`${tmpdir()}/compose-swarm-`);
    onTestFinished(() => rm(folder, { recursive: true }));
    const keyFile = `${folder}/swarm.key`;
    await writeFile(keyFile, formatSwarmKey(newSwarmKey()));
    const listen = ["127.0.0.1:0"];
    const [one, other, open] = [
      await composed({ listen, keyFile }),
      await composed({ listen, keyFile }),
      await composed({ listen }),
    ];
    for (const { overlay } of [one, other, open]) await overlay.start();
    const [address = ""] = one.overlay.addresses;
    const signal = AbortSignal.timeout(20_000);
    expect(await other.overlay.join(address, signal, "once")).toMatchObject({ kind: "joined" });
    expect(await open.overlay.join(address, signal, "once")).not.toMatchObject({ kind: "joined" });
  });

  it("is not anything that a file has", async () => {
    const message = expect.stringContaining(
      "--swarm-key: /dev/null holds no swarm key (",
    ) as string;
    const parts = composed({ join: ["127.0.0.1:1"], keyFile: "/dev/null" });
    await expect(parts).rejects.toMatchObject({ message });
  });
});

describe("a swarm key that cannot be read", () => {
  const absent = join(tmpdir(), "no-such-swarm.key");

  it.each([
    [absent, `there is no such file); peer key new ${absent} makes one`],
    ["/no/such.key", "there is no such file)"],
    [tmpdir(), "it is a directory)"],
    ["/dev/null/such.key", "a file is in the way)"],
  ])(
    "is told in plain words, and a new one is advised only where one can be made: %s",
    async (keyFile, reason) => {
      const key = newKey();
      const id = idOfKey(key);
      const composed = composeSwarm(
        { name: "test", join: ["127.0.0.1:1"], keyFile },
        { id, fileName: id, key },
        { swarmFile: "/nowhere/swarm.json" },
        { clock: new SystemClock(), logger: silentLogger, metrics: noMetrics },
        () => undefined,
      );
      const message = `--swarm-key: ${keyFile} cannot be read (${reason}`;
      await expect(composed).rejects.toMatchObject({ message });
    },
  );
});
