import { describe, expect, it } from "vitest";
import { overlayWith } from "../../../sim/scenarios/overlay-with.ts";
import { partition } from "../../../sim/world/network-rules.ts";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import { decodePullRows, decodeRangeDigests } from "../../../src/core/messages/reconciliation.ts";
import type { PeerPorts } from "../../../src/peer/peer-ports.ts";
import { SwarmBench } from "./swarm-bench.ts";

describe("URLs of which only one side of a split knows, where that is lost while both are made equal", () => {
  it("are known at the other one with their places in the queues, or not at all", async () => {
    /** What is queued is compared with nobody. */
    const adapt = (ports: PeerPorts): PeerPorts => {
      const { overlay } = ports;
      if (!overlay) return ports;
      const request: typeof overlay.request = (asked, signal) => {
        const { kind, payload } = asked;
        const question =
          (kind === messageKinds.rangeDigests && decodeRangeDigests(payload)) ||
          (kind === messageKinds.pullRows && decodePullRows(payload));
        return isHealed && question && question.tag === "queue"
          ? Promise.resolve({ kind: "busy", retryAfterMs: 100 })
          : overlay.request(asked, signal);
      };
      return { ...ports, overlay: overlayWith(overlay, { request }) };
    };
    let isHealed = false;
    const bench = new SwarmBench(2, {}, {}, adapt);
    await bench.run(async () => {
      await bench.begin();
      const heal = bench.world.network.addRule(partition([0], [1]));
      await bench.pass(20_000);
      await bench.inject(1, { delayMs: 60_000 });
      await bench.pass(100);
      isHealed = true;
      heal();
      await bench.pass(15_000);
      bench.machine(1).kill();
      await bench.pass(30_000);
      await bench.inject(0, { delayMs: 60_000 });
      await bench.finished(0);
    });
    expect(bench.urls).toHaveLength(240);
  });
});
