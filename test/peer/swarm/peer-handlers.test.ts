import { describe, expect, it } from "vitest";
import { decodeWhoHoldsReply, encodeArcNotice } from "../../../src/core/messages/holding.ts";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import { circle } from "../../../src/core/ring/ring-position.ts";
import type { MessageKind } from "../../../src/core/messages/message-kinds.ts";
import type { OverlayOutcome } from "../../../src/ports/overlay.ts";
import { SwarmBench } from "./swarm-bench.ts";

/** As many arcs as fit into a message, each a position long. */
const arcsOfMessage = 290_000;

function shreds(offset: number): ArcSet {
  const step = Math.floor(circle / (arcsOfMessage + 1));
  const bounds = Array.from({ length: 2 * arcsOfMessage }, (_, at) => {
    return (at >>> 1) * step + offset + (at & 1);
  });
  return ArcSet.fromBounds(bounds) ?? ArcSet.empty;
}

describe("what a member tells another of its copies", () => {
  /** What the first of two members answers when the second one says so, and how much it then holds that is lost. */
  async function tell(
    kind: MessageKind,
    notices: readonly { readonly arcs: ArcSet; readonly later?: number }[],
  ): Promise<{ readonly outcomes: OverlayOutcome[]; readonly bereft: number }> {
    const bench = new SwarmBench(2);
    return bench.run(async () => {
      await bench.begin();
      const [told, teller] = [bench.peer(0).swarm, bench.peer(1).swarm];
      const { overlay } = bench.machine(1);
      if (!told || !teller || !overlay) throw new Error("two peers of a swarm");
      const outcomes: OverlayOutcome[] = [];
      for (const { arcs, later = 0 } of notices) {
        const payload = encodeArcNotice({ generation: teller.view.generation + later, arcs });
        const request = { to: told.view.self, kind: messageKinds[kind], payload } as const;
        outcomes.push(
          await overlay.request(
            { ...request, class: "transfer", timeoutMs: 9_000 },
            new AbortController().signal,
          ),
        );
      }
      return { outcomes, bereft: told.territory.bereft(told.view).share };
    });
  }

  it("does not count when it comes of a run that is not known", async () => {
    const { outcomes, bereft } = await tell("synced", [{ arcs: ArcSet.whole, later: 1 }]);
    expect(outcomes).toEqual([{ kind: "busy", retryAfterMs: 1_000 }]);
    expect(bereft).toBe(0);
    const released = await tell("released", [{ arcs: ArcSet.whole, later: 1 }]);
    expect(released.outcomes).toEqual([{ kind: "busy", retryAfterMs: 1_000 }]);
  });

  it("is taken in until there are too many pieces of it", async () => {
    const { outcomes } = await tell(
      "synced",
      [0, 2, 4].map((offset) => ({ arcs: shreds(offset) })),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(["reply", "reply", "busy"]);
  });

  it("is passed on as far as an answer has room", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      const [told, teller] = [bench.peer(0).swarm, bench.peer(1).swarm];
      const { overlay } = bench.machine(1);
      if (!told || !teller || !overlay) throw new Error("two peers of a swarm");
      const { self, generation } = told.view;
      const noted = shreds(0).union(shreds(2));
      told.territory.note(noted, { member: self, generation, synced: true });
      const payload = encodeArcNotice({ generation, arcs: ArcSet.whole });
      const answer = await overlay.request(
        {
          to: told.view.self,
          class: "control",
          kind: messageKinds.whoHolds,
          payload,
          timeoutMs: 9_000,
        },
        new AbortController().signal,
      );
      const reply = answer.kind === "reply" ? decodeWhoHoldsReply(answer.payload) : undefined;
      expect(reply?.held.isEmpty).toBe(false);
      expect(reply?.known).toEqual([]);
    });
  });
});
