import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import type { WhoHoldsReply } from "../../../../src/core/messages/holding.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { circle, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import type { SwarmView } from "../../../../src/peer/swarm/members/swarm-view.ts";
import { ArcClaim } from "../../../../src/peer/swarm/ownership/arc-claim.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { RingBook } from "../../../../src/peer/swarm/members/ring-book.ts";
import { silentLogger } from "../../../support/silent-logger.ts";
import { stillView } from "../still-view.ts";

const [self, other, lost] = ["a", "b", "c"].map((id) => id as MemberId) as [
  MemberId,
  MemberId,
  MemberId,
];

const half = ArcSet.of([{ from: 0 as RingPosition, to: (circle / 2) as RingPosition }]);

const ignorant: WhoHoldsReply = {
  generation: 1,
  held: ArcSet.empty,
  kept: ArcSet.empty,
  copied: ArcSet.empty,
  former: ArcSet.empty,
  known: [],
};

describe("ArcClaim", () => {
  /** A member with a copy of everything, beside one that answers so: what it claims, and what it brings to others. */
  async function run(
    answer: WhoHoldsReply,
    former = false,
  ): Promise<{ readonly taken: ArcSet; readonly offered: ArcSet }> {
    const clock = new VirtualClock();
    const view = stillView(self, other, lost);
    const territory = new Territory();
    const holder = { member: lost, generation: 1, synced: true };
    territory.note(ArcSet.whole, former ? { ...holder, former } : holder);
    let taken = ArcSet.empty;
    let offered = ArcSet.empty;
    const none = (): void => undefined;
    const claim = new ArcClaim(
      {
        clock,
        logger: { debug: none, info: none, warn: none, error: none },
        calls: { whoHolds: () => Promise.resolve(answer) },
      },
      {
        view,
        territory,
        take: (arcs) => {
          taken = taken.union(arcs);
          return Promise.resolve();
        },
        offer: (arcs) => {
          offered = offered.union(arcs);
        },
      },
      2,
    );
    await clock.run(claim.run(ArcSet.whole, ArcSet.empty, new AbortController().signal));
    return { taken, offered };
  }

  const claimed = async (answer: WhoHoldsReply, former?: boolean): Promise<ArcSet> =>
    (await run(answer, former)).taken;

  it("claims what was lost and is held by nobody", async () => {
    expect((await claimed(ignorant)).equals(ArcSet.whole)).toBe(true);
  });

  it("leaves to another member what the ring prefers it for, where both have a copy", async () => {
    const share = (await claimed({ ...ignorant, copied: ArcSet.whole })).share;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.8);
  });

  it("comes before a member whose copy is what that member once held itself", async () => {
    const answer = { ...ignorant, copied: ArcSet.whole, former: ArcSet.whole };
    expect((await claimed(answer)).equals(ArcSet.whole)).toBe(true);
    const share = (await claimed(answer, true)).share;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.8);
  });

  it("leaves all to a member whose copy is up to date, where its own is a former one", async () => {
    const answer = { ...ignorant, copied: ArcSet.whole };
    expect((await claimed(answer, true)).isEmpty).toBe(true);
    expect((await claimed(ignorant, true)).equals(ArcSet.whole)).toBe(true);
  });

  it("brings its copy to whoever holds the same beside the one that was lost, and does not know it", async () => {
    const held = { ...ignorant, held: ArcSet.whole };
    const { taken, offered } = await run(held);
    expect(taken.isEmpty).toBe(true);
    expect(offered.equals(ArcSet.whole)).toBe(true);
    expect((await run({ ...held, kept: ArcSet.whole })).offered.isEmpty).toBe(true);
    expect((await run(ignorant)).offered.isEmpty).toBe(true);
  });

  it("waits while another member takes the holder for running", async () => {
    const known = [{ holder: lost, generation: 1, arcs: ArcSet.whole }];
    expect((await claimed({ ...ignorant, known })).isEmpty).toBe(true);
  });
});

describe("what is asked before arcs are claimed", () => {
  const signal = new AbortController().signal;

  /** A member that claims what was lost, when it has asked the others in this swarm. */
  function newClaim(view: SwarmView, whoHolds: (member: MemberId) => WhoHoldsReply | undefined) {
    const clock = new VirtualClock();
    const territory = new Territory();
    territory.note(ArcSet.whole, { member: lost, generation: 1, synced: true });
    const taken: ArcSet[] = [];
    const calls = { whoHolds: (member: MemberId) => Promise.resolve(whoHolds(member)) };
    const take = (arcs: ArcSet): Promise<void> => Promise.resolve(void taken.push(arcs));
    const parts = { view, territory, take, offer: () => undefined };
    const claim = new ArcClaim({ clock, logger: silentLogger, calls }, parts, 2);
    return { clock, claim, taken, territory };
  }

  it("says nothing where the swarm is another one by then", async () => {
    const named = "d" as MemberId;
    const known = [{ holder: named, generation: 1, arcs: ArcSet.whole }];
    for (const changes of ["ring", "futureRing"] as const) {
      for (const changesAt of [other, named]) {
        const view = { ...stillView(self, other, lost) };
        const { clock, claim, taken } = newClaim(view, (member) => {
          if (member === changesAt) view[changes] = stillView(self, named).ring;
          return member === other ? { ...ignorant, known } : ignorant;
        });
        await clock.run(claim.run(ArcSet.whole, ArcSet.empty, signal));
        expect(taken).toEqual([]);
      }
    }
  });

  it("says nothing where the peer stops meanwhile, and is not asked on and on", async () => {
    for (const isAnswered of [false, true]) {
      const stop = new AbortController();
      let asked = 0;
      const { clock, claim, taken } = newClaim(stillView(self, other, lost), () => {
        asked += 1;
        stop.abort();
        return isAnswered || asked > 3 ? ignorant : undefined;
      });
      await clock.run(claim.run(ArcSet.whole, ArcSet.empty, stop.signal));
      expect([asked, taken]).toEqual([1, []]);
    }
  });

  it("says nothing of arcs that have come to this peer meanwhile", async () => {
    const { clock, claim, taken, territory } = newClaim(stillView(self, other, lost), () => {
      territory.take(half);
      return ignorant;
    });
    await clock.run(claim.run(ArcSet.whole, ArcSet.empty, signal));
    expect(taken.map((arcs) => arcs.equals(ArcSet.whole.subtract(half)))).toEqual([true]);
  });

  it("leaves what another one thinks is held by one that is gone here, and that alone", async () => {
    const known = [{ holder: lost, generation: 1, arcs: half }];
    const view = stillView(self, other, lost);
    const { clock, claim, taken } = newClaim(view, () => ({ ...ignorant, known }));
    await clock.run(claim.run(ArcSet.whole, ArcSet.empty, signal));
    expect(taken.map((arcs) => arcs.equals(ArcSet.whole.subtract(half)))).toEqual([true]);
  });

  it("is asked until there is an answer, and in vain where that member is gone meanwhile", async () => {
    for (const isGone of [false, true]) {
      let asked = 0;
      const isRunning = (member: MemberId): boolean => member !== lost && !(isGone && asked > 0);
      const view = { ...stillView(self, other, lost), isRunning };
      const { clock, claim, taken } = newClaim(view, () => {
        asked += 1;
        return asked < 3 ? undefined : ignorant;
      });
      const startMs = clock.nowMs();
      await clock.run(claim.run(ArcSet.whole, ArcSet.empty, signal));
      const course = [asked, clock.nowMs() - startMs, taken.length];
      expect(course).toEqual(isGone ? [1, 200, 0] : [3, 400, 1]);
    }
  });

  it("is asked of those that are named as holders, too", async () => {
    const named = "d" as MemberId;
    const known = [{ holder: named, generation: 1, arcs: ArcSet.whole }];
    const { clock, claim, taken, territory } = newClaim(stillView(self, other, lost), (member) =>
      member === named ? { ...ignorant, held: ArcSet.whole } : { ...ignorant, known },
    );
    await clock.run(claim.run(ArcSet.whole, ArcSet.empty, signal));
    expect(taken).toEqual([]);
    expect(territory.holderAt(5 as RingPosition)).toMatchObject({ member: named, synced: false });
  });

  it("is not asked of this peer, though another one takes it for the holder", async () => {
    const known = [{ holder: self, generation: 1, arcs: ArcSet.whole }];
    const asked: MemberId[] = [];
    const { clock, claim, taken } = newClaim(stillView(self, other, lost), (member) => {
      asked.push(member);
      return { ...ignorant, known };
    });
    await clock.run(claim.run(ArcSet.whole, ArcSet.empty, signal));
    expect([asked, taken.length]).toEqual([[other], 1]);
  });

  it("is not asked again at once where somebody holds the arcs", async () => {
    const answer = { ...ignorant, held: ArcSet.whole };
    const { clock, claim } = newClaim(stillView(self, other, lost), () => answer);
    const startMs = clock.nowMs();
    await clock.run(claim.run(ArcSet.whole, ArcSet.empty, signal));
    expect(clock.nowMs() - startMs).toBe(200);
  });

  it("is asked of all, or in a large swarm of those that the ring prefers where there is a copy", async () => {
    const others = Array.from({ length: 65 }, (_, number) => `m${number}` as MemberId);
    const ring = new RingBook({ virtualNodes: 2, hashSeed: 0 }).ringOf(
      [self, ...others].map((id) => ({ id, weight: 1 })),
    );
    const [own] = ring.arcsOf(self).arcs();
    const position = own?.from ?? (0 as RingPosition);
    const arc = ArcSet.of([{ from: position, to: (position + 1) as RingPosition }]);
    const asked = new Set<MemberId>();
    const view = { ...stillView(self, other, lost), ring, futureRing: ring, others };
    const { clock, claim } = newClaim(view, (member) => {
      asked.add(member);
      return ignorant;
    });
    view.others = others.slice(0, 64);
    await clock.run(claim.run(arc, ArcSet.empty, signal));
    expect(asked.size).toBe(64);
    asked.clear();
    view.others = others;
    await clock.run(claim.run(arc, ArcSet.empty, signal));
    const preferred = ring.preferenceOf(position, 3);
    expect(preferred).toContain(self);
    expect([...asked]).toEqual(preferred.filter((member) => member !== self));
    await clock.run(claim.run(arc, arc, signal));
    expect(asked.size).toBe(others.length);
  });

  it.each(["b", "y"])(
    "leaves what it has to %s, which has a copy too, where the ring prefers that one, or neither and its name is the lesser",
    async (id) => {
      const [me, its] = ["m", id] as [MemberId, MemberId];
      const others = ["b", "d", "e", "w", "x", "y"] as MemberId[];
      const ring = new RingBook({ virtualNodes: 8, hashSeed: 0 }).ringOf(
        [me, ...others].map((member) => ({ id: member, weight: 1 })),
      );
      const view = { ...stillView(me, other, lost), ring, futureRing: ring, others };
      const copied = { ...ignorant, copied: ArcSet.whole };
      const { clock, claim, taken } = newClaim(view, (asked) =>
        asked === its ? copied : ignorant,
      );
      await clock.run(claim.run(ArcSet.whole, ArcSet.empty, signal));
      for (let n = 0; n < 300; n += 1) {
        const position = Math.floor((n * circle) / 300) as RingPosition;
        const first = ring.preferenceOf(position, 3).find((one) => one === me || one === its);
        const isMine = first === undefined ? me < its : first === me;
        expect(taken[0]?.contains(position)).toBe(isMine);
      }
    },
  );
});
