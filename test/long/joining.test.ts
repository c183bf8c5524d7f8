import { copyFile, mkdir } from "node:fs/promises";
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
    // What else is there, the process may write anew at any moment.
    await mkdir(copy);
    await copyFile(join(other.data, "peer-key"), join(copy, "peer-key"));
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
});
