import { expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { listedUrlsMax, type ListQuestion } from "../../../../src/core/messages/list-message.ts";
import type { JobId, MemberId, Millis } from "../../../../src/core/units.ts";
import { SwarmLists } from "../../../../src/peer/swarm/answers/swarm-lists.ts";

/** A stretch of which another member, among so many, holds the rest, and tells from this moment on. */
function listing(fromMs: Millis, members: number, signal = new AbortController().signal) {
  const clock = new VirtualClock(0);
  const asked: [Millis, count: number][] = [];
  const half = { urls: [], share: 0.5 };
  const others = Array.from({ length: members - 1 }, (_, at) => `m${at}` as MemberId);
  const list = (member: MemberId) => {
    const isTold = member === "m0" && clock.nowMs() >= fromMs;
    return Promise.resolve(isTold ? half : undefined);
  };
  const held = (question: ListQuestion) => {
    asked.push([clock.nowMs(), question.count]);
    return Promise.resolve(half);
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

it.each<[string, shares: (number | undefined)[], rounds: number]>([
  ["is content where all have answered", [0.75, 0.5], 1],
  ["asks again where one has not, that may hold the rest", [0.75, undefined], 2],
])("%s, though others hold a part at two places", async (_, shares, rounds) => {
  const clock = new VirtualClock(0);
  let asked = 0;
  const held = () => {
    asked += 1;
    return Promise.resolve({ urls: [], share: 0.5 });
  };
  const list = (member: MemberId) => {
    const share = asked === 2 && member === "m1" ? 0.5 : shares[Number(member.slice(1))];
    return Promise.resolve(share === undefined ? undefined : { urls: [], share });
  };
  const view = { others: ["m0", "m1"].map((id) => id as MemberId) };
  const parts = { calls: { list }, held: { list: held }, view };
  const lists = new SwarmLists(clock, parts, new AbortController().signal);
  await clock.run(lists.stretch("j" as JobId, {}, new Uint8Array(0)));
  expect(asked).toBe(rounds);
});
