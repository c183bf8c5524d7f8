import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import type { WhoHoldsReply } from "../../../../src/core/messages/holding.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { positionOf } from "../../../../src/core/ring/ring-position.ts";
import type { MemberId, SiteName } from "../../../../src/core/units.ts";
import { ArcInquiry } from "../../../../src/peer/swarm/ownership/arc-inquiry.ts";
import { type Attempt, HolderSearch } from "../../../../src/peer/swarm/answers/holder-search.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import type { PeerCalls } from "../../../../src/peer/swarm/peer-calls.ts";
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

function holding(held: ArcSet): WhoHoldsReply {
  const none = ArcSet.empty;
  return { generation: 1, held, kept: none, copied: none, former: none, known: [] };
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

describe("an inquiry into arcs that are waited for", () => {
  it("makes a note doubtful of which the member that is noted knows nothing", async () => {
    const clock = new VirtualClock();
    const territory = new Territory();
    const calls: Partial<PeerCalls> = { whoHolds: () => Promise.resolve(holding(ArcSet.empty)) };
    const stop = new AbortController();
    const ports = { calls: calls as PeerCalls, clock };
    const inquiry = new ArcInquiry(ports, { view, territory }, 0, stop.signal);
    territory.heard(other, holding(ArcSet.whole));
    const isNotedToRun = (): boolean => {
      const noted = territory.holderAt(theirs());
      return noted?.member === other && view.isRunning(other, noted.generation);
    };
    expect(isNotedToRun()).toBe(true);
    inquiry.look(ArcSet.whole, () => undefined);
    await inquiry.settled();
    expect(isNotedToRun()).toBe(false);
  });

  it("is made when something has been waited for so long without a break, and again after as long", async () => {
    const clock = new VirtualClock();
    const startMs = clock.nowMs();
    const askedAtMs: number[] = [];
    const calls: Partial<PeerCalls> = {
      whoHolds: () => {
        askedAtMs.push(clock.nowMs() - startMs);
        return Promise.resolve(undefined);
      },
    };
    const ports = { calls: calls as PeerCalls, clock };
    const parts = { view, territory: new Territory() };
    const inquiry = new ArcInquiry(ports, parts, 3_000, new AbortController().signal);
    const lookFor = async (seconds: number, arcs: ArcSet): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        inquiry.look(arcs, () => undefined);
        await clock.sleep(1_000);
      }
    };
    await clock.run(
      (async () => {
        await lookFor(2, ArcSet.whole);
        await lookFor(1, ArcSet.empty);
        await lookFor(8, ArcSet.whole);
      })(),
    );
    expect(askedAtMs).toEqual([6_000, 9_000]);
  });
});
