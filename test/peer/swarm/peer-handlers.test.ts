import { describe, expect, it } from "vitest";
import { decodeWhoHoldsReply, encodeArcNotice } from "../../../src/core/messages/holding.ts";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import { circle } from "../../../src/core/ring/ring-position.ts";
import type { MessageKind } from "../../../src/core/messages/message-kinds.ts";
import type { OverlayOutcome } from "../../../src/ports/overlay.ts";
import { encodePullRows, encodeRangeDigests } from "../../../src/core/messages/reconciliation.ts";
import { lastKeyOf } from "../../../src/core/record/key-ranges.ts";
import { storeWith } from "./store-with.ts";
import { defaultPiecesMax } from "../../../src/peer/swarm/ownership/territory.ts";
import { SwarmBench } from "./swarm-bench.ts";

/** As many arcs as fit into a message, each a position long. */
const arcsOfMessage = 290_000;

function shreds(offset: number, count: number): ArcSet {
  const step = Math.floor(circle / (count + 1));
  const bounds = Array.from({ length: 2 * count }, (_, at) => {
    return (at >>> 1) * step + offset + (at & 1);
  });
  return ArcSet.fromBounds(bounds) ?? ArcSet.empty;
}

describe("what a member tells another of its copies", () => {
  /** What the first member answers when the second one says so. */
  async function say(
    bench: SwarmBench,
    kind: MessageKind,
    { arcs, later = 0 }: { readonly arcs: ArcSet; readonly later?: number },
  ): Promise<OverlayOutcome> {
    const [told, teller] = [bench.peer(0).swarm, bench.peer(1).swarm];
    const { overlay } = bench.machine(1);
    if (!told || !teller || !overlay) throw new Error("two peers of a swarm");
    const payload = encodeArcNotice({ generation: teller.view.generation + later, arcs });
    const request = { to: told.view.self, kind: messageKinds[kind], payload } as const;
    return overlay.request(
      { ...request, class: "transfer", timeoutMs: 9_000 },
      new AbortController().signal,
    );
  }

  it.each(["synced", "released"] as const)(
    "does not count when it comes of a run that is not known (%s)",
    async (kind) => {
      const bench = new SwarmBench(2);
      await bench.run(async () => {
        await bench.begin();
        const outcome = await say(bench, kind, { arcs: ArcSet.whole, later: 1 });
        expect(outcome).toEqual({ kind: "busy", retryAfterMs: 1_000 });
        const told = bench.peer(0).swarm;
        expect(told?.territory.bereft(told.view).share).toBe(0);
      });
    },
  );

  it.each([
    ["complete", "synced"],
    ["let go", "released"],
  ] as const)("is taken in until there are too many pieces that are %s", async (_, kind) => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      const [told, teller] = [bench.peer(0).swarm, bench.peer(1).swarm];
      if (!told || !teller) throw new Error("two peers of a swarm");
      const arcs = shreds(0, 100);
      expect((await say(bench, kind, { arcs })).kind).toBe("reply");
      const { self, generation } = teller.view;
      // What it holds itself, about the half, is not noted.
      const noted = shreds(2, (defaultPiecesMax / 4) * 2.5);
      told.territory.note(ArcSet.whole, { member: self, generation, synced: false });
      told.territory.note(noted, { member: self, generation, synced: true });
      expect((await say(bench, kind, { arcs })).kind).toBe("busy");
    });
  });

  it("is passed on as far as an answer has room", async () => {
    const bench = new SwarmBench(2);
    await bench.run(async () => {
      await bench.begin();
      const [told, teller] = [bench.peer(0).swarm, bench.peer(1).swarm];
      const { overlay } = bench.machine(1);
      if (!told || !teller || !overlay) throw new Error("two peers of a swarm");
      const { self, generation } = told.view;
      const noted = shreds(0, arcsOfMessage).union(shreds(2, arcsOfMessage));
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

describe("what a member asks of another's rows", () => {
  const span = { arcs: ArcSet.whole, tag: "url", after: new Uint8Array(0) } as const;
  const last = lastKeyOf("url");
  const asksOf = {
    pullRows: encodePullRows({ ...span, last, limit: 1, known: new Uint8Array(0) }),
    rangeDigests: encodeRangeDigests({ ...span, buckets: [{ lastKey: last, count: 0, hash: 0n }] }),
  };

  const classes = ["control", "forwarding", "transfer"] as const;

  it.each(["pullRows", "rangeDigests"] as const)(
    "is read for a few questions at once, however many are asked (%s)",
    async (kind) => {
      let reading = 0;
      let readingMost = 0;
      const bench = new SwarmBench(2, {}, {}, (ports) => {
        const range: typeof ports.store.range = async (...asked) => {
          reading += 1;
          readingMost = Math.max(readingMost, reading);
          await ports.clock.sleep(5);
          reading -= 1;
          return ports.store.range(...asked);
        };
        return { ...ports, store: storeWith(ports.store, { range }) };
      });
      await bench.run(async () => {
        await bench.begin();
        const { overlay } = bench.machine(1);
        const to = bench.peer(0).swarm?.view.self;
        if (!overlay || !to) throw new Error("two peers of a swarm");
        const request = { to, kind: messageKinds[kind], payload: asksOf[kind], timeoutMs: 9_000 };
        const asked = classes.flatMap((traffic) => Array.from({ length: 30 }, () => traffic));
        const outcomes = await Promise.all(
          asked.map((traffic) =>
            overlay.request({ ...request, class: traffic }, new AbortController().signal),
          ),
        );
        expect(new Set(outcomes.map((outcome) => outcome.kind))).toEqual(new Set(["reply"]));
      });
      expect(readingMost).toBeGreaterThan(1);
      expect(readingMost).toBeLessThan(12);
    },
  );
});
