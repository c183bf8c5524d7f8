import { expect, it } from "vitest";
import { overlayWith } from "../../../sim/scenarios/overlay-with.ts";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import { SwarmBench } from "./swarm-bench.ts";

it("a member that was full for a moment is asked again soon, however long it wanted to be left alone", async () => {
  let isFull = true;
  let peers = 0;
  const bench = new SwarmBench(2, {}, {}, (ports) => {
    peers += 1;
    const { overlay } = ports;
    if (!overlay || peers !== 2) return ports;
    const full = { kind: "busy", retryAfterMs: 3_600_000 } as const;
    const serve: typeof overlay.serve = (kind, handler) =>
      overlay.serve(kind, async (from, payload) =>
        isFull && kind === messageKinds.forward ? full : handler(from, payload),
      );
    return { ...ports, overlay: overlayWith(overlay, { serve }) };
  });
  await bench.run(async () => {
    await bench.begin();
    const seeds = bench.inject(0);
    await bench.pass(1_000);
    isFull = false;
    await seeds;
    await bench.finished(0);
  });
  expect(bench.urls).toHaveLength(240);
});
