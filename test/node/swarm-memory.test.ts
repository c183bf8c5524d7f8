import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recallSwarm, SwarmRecorder } from "../../node/swarm-memory.ts";
import { SystemClock } from "../../src/adapters/system/system-clock.ts";
import type { MemberState } from "../../src/core/membership/member.ts";
import type { Logger } from "../../src/ports/logger.ts";
import type { MemberReport } from "../../src/ports/peer-control.ts";

const nothing = (): undefined => undefined;
const logger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "swarm-memory-"));
  file = join(folder, "swarm.json");
});

afterEach(() => rm(folder, { recursive: true }));

function row(n: number, state: MemberState = "active"): MemberReport {
  const addresses = [`/ip4/192.0.2.${n}/tcp/7781`];
  return { id: `m${n}`, addresses, state, weight: 1, share: 0, generation: 1, version: "1" };
}

async function record(members: readonly MemberReport[], addresses: readonly string[] = []) {
  const source = { members: () => members, addresses: () => addresses };
  const ports = { clock: new SystemClock(), logger };
  const recorder = new SwarmRecorder(file, "s", ports, source, await recallSwarm(file, "s"));
  recorder.start();
  await recorder.stop();
}

describe("the memory of a swarm", () => {
  it("has the others' addresses, those first that run, and the own port", async () => {
    await record([row(1), row(2, "dead"), row(3), row(4, "left")], ["/ip4/127.0.0.1/tcp/4711"]);
    expect(await recallSwarm(file, "s")).toEqual({
      swarm: "s",
      port: 4_711,
      addresses: ["/ip4/192.0.2.3/tcp/7781", "/ip4/192.0.2.2/tcp/7781", "/ip4/192.0.2.4/tcp/7781"],
    });
  });

  it("has those of the run before until one of the others is met", async () => {
    await record([row(1), row(2)], ["/ip4/127.0.0.1/tcp/4711"]);
    await record([row(1)], ["/ip4/127.0.0.1/tcp/4712"]);
    await record([row(1)], ["/ip4/127.0.0.1/tcp/4713"]);
    const before = ["/ip4/192.0.2.2/tcp/7781"];
    expect(await recallSwarm(file, "s")).toEqual({ swarm: "s", port: 4_713, addresses: before });
    await record([row(1), row(3)]);
    expect((await recallSwarm(file, "s")).addresses).toEqual(["/ip4/192.0.2.3/tcp/7781"]);
  });

  it("has those that were met last where the swarm has forgotten them", async () => {
    await record([row(1), row(2)]);
    const looks = [[row(1), row(3)], [row(1)]];
    const clock = Object.assign(new SystemClock(), { sleep: () => setImmediate() });
    const source = { members: () => looks.shift() ?? [row(1)], addresses: () => [] };
    const before = await recallSwarm(file, "s");
    const recorder = new SwarmRecorder(file, "s", { clock, logger }, source, before);
    recorder.start();
    while (looks.length > 0) await setImmediate();
    await recorder.stop();
    expect((await recallSwarm(file, "s")).addresses).toEqual(["/ip4/192.0.2.3/tcp/7781"]);
  });

  it("is bounded, however many members there are", async () => {
    await record(Array.from({ length: 200 }, (_, n) => row(n)));
    expect((await recallSwarm(file, "s")).addresses).toHaveLength(32);
  });

  it("is nothing for a swarm of another name, and where there is none", async () => {
    expect(await recallSwarm(file, "s")).toEqual({ swarm: "s", addresses: [] });
    await record([row(1), row(2)]);
    expect(await recallSwarm(file, "other")).toEqual({ swarm: "other", addresses: [] });
  });

  it.each(["", "{", "[]", "null", '{"swarm":"s","addresses":7}', '{"swarm":"s"}'])(
    "is nothing where the file holds %j",
    async (text) => {
      await writeFile(file, text);
      expect((await recallSwarm(file, "s")).addresses).toEqual([]);
    },
  );

  it("leaves out of a file what is no address or port", async () => {
    const addresses = [1, "x", `/${"y".repeat(1_000)}`, "/ip4/192.0.2.1/tcp/1"];
    await writeFile(file, JSON.stringify({ swarm: "s", port: 70_000, addresses }));
    expect(await recallSwarm(file, "s")).toEqual({
      swarm: "s",
      addresses: ["/ip4/192.0.2.1/tcp/1"],
    });
  });

  it("lets nobody be harmed by a disk that cannot be written", async () => {
    file = join(folder, "no", "such", "swarm.json");
    await record([row(1), row(2)]);
    await expect(readFile(file)).rejects.toThrow("ENOENT");
  });
});
