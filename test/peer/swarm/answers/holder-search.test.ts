import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { positionOf } from "../../../../src/core/ring/ring-position.ts";
import type { MemberId, SiteName } from "../../../../src/core/units.ts";
import { type Attempt, HolderSearch } from "../../../../src/peer/swarm/answers/holder-search.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { stillView } from "../still-view.ts";

const [self, other] = ["peer-1", "peer-2"] as [MemberId, MemberId];
const view = stillView(self, other);

/** A place on the ring that is the other one's. */
function theirs() {
  for (let at = 1; ; at += 1) {
    const position = positionOf(`site-${at}.test` as SiteName);
    if (view.ring.ownerOf(position) === other) return position;
  }
}

describe("a search for who holds a site", () => {
  it("asks no member for its copy that did not answer as the holder", async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const search = new HolderSearch(clock, { view, territory: new Territory() }, 2, stop.signal);
    const attempts: Attempt[] = [];
    const found = search.run([theirs()], (attempt) => {
      attempts.push(attempt);
      if (attempts.length === 3) stop.abort();
      return Promise.resolve([undefined]);
    });
    expect(await clock.run(found)).toEqual([undefined]);
    const held = { member: other, fromCopy: false };
    expect(attempts).toEqual([held, { member: self, fromCopy: true }, held]);
  });

  it("asks who is noted, then the owner, then for copies, its own before those of others", async () => {
    const [noted, here] = ["peer-3", "peer-4"] as [MemberId, MemberId];
    const clock = new VirtualClock();
    const territory = new Territory();
    territory.note(ArcSet.whole, { member: noted, generation: 1, synced: false });
    const parts = { view: { ...view, self: here }, territory };
    const search = new HolderSearch(clock, parts, 2, new AbortController().signal);
    const attempts: Attempt[] = [];
    const found = search.run([theirs()], (attempt) => {
      attempts.push(attempt);
      return Promise.resolve([attempts.length < 4 ? undefined : { kind: "answer", answer: "it" }]);
    });
    expect(await clock.run(found)).toEqual(["it"]);
    expect(attempts).toEqual([
      { member: noted, fromCopy: false },
      { member: other, fromCopy: false },
      { member: here, fromCopy: true },
      { member: self, fromCopy: true },
    ]);
  });

  it("asks whom the one names that it asked", async () => {
    const named = "peer-3" as MemberId;
    const clock = new VirtualClock();
    const parts = { view, territory: new Territory() };
    const search = new HolderSearch(clock, parts, 2, new AbortController().signal);
    const asked: MemberId[] = [];
    const found = search.run([theirs()], ({ member }) => {
      asked.push(member);
      return Promise.resolve([
        member === named ? { kind: "answer", answer: "it" } : { kind: "elsewhere", holder: named },
      ]);
    });
    expect(await clock.run(found)).toEqual(["it"]);
    expect(asked).toEqual([other, named]);
  });

  it("is over after a while where nobody knows", async () => {
    const clock = new VirtualClock();
    const startMs = clock.nowMs();
    const parts = { view, territory: new Territory() };
    const search = new HolderSearch(clock, parts, 2, new AbortController().signal);
    const found = search.run([theirs()], () => Promise.resolve([undefined]));
    expect(await clock.run(found)).toEqual([undefined]);
    expect(clock.nowMs() - startMs).toBe(5_000);
  });

  it("takes who is noted for the holder as long as that run goes on, and this peer for what it holds", () => {
    const territory = new Territory();
    const parts = { view: stillView(other, self), territory };
    const { signal } = new AbortController();
    const search = new HolderSearch(new VirtualClock(), parts, 2, signal);
    territory.note(ArcSet.whole, { member: self, generation: 1, synced: false });
    expect(search.holderOf(theirs())).toBe(self);
    territory.note(ArcSet.whole, { member: self, generation: 2, synced: false });
    expect(search.holderOf(theirs())).toBe(other);
    const here = new HolderSearch(new VirtualClock(), { view, territory }, 2, signal);
    expect(here.holderOf(theirs())).toBe(other);
    territory.take(ArcSet.whole);
    expect(here.holderOf(theirs())).toBe(self);
  });
});

describe("a search for what a member held that is gone", () => {
  it("does not ask that one", async () => {
    const clock = new VirtualClock();
    const lost = { view: stillView(self, other, other), territory: new Territory() };
    const search = new HolderSearch(clock, lost, 2, new AbortController().signal);
    const attempts: Attempt[] = [];
    const found = search.run([theirs()], (attempt) => {
      attempts.push(attempt);
      return Promise.resolve([{ kind: "answer", answer: "it" }]);
    });
    expect(await clock.run(found)).toEqual(["it"]);
    expect(attempts).toEqual([{ member: self, fromCopy: true }]);
  });
});

describe("a search that is told to ask again", () => {
  it("asks the same member in the same way", async () => {
    const clock = new VirtualClock();
    const { signal } = new AbortController();
    const search = new HolderSearch(clock, { view, territory: new Territory() }, 2, signal);
    const attempts: Attempt[] = [];
    const found = search.run([theirs()], (attempt) => {
      attempts.push(attempt);
      return Promise.resolve([
        attempts.length === 1 ? { kind: "again" } : { kind: "answer", answer: "it" },
      ]);
    });
    expect(await clock.run(found)).toEqual(["it"]);
    const held = { member: other, fromCopy: false };
    expect(attempts).toEqual([held, held]);
  });
});
