import { expect, it } from "vitest";
import { encodeJobs } from "../../../src/core/messages/jobs.ts";
import { messageKinds } from "../../../src/core/messages/message-kinds.ts";
import { encodePullRows, encodeRangeDigests } from "../../../src/core/messages/reconciliation.ts";
import { lastKeyOf } from "../../../src/core/record/key-ranges.ts";
import { ArcSet } from "../../../src/core/ring/arc-set.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { PeerHandlers } from "../../../src/peer/swarm/peer-handlers.ts";
import type { OverlayHandler } from "../../../src/ports/overlay.ts";

/** More than one member may have waiting. */
const many = 2_000;

const span = { arcs: ArcSet.whole, tag: "url", after: new Uint8Array(0) } as const;
const last = lastKeyOf("url");
const nothing = { definitions: [], digest: 0n, pageCounts: [], pastPageCounts: [] };
const payloads = {
  jobs: encodeJobs(nothing),
  pullRows: encodePullRows({ ...span, last, limit: 1, known: new Uint8Array(0) }),
  rangeDigests: encodeRangeDigests({ ...span, buckets: [{ lastKey: last, count: 0, hash: 0n }] }),
};

it.each(["jobs", "pullRows", "rangeDigests"] as const)(
  "a member of whom too much waits is turned away, and no other one (%s)",
  async (kind) => {
    const never = (): Promise<never> => new Promise(() => undefined);
    const handlers = new Map<number, OverlayHandler>();
    const serve = (served: number, handler: OverlayHandler): void =>
      void handlers.set(served, handler);
    const ports = { clock: { nowMs: () => 0, sleep: never }, store: { range: never } };
    const parts = { spread: { answer: () => nothing } };
    new PeerHandlers(ports as never, parts as never).serve({ serve } as never);
    const outcomes: string[] = [];
    const ask = (member: string): void => {
      const answer = handlers.get(messageKinds[kind])?.(member as MemberId, payloads[kind]);
      void answer?.then((outcome) => outcomes.push(outcome.kind));
    };
    for (let count = 0; count < many; count += 1) ask("one");
    await new Promise(setImmediate);
    const turnedAway = outcomes.length;
    expect(turnedAway).toBeGreaterThan(0);
    expect(turnedAway).toBeLessThan(many / 2);
    expect(new Set(outcomes)).toEqual(new Set(["busy"]));
    ask("other");
    await new Promise(setImmediate);
    expect(outcomes.length).toBe(turnedAway);
  },
);
