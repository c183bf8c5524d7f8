import { describe, expect, it } from "vitest";
import { overlayWith } from "../../../sim/scenarios/overlay-with.ts";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import { positionOf } from "../../../src/core/ring/ring-position.ts";
import type { CanonicalUrl, MemberId, SiteName } from "../../../src/core/units.ts";
import { hostOf, siteOfHost } from "../../../src/core/url/site-of.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import { RingBook } from "../../../src/peer/swarm/members/ring-book.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const ids = [0, 1, 2, 3, 4].map((index) => `peer-${index}` as MemberId);
const [holder, replica, ...newcomers] = ids;

/** A ring with one token for each, on which every newcomer comes right behind the holder. */
function newRing() {
  const wanted = [holder, ...newcomers.toReversed(), replica].join(" ");
  for (let hashSeed = 0; ; hashSeed += 1) {
    const options = { virtualNodes: 1, hashSeed };
    const ring = new RingBook(options).ringOf(ids.map((id) => ({ id, weight: 1 })));
    const somewhere = Array.from({ length: 100 }, (_, n) => positionOf(`${n}.example` as SiteName));
    const orders = somewhere.map((position) => ring.preferenceOf(position, ids.length).join(" "));
    if (orders.includes(wanted)) return { options, ring };
  }
}

describe("the copy of a member that others have taken the place of", () => {
  it("is kept up to date until one of theirs is complete, so that nothing is lost with the holder", async () => {
    const { options, ring } = newRing();
    let isHeldUp = false;
    /** The holder's new copies do not get on. */
    const adapt = (ports: PeerPorts): PeerPorts => {
      const { overlay } = ports;
      if (!overlay || overlay.self !== holder) return ports;
      const request: typeof overlay.request = (asked, signal) =>
        isHeldUp && asked.kind === messageKinds.rangeDigests
          ? Promise.resolve({ kind: "busy", retryAfterMs: 100 })
          : overlay.request(asked, signal);
      return { ...ports, overlay: overlayWith(overlay, { request }) };
    };
    const cluster = { ring: options, replicas: 2 };
    const bench = new SwarmBench(2, {}, { cluster }, adapt);
    const seeds = bench.world.sampleWeb
      .rootUrls()
      .filter((url) => ring.ownerOf(positionOf(siteOfHost(hostOf(url as CanonicalUrl)))) === holder)
      .slice(0, newcomers.length);
    expect(seeds).toHaveLength(newcomers.length);
    const states = await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, ["http://nowhere.invalid/"]);
      // No page leads to what is missing.
      await bench.peer(0).changeJob(job, "pause");
      isHeldUp = true;
      for (const seed of seeds) {
        const { swarm } = await bench.world.addMachine().start();
        while (swarm?.view.role !== "active") await bench.pass(100);
        await bench.pass(1_000);
        // Acknowledged: durable where it has to be.
        expect(await bench.peer(0).inject(job, [seed])).toMatchObject({ added: 1 });
      }
      bench.machine(0).kill();
      await bench.pass(10_000);
      await bench.settled();
      return bench.peer(1).status(seeds, job);
    });
    expect(states.map(({ state }) => state)).toEqual(["queued", "queued", "queued"]);
  });
});
