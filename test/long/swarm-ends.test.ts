import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { recallSwarm } from "../../node/swarm-memory.ts";
import { SilentSite } from "../support/silent-site.ts";
import { SwarmBench, type SwarmPeer } from "../support/swarm-bench.ts";
import { until } from "../support/until.ts";

const loopback = ["--listen", "127.0.0.1:0"];

/** A graceful stop must be over by then. */
const stopMsMax = 10_000;

describe("a swarm whose members stop", () => {
  const bench = new SwarmBench();
  afterEach(() => bench.clear());

  const says = (peer: SwarmPeer, pattern: RegExp): Promise<void> =>
    until(`${String(pattern)} in the log`, () => pattern.test(peer.stderr));

  it("finds together again, each by what it remembers", async () => {
    const [founder, other] = await bench.swarm(undefined, 2);
    await until("the founder remembers the other one", async () => {
      const { addresses } = await recallSwarm(join(founder.data, "swarm.json"), "orbweaver");
      return addresses.length > 0;
    });
    await founder.end("SIGKILL");
    await other.sees([other]);
    // The command line that began the swarm does not begin another one.
    const back = await bench.member(undefined, loopback, founder.data);
    await Promise.all([back.sees([back, other]), other.sees([back, other])]);

    await back.end("SIGTERM");
    await other.end("SIGTERM");
    const early = await bench.member(undefined, ["--join", ...back.addresses], other.data);
    await says(early, /WARN +cannot-reach +address=127\.0\.0\.1:\d+ reason=.*refused/);
    expect((await early.members()).map(({ state }) => state)).toContain("joining");
    const late = await bench.member(undefined, ["--join"], founder.data);
    await Promise.all([early.sees([early, late]), late.sees([early, late])]);
    expect(late.id).toBe(founder.id);
  });

  it("lets each go in time although a server does not answer, and although others go on", async () => {
    const silent = await SilentSite.start();
    const peers = await bench.swarm(undefined, 2, ["--allow-private"]);
    expect((await bench.ask(peers[0], ["inject", silent.url, "--delay", "0"])).code).toBe(0);
    await silent.asked;
    for (const peer of peers) {
      const askedAtMs = Date.now();
      expect(await peer.end("SIGTERM")).toMatchObject({ code: 143, signal: null });
      expect(Date.now() - askedAtMs).toBeLessThan(stopMsMax);
    }
    silent.stop();
  });
});
