import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import type { WhoHoldsReply } from "../../../../src/core/messages/holding.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { MemberId, Millis } from "../../../../src/core/units.ts";
import type { SwarmView } from "../../../../src/peer/swarm/members/swarm-view.ts";
import type { PeerCalls } from "../../../../src/peer/swarm/peer-calls.ts";
import { ArcInquiry } from "../../../../src/peer/swarm/ownership/arc-inquiry.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { RingBook } from "../../../../src/peer/swarm/members/ring-book.ts";
import { stillView } from "../still-view.ts";

const [self, noted, other] = ["a", "b", "c"] as [MemberId, MemberId, MemberId];
const afterMs: Millis = 3_000;
const position = 5 as RingPosition;
const arc = ArcSet.of([{ from: position, to: (position + 1) as RingPosition }]);
const nothing = {
  generation: 1,
  held: ArcSet.empty,
  kept: ArcSet.empty,
  copied: ArcSet.empty,
  former: ArcSet.empty,
  known: [],
};

/** A peer that has noted who holds an arc for which it waits; those whom it asks take their time to answer. */
class Bench {
  readonly clock = new VirtualClock();
  readonly territory = new Territory();
  readonly asked: MemberId[] = [];
  heard = 0;
  answerMs: Millis = 1_000;
  readonly stop = new AbortController();
  readonly #inquiry: ArcInquiry;

  constructor(
    view: SwarmView,
    answer: (member: MemberId) => WhoHoldsReply | undefined = () => nothing,
  ) {
    this.territory.note(arc, { member: noted, generation: 1, synced: true });
    const whoHolds = async (member: MemberId): Promise<WhoHoldsReply | undefined> => {
      this.asked.push(member);
      await this.clock.sleep(this.answerMs);
      return answer(member);
    };
    const ports = { calls: { whoHolds } as unknown as PeerCalls, clock: this.clock };
    const parts = { view, territory: this.territory };
    this.#inquiry = new ArcInquiry(ports, parts, afterMs, this.stop.signal);
  }

  /** After so long the peer looks what it waits for. */
  async look(ms: Millis, arcs = arc): Promise<void> {
    await this.clock.run(this.clock.sleep(ms));
    this.#inquiry.look(arcs, () => (this.heard += 1));
  }

  /** Resolves when it has asked all that it asks. */
  settled(): Promise<void> {
    return this.clock.run(this.#inquiry.settled());
  }
}

function viewOf(...others: MemberId[]): SwarmView {
  return { ...stillView(self, noted), others };
}

describe("an arc that is waited for", () => {
  it("is asked about after a while, and again after as long", async () => {
    const bench = new Bench(viewOf(noted));
    await bench.look(0);
    await bench.look(afterMs - 1);
    expect([bench.asked, bench.heard]).toEqual([[], 0]);
    await bench.look(1);
    await bench.settled();
    expect([bench.asked, bench.heard]).toEqual([[noted], 1]);
    await bench.look(afterMs - bench.answerMs - 1);
    expect(bench.asked).toHaveLength(1);
    await bench.look(1);
    expect(bench.asked).toHaveLength(2);
  });

  it("is not asked about anew while others have not answered yet", async () => {
    const bench = new Bench(viewOf(noted));
    bench.answerMs = 2 * afterMs;
    await bench.look(0);
    await bench.look(afterMs);
    await bench.look(afterMs);
    expect([bench.asked, bench.heard]).toEqual([[noted], 0]);
  });

  it("has to be waited for without a break", async () => {
    const bench = new Bench(viewOf(noted));
    await bench.look(0);
    await bench.look(afterMs - 1, ArcSet.empty);
    await bench.look(1);
    await bench.look(afterMs - 1);
    expect(bench.asked).toEqual([]);
  });

  it("is all that an answer tells of, whatever else the member says that it holds", async () => {
    const answer = { ...nothing, held: ArcSet.whole, kept: ArcSet.whole };
    const bench = new Bench(viewOf(noted, other), (member) =>
      member === other ? answer : nothing,
    );
    await bench.look(0);
    await bench.look(afterMs);
    await bench.settled();
    const isOther = { member: other, generation: 1, synced: true };
    expect(bench.territory.holderAt(position)).toMatchObject(isOther);
    expect(bench.territory.holderAt((position + 1) as RingPosition)).toBeUndefined();
  });

  it("is held by who says so, and by nobody known where who was noted denies it", async () => {
    const held = { ...nothing, held: arc };
    const bench = new Bench(viewOf(noted, other), (member) =>
      member === other ? held : undefined,
    );
    await bench.look(0);
    await bench.look(afterMs);
    await bench.settled();
    const found = { member: other, generation: 1, synced: false };
    expect(bench.territory.holderAt(position)).toMatchObject(found);
    const denied = new Bench(viewOf(noted));
    await denied.look(0);
    await denied.look(afterMs);
    await denied.settled();
    const { member, generation } = denied.territory.holderAt(position) ?? {};
    expect(denied.territory.bereft(viewOf(noted)).isEmpty).toBe(false);
    expect([member, generation]).not.toEqual([noted, 1]);
  });

  it("is asked about at nobody who has gone, nor after the peer has stopped", async () => {
    const gone = new Bench({ ...stillView(self, other, noted), others: [other] });
    await gone.look(0);
    await gone.look(afterMs);
    await gone.settled();
    expect(gone.asked).toEqual([other]);
    const stopped = new Bench(viewOf(noted, other));
    await stopped.look(0);
    await stopped.look(afterMs);
    stopped.stop.abort();
    await stopped.settled();
    expect(stopped.asked).toEqual([noted]);
  });

  it("is asked about in a large swarm at its owner and at who was noted, but for this peer", async () => {
    const others = Array.from({ length: 65 }, (_, number) => `m${number}` as MemberId);
    const book = new RingBook({ virtualNodes: 2, hashSeed: 0 });
    const ring = book.ringOf([self, ...others].map((id) => ({ id, weight: 1 })));
    const owner = ring.ownerOf(position);
    for (const here of [self, owner]) {
      const bench = new Bench({ ...viewOf(...others), self: here ?? self, ring });
      await bench.look(0);
      await bench.look(afterMs);
      await bench.settled();
      expect(bench.asked).toEqual(here === owner ? [noted] : [noted, owner]);
    }
  });
});
