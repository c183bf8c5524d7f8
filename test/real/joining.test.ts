import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { SwarmBench, type SwarmPeer } from "../support/swarm-bench.ts";
import { until } from "../support/until.ts";

const loopback = ["--listen", "127.0.0.1:0"];

describe("joining a swarm of processes", () => {
  const bench = new SwarmBench();
  afterEach(() => bench.clear());

  const says = (peer: SwarmPeer, pattern: RegExp): Promise<void> =>
    until(`${String(pattern)} in the log`, () => pattern.test(peer.stderr));

  it("refuses a peer of another swarm, and a second process of one member, and says why", async () => {
    const [founder, other] = await bench.swarm(undefined, 2, ["--swarm", "one"]);
    const stranger = await bench.member(undefined, [...founder.joinFlags, "--swarm", "two"]);
    await says(stranger, /WARN +join-refused +address=127\.0\.0\.1:\d+ reason=.*one/);
    await says(founder, /WARN .*two/);
    expect(stranger.isRunning).toBe(true);

    const copy = join(await bench.directory(), "copy");
    await cp(other.data, copy, { recursive: true, filter: (path) => !path.includes("/state") });
    const again = await bench.member(undefined, [...founder.joinFlags, "--swarm", "one"], copy);
    expect(again.id).toBe(other.id);
    await says(again, /WARN +join-refused .*another process with the same key/);
    await founder.sees([founder, other]);
    expect(other.isRunning).toBe(true);
  });

  it("closes a swarm to all who have not its key", async () => {
    const key = join(await bench.directory(), "swarm.key");
    expect((await bench.run(["key", "new", key])).code).toBe(0);
    const founder = await bench.member(undefined, [...loopback, "--swarm-key", key]);
    const without = await bench.member(undefined, founder.joinFlags);
    await says(without, /WARN +(join-refused|cannot-reach) /);
    const withKey = await bench.member(undefined, [...founder.joinFlags, "--swarm-key", key]);
    await founder.sees([founder, withKey]);
    expect(await founder.members()).toHaveLength(2);
  });

  it("says in one line what is wrong with a key or an address, and does not start", async () => {
    const founder = await bench.member(undefined, loopback);
    const data = await bench.directory();
    const run = ["run", "--data", data, "--api", "127.0.0.1:0"];
    const taken = await bench.run([...run, "--listen", ...founder.addresses]);
    expect(taken).toMatchObject({ code: 1, stdout: "" });
    expect(taken.stderr).toMatch(/^peer: cannot listen [^\n]*--listen HOST:PORT [^\n]*$/m);
    const noKey = await bench.run([...run, ...loopback, "--swarm-key", join(data, "none")]);
    expect(noKey).toMatchObject({ code: 2, stdout: "" });
    expect(noKey.stderr).toMatch(/^peer: --swarm-key: [^\n]*there is no such file[^\n]*\n$/);
    await writeFile(join(data, "peer-key"), "hello\n");
    const damaged = await bench.run([...run, ...loopback]);
    expect(damaged).toMatchObject({ code: 2, stdout: "" });
    expect(damaged.stderr).toMatch(/^peer: [^\n]* does not hold a peer's key [^\n]*\n$/);
  });
});
