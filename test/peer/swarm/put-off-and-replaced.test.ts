import { describe, expect, it } from "vitest";
import { overlayWith } from "../../../sim/scenarios/overlay-with.ts";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import type { UrlStatus } from "../../../src/core/answers/url-status.ts";
import { positionOf } from "../../../src/core/ring/ring-position.ts";
import type { RingOptions } from "../../../src/core/ring/ring-options.ts";
import type { MemberId, SiteName } from "../../../src/core/units.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import { RingBook } from "../../../src/peer/swarm/members/ring-book.ts";
import { defaultSwarmOptions } from "../../../src/peer/swarm/swarm-options.ts";
import { job, SwarmBench } from "./swarm-bench.ts";

const ids = [0, 1, 2].map((index) => `peer-${index}` as MemberId);
const [holder, putOff, newcomer] = ids;

/** A ring, and a URL for which the newcomer comes behind the holder, and before the member that is put off. */
function newRing(virtualNodes: number) {
  const wanted = [holder, newcomer, putOff].join(" ");
  for (let hashSeed = 0; ; hashSeed += 1) {
    const options = { virtualNodes, hashSeed };
    const ring = new RingBook(options).ringOf(ids.map((id) => ({ id, weight: 1 })));
    const site = Array.from({ length: 100 }, (_, n) => `site-${n}.invalid` as SiteName).find(
      (name) => ring.preferenceOf(positionOf(name), ids.length).join(" ") === wanted,
    );
    if (site !== undefined) return { options, url: `http://${site}/` };
  }
}

/** A swarm of two, in which the other one answers no message of a kind that is in `refused`. */
function newBench(ring: RingOptions, refused: ReadonlySet<number>): SwarmBench {
  const adapt = (ports: PeerPorts): PeerPorts => {
    const { overlay } = ports;
    if (!overlay || overlay.self !== putOff) return ports;
    const serve: typeof overlay.serve = (kind, handler) =>
      overlay.serve(kind, async (from, payload) =>
        refused.has(kind) ? { kind: "busy", retryAfterMs: 200 } : handler(from, payload),
      );
    return { ...ports, overlay: overlayWith(overlay, { serve }) };
  };
  const stream = { ...defaultSwarmOptions.stream, patienceMs: 10_000, putOffRetryMs: 2_000 };
  return new SwarmBench(2, {}, { cluster: { ring, replicas: 2 }, stream }, adapt);
}

describe("a member that was put off, and whose copy another one has taken the place of", () => {
  it.each([
    ["nothing", 1],
    ["copies of other arcs", 32],
  ])("answers no more from what it had, where it is to have %s", async (_, virtualNodes) => {
    const { options, url } = newRing(virtualNodes);
    const refused = new Set<number>();
    const bench = newBench(options, refused);
    const told = await bench.run(async () => {
      await bench.begin();
      await bench.peer(0).inject(job, ["http://nowhere.invalid/"]);
      await bench.peer(0).changeJob(job, "pause");
      refused.add(messageKinds.rows);
      await expect(bench.peer(0).inject(job, [url])).rejects.toThrow("not acknowledged");
      const { swarm } = await bench.world.addMachine().start();
      while (swarm?.view.role !== "active") await bench.pass(100);
      await bench.pass(10_000);
      const [vouched] = await bench.peer(0).status([url], job);
      expect(vouched).toMatchObject({ state: "queued" });
      expect(vouched?.unconfirmed).toBeUndefined();
      // It is a while until the newcomer knows that it may take over.
      refused.add(messageKinds.whoHolds);
      bench.machine(0).kill();
      const answers: UrlStatus[] = [];
      for (let n = 0; n < 100; n += 1) {
        answers.push(...(await bench.peer(1).status([url], job)));
        if (n === 50) refused.clear();
        await bench.pass(100);
      }
      return answers;
    });
    const given = told.filter(({ reason }) => reason !== "owner-unreachable");
    expect(new Set(given.map(({ state }) => state))).toEqual(new Set(["queued"]));
  });
});
