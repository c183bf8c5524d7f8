import { expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { listedUrlsMax, type ListQuestion } from "../../../../src/core/messages/list-message.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { circle } from "../../../../src/core/ring/ring-position.ts";
import type { JobId, MemberId, Millis } from "../../../../src/core/units.ts";
import { SwarmLists } from "../../../../src/peer/swarm/answers/swarm-lists.ts";

/** A stretch of which another member, among so many, holds the rest, and tells from this moment on. */
function listing(fromMs: Millis, members: number, signal = new AbortController().signal) {
  const clock = new VirtualClock(0);
  const asked: [Millis, count: number][] = [];
  const others = Array.from({ length: members - 1 }, (_, at) => `m${at}` as MemberId);
  const list = (member: MemberId) => {
    const isTold = member === "m0" && clock.nowMs() >= fromMs;
    return Promise.resolve(isTold ? { urls: [], arcs: quarters(2, 4) } : undefined);
  };
  const held = (question: ListQuestion) => {
    asked.push([clock.nowMs(), question.count]);
    return Promise.resolve({ urls: [], arcs: quarters(0, 2) });
  };
  const lists = new SwarmLists(
    clock,
    { calls: { list }, held: { list: held }, view: { others } },
    signal,
  );
  return { asked, clock, stretch: lists.stretch("j" as JobId, {}, new Uint8Array(0)) };
}

it("asks all members again after a rest, until what they hold is the whole ring", async () => {
  const { asked, clock, stretch } = listing(500, 2);
  await clock.run(stretch);
  expect(asked).toEqual([0, 250, 500].map((ms) => [ms, 2 * listedUrlsMax]));
});

it("asks each of many for a few URLs at least", async () => {
  const { asked, clock, stretch } = listing(0, 1_000);
  await clock.run(stretch);
  expect(asked).toEqual([[0, 20]]);
});

it("gives up after a while, or at once where the peer ends", async () => {
  for (const [signal, endMs] of [
    [undefined, 8_000],
    [AbortSignal.abort(), 0],
  ] as const) {
    const { clock, stretch } = listing(Infinity, 2, signal);
    const failed = expect(stretch).rejects.toMatchObject({ code: "MEMBER_UNREACHABLE" });
    await clock.run(failed);
    expect(clock.nowMs()).toBe(endMs);
  }
});

/** The quarters of the ring from one to another. */
function quarters(from: number, to: number): ArcSet {
  const bounds = [from, to].map((quarter) => (quarter * circle) / 4);
  return ArcSet.fromBounds(bounds) ?? ArcSet.empty;
}

it.each<[string, first: (ArcSet | undefined)[], rounds: number]>([
  ["is content where a part is held at two places", [quarters(0, 3), quarters(2, 4)], 1],
  ["is content where one that holds nothing has not answered", [quarters(2, 4), undefined], 1],
  ["asks again where one has not that may hold the rest", [quarters(1, 3), undefined], 2],
  ["asks again where a part is held by none", [quarters(1, 3), quarters(0, 3)], 2],
])("%s, whatever they hold together", async (_, first, rounds) => {
  const clock = new VirtualClock(0);
  let asked = 0;
  const held = () => {
    asked += 1;
    return Promise.resolve({ urls: [], arcs: quarters(0, 2) });
  };
  const list = (member: MemberId) => {
    const arcs = asked === 2 ? quarters(2, 4) : first[Number(member.slice(1))];
    return Promise.resolve(arcs && { urls: [], arcs });
  };
  const view = { others: ["m0", "m1"].map((id) => id as MemberId) };
  const parts = { calls: { list }, held: { list: held }, view };
  const lists = new SwarmLists(clock, parts, new AbortController().signal);
  await clock.run(lists.stretch("j" as JobId, {}, new Uint8Array(0)));
  expect(asked).toBe(rounds);
});
