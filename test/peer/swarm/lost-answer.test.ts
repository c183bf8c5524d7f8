import { describe, expect, it } from "vitest";
import { overlayWith } from "../../../sim/scenarios/overlay-with.ts";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import { SwarmBench } from "./swarm-bench.ts";

describe("arcs whose taker is told to leave before its answer has arrived", () => {
  it("are open to nobody but the taker until it has passed them on", async () => {
    let onTaken: (() => void) | undefined;
    /** The first answer to an offer is lost. */
    const adapt = (ports: PeerPorts): PeerPorts => {
      const { overlay } = ports;
      if (!overlay) return ports;
      const request: typeof overlay.request = async (asked, signal) => {
        const outcome = await overlay.request(asked, signal);
        if (asked.kind !== messageKinds.transfer || !onTaken) return outcome;
        onTaken();
        onTaken = undefined;
        return { kind: "timeout" };
      };
      return { ...ports, overlay: overlayWith(overlay, { request }) };
    };
    const bench = new SwarmBench(2, {}, {}, adapt);
    let twice = ArcSet.empty;
    await bench.run(async () => {
      await bench.begin();
      const taker = bench.world.addMachine();
      const course: { isDone?: boolean } = {};
      onTaken = () => void taker.peer.leave().then((isDone) => (course.isDone = isDone));
      await taker.start();
      while (course.isDone === undefined) {
        const [first, second, third] = bench.peers.map(({ swarm }) => swarm?.territory.open);
        if (first && second && third) twice = twice.union(first.union(second).intersect(third));
        await bench.pass(10);
      }
      expect(course.isDone).toBe(true);
    });
    expect(twice.share).toBe(0);
  });
});
