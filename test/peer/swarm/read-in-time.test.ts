import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import { encodePullRows, encodeRangeDigests } from "../../../src/core/messages/reconciliation.ts";
import { lastKeyOf } from "../../../src/core/record/key-ranges.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { MemberId, Millis } from "../../../src/core/units.ts";
import { PeerHandlers } from "../../../src/peer/swarm/peer-handlers.ts";
import type { OverlayHandler } from "../../../src/ports/overlay.ts";

/** One reading at a time: 64,000 rows take so long. */
const readMs: Millis = 300;

/** How long members wait for an answer, and then until they ask anew. */
const timeoutMs: Millis = 5_000;
const retryMs: Millis = 300;

const span = { arcs: ArcSet.whole, tag: "url", after: new Uint8Array(0) } as const;
const last = lastKeyOf("url");
const asksOf = {
  pullRows: encodePullRows({ ...span, last, limit: 1, known: new Uint8Array(0) }),
  rangeDigests: encodeRangeDigests({ ...span, buckets: [{ lastKey: last, count: 0, hash: 0n }] }),
};

/** When those are answered who ask again and again, so many members at once, for two minutes. */
async function answersTo(kind: keyof typeof asksOf, members: number): Promise<readonly Millis[]> {
  const clock = new VirtualClock();
  const startMs = clock.nowMs();
  let reading = Promise.resolve();
  const range = async (): Promise<readonly []> => {
    reading = reading.then(() => clock.sleep(readMs));
    await reading;
    return [];
  };
  const handlers = new Map<number, OverlayHandler>();
  const serve = (served: number, handler: OverlayHandler): void =>
    void handlers.set(served, handler);
  const ports = { clock, store: { range } } as never;
  const keeper = { underWay: () => new Set() };
  const parts = { keeper, missed: { since: () => 0 } } as never;
  new PeerHandlers(ports, parts).serve({ serve } as never);
  const answeredAtMs: Millis[] = [];
  const ask = async (member: MemberId): Promise<void> => {
    while (clock.nowMs() < startMs + 120_000) {
      const waited = new AbortController();
      const answer = await Promise.race([
        handlers.get(messageKinds[kind])?.(member, asksOf[kind]),
        clock.sleep(timeoutMs, waited.signal),
      ]);
      waited.abort();
      if (answer?.kind === "reply") answeredAtMs.push(clock.nowMs() - startMs);
      else await clock.sleep(retryMs);
    }
  };
  const all = Array.from({ length: members }, (_, at) => ask(`m${at}` as MemberId));
  await clock.run(Promise.all(all).then(() => undefined));
  return answeredAtMs;
}

describe("what members ask of another's rows, more than it can read", () => {
  it.each(["pullRows", "rangeDigests"] as const)(
    "is read for those who still wait for it (%s)",
    async (kind) => {
      const answers = await answersTo(kind, 99);
      const readInAMinute = 60_000 / readMs;
      expect(answers.filter((atMs) => atMs > 60_000).length).toBeGreaterThan(0.9 * readInAMinute);
    },
  );
});
