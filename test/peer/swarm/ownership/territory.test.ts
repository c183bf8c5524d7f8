import { describe, expect, it } from "vitest";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import { circle, type RingPosition } from "../../../../src/core/ring/ring-position.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";

const [a, b] = ["a", "b"] as MemberId[] as [MemberId, MemberId];
const everything = ArcSet.whole;
const half = ArcSet.of([{ from: 0 as RingPosition, to: (circle / 2) as RingPosition }]);
const inHalf = 5 as RingPosition;
const elsewhere = (circle - 5) as RingPosition;

const all = (): boolean => true;
const allBut = (gone: MemberId) => (member: MemberId) => member !== gone;

/** What a member says that has brought this peer's copy up to date. */
function kept(member: MemberId) {
  return { member, generation: 1, synced: true };
}

function newTerritory(): Territory {
  const territory = new Territory();
  territory.note(everything, kept(a));
  territory.note(half, kept(b));
  return territory;
}

describe("two that hold an arc, of which a third has a copy", () => {
  it("are both remembered: the last to speak holds it, until it gives way", () => {
    const territory = newTerritory();
    expect(territory.holderAt(inHalf)).toMatchObject(kept(b));
    territory.release(half, b, 1, all);
    expect(territory.holderAt(inHalf)).toEqual(kept(a));
    expect(territory.holderAt(elsewhere)).toEqual(kept(a));
  });

  it("leave the arc bereft when the one is gone and the other has given way", () => {
    const territory = newTerritory();
    territory.release(half, b, 1, all);
    const bereft = territory.bereft({ isRunning: allBut(a), others: [b] });
    expect(bereft.equals(everything)).toBe(true);
  });

  it("are one again where the first to speak gives way", () => {
    const territory = newTerritory();
    territory.release(everything, a, 1, all);
    expect(territory.holderAt(inHalf)).toEqual(kept(b));
    expect(territory.holderAt(elsewhere)).toEqual({ ...kept(a), synced: false });
    territory.release(half, b, 1, all);
    expect(territory.holderAt(inHalf)).toEqual({ ...kept(b), synced: false });
  });

  it("are both remembered also where one gives way of which there is no complete copy", () => {
    const territory = new Territory();
    territory.note(everything, kept(a));
    territory.note(everything, { ...kept(b), synced: false });
    territory.release(everything, b, 1, all);
    expect(territory.holderAt(inHalf)).toEqual({ ...kept(b), synced: false, also: kept(a) });
  });

  it("leave no copy that counts where the other one ran no more when the one gave way", () => {
    const territory = newTerritory();
    territory.release(half, b, 1, allBut(a));
    expect(territory.holderAt(inHalf)).toEqual({ ...kept(b), synced: false });
  });

  it("may say the same again, in any order", () => {
    const territory = newTerritory();
    territory.note(half, kept(a));
    territory.note(half, kept(b));
    territory.note(half, kept(b));
    expect(territory.holderAt(inHalf)).toEqual({ ...kept(b), also: kept(a) });
    territory.heard(a, { generation: 1, held: everything, kept: ArcSet.empty }, 2);
    expect(territory.holderAt(inHalf)).toEqual({ ...kept(a), synced: false, also: kept(b) });
    territory.note(half, kept(b));
    expect(territory.holderAt(inHalf)).toEqual(kept(b));
    expect(territory.holderAt(elsewhere)).toEqual({ ...kept(a), synced: false });
  });

  it("are both remembered whatever another one says that keeps no copy here, though its run has the same number", () => {
    const territory = newTerritory();
    territory.release(everything, "c" as MemberId, 1, all);
    expect(territory.holderAt(inHalf)).toEqual({ ...kept(b), also: kept(a) });
    expect(territory.holderAt(elsewhere)).toEqual(kept(a));
  });

  it("are told apart by their runs", () => {
    const territory = newTerritory();
    territory.release(half, b, 2, all);
    territory.release(half, a, 2, all);
    expect(territory.holderAt(inHalf)).toEqual({ ...kept(b), also: kept(a) });
  });

  it("have copies that this peer trusts alike after it has stood still: not at all", () => {
    const territory = newTerritory();
    territory.distrustCopies();
    territory.release(half, b, 1, all);
    expect(territory.holderAt(inHalf)).toEqual({ ...kept(a), former: true });
    expect(territory.holderAt(elsewhere)).toEqual({ ...kept(a), former: true });
  });

  it("are one where of the first to speak there was no complete copy", () => {
    const territory = new Territory();
    territory.note(everything, { ...kept(a), synced: false });
    territory.note(half, kept(b));
    expect(territory.holderAt(inHalf)).toEqual(kept(b));
  });

  it("are remembered as each was noted, be it the run or how far the copy is trusted that differs", () => {
    const earlier = { ...kept(a), former: true };
    for (const other of [earlier, { ...kept(a), generation: 2 }]) {
      const territory = new Territory();
      territory.note(everything, kept(a));
      territory.note(half, other);
      territory.note(everything, kept(b));
      expect(territory.holderAt(inHalf)).toEqual({ ...kept(b), also: other });
      expect(territory.holderAt(elsewhere)).toEqual({ ...kept(b), also: kept(a) });
    }
  });

  it("are doubted by what the last to speak says alone", () => {
    const territory = newTerritory();
    territory.doubt(half, a);
    expect(territory.holderAt(inHalf)).toEqual({ ...kept(b), also: kept(a) });
    territory.doubt(half, b);
    expect(territory.holderAt(inHalf)?.generation).not.toBe(1);
  });
});

describe("what is noted of who holds an arc", () => {
  it("is what that member says, with whether the copy here is complete", () => {
    const territory = new Territory();
    territory.heard(a, { generation: 1, held: everything, kept: half }, 2);
    expect(territory.holderAt(inHalf)).toEqual(kept(a));
    expect(territory.holderAt(elsewhere)).toEqual({ ...kept(a), synced: false });
  });

  it("is nothing of what this peer holds itself, whoever says so", () => {
    const territory = new Territory();
    territory.take(half);
    territory.note(everything, kept(a));
    expect(territory.holderAt(inHalf)).toBeUndefined();
    expect(territory.holderAt(elsewhere)).toEqual(kept(a));
  });

  it("is no former copy where there was none when this peer stood still", () => {
    const territory = new Territory();
    territory.note(everything, { ...kept(a), synced: false });
    territory.distrustCopies();
    expect(territory.holderAt(inHalf)).toEqual({ ...kept(a), synced: false });
  });

  it("leaves it bereft in those arcs that are asked about", () => {
    const gone = { isRunning: () => false, others: [] };
    expect(newTerritory().bereft(gone, half).equals(half)).toBe(true);
  });

  it("leaves it bereft as members and notes are at that moment", () => {
    const territory = new Territory();
    territory.note(everything, kept(a));
    const [before, since] = [[b], [a, b]];
    const without = { isRunning: allBut(a), others: before };
    expect(territory.bereft(without).share).toBe(1);
    expect(territory.bereft({ isRunning: all, others: since }).isEmpty).toBe(true);
    expect(territory.bereft(without).share).toBe(1);
    territory.note(half, kept(b));
    expect(territory.bereft(without).share).toBe(1 - half.share);
  });
});

it.each<[string, ...((territory: Territory) => void)[]]>([
  ["taken", (territory) => territory.take(half)],
  [
    "taken and given away",
    (territory) => territory.take(half),
    (territory) => territory.give(half, kept(b)),
  ],
  ["released", (territory) => territory.release(half, b, 1, allBut(a))],
])("what is bereft is known anew when arcs are %s", (_, ...changes) => {
  const gone = { isRunning: () => false, others: [] };
  const [asked, unasked] = [newTerritory(), newTerritory()];
  for (const change of changes) {
    const before = asked.bereft(gone);
    for (const territory of [asked, unasked]) change(territory);
    expect(asked.bereft(gone).equals(before)).toBe(false);
  }
  expect(asked.bereft(gone).equals(unasked.bereft(gone))).toBe(true);
});

it("remembers what one says again and again of ever other arcs as one thing", () => {
  const territory = new Territory();
  territory.note(everything, kept(a));
  const cells = 1_024;
  const cell = circle / cells;
  for (let bit = 1; bit < cells; bit *= 2) {
    const arcs = Array.from({ length: cells }, (_, at) => ({
      from: (at * cell) as RingPosition,
      to: ((at + 1) * cell) as RingPosition,
    }));
    territory.note(ArcSet.of(arcs.filter((_, at) => (at & bit) !== 0)), kept(b));
  }
  const holders = [...territory.notes(everything)].map(({ value }) => value);
  // Two for each time that it was said, and not for each of the parts into which that has cut the ring.
  expect(new Set(holders).size).toBeLessThanOrEqual(2 * Math.log2(cells));
  expect(territory.holderAt(elsewhere)).toEqual({ ...kept(b), also: kept(a) });
});

describe("arcs that are passed on", () => {
  it("take in nothing meanwhile, unlike those that are held later", () => {
    const territory = new Territory();
    territory.take(half);
    territory.close(everything);
    territory.take(everything);
    expect([inHalf, elsewhere].map((position) => territory.admits(position))).toEqual([
      false,
      true,
    ]);
  });
});

describe("arcs that this peer has begun to hold", () => {
  it("are nobody else's as far as it knows", () => {
    const territory = newTerritory();
    territory.take(half);
    expect(territory.holderAt(inHalf)).toBeUndefined();
    expect(territory.bereft({ isRunning: () => false, others: [] }).contains(inHalf)).toBe(false);
    expect(territory.holderAt(elsewhere)).toEqual(kept(a));
  });

  it("take in again when they come back, though they were closed to be passed on", () => {
    const territory = new Territory();
    territory.take(everything);
    territory.close(everything);
    territory.give(everything, kept(a));
    territory.take(half);
    expect(territory.admits(inHalf)).toBe(true);
    expect(territory.open.equals(half)).toBe(true);
  });
});

it("arcs that were given up without a successor, closed or not, take in again when they come back", () => {
  const territory = new Territory();
  territory.take(everything);
  territory.close(everything);
  territory.abandon();
  expect(territory.held.isEmpty).toBe(true);
  territory.take(half);
  expect(territory.open.equals(half)).toBe(true);
});

describe("the room for notes of what others say", () => {
  const piecesMax = 2 ** 12;

  /** So many arcs, each a position long; those of another offset touch none of them. */
  function arcsOf(count: number, offset = 0): ArcSet {
    const step = 16;
    const bounds = Float64Array.from({ length: 2 * count }, (_, at) => {
      return (at >>> 1) * step + 2 * offset + (at & 1);
    });
    return ArcSet.fromBounds(bounds) ?? ArcSet.empty;
  }

  it("is for so many arcs, each of which may part one that is noted", () => {
    expect(arcsOf(7).size).toBe(7);
    expect(new Territory(piecesMax).makeRoomFor(arcsOf(piecesMax / 4 - 1), a, 2)).toBe(true);
    expect(new Territory(piecesMax).makeRoomFor(arcsOf(piecesMax / 4), a, 2)).toBe(false);
  });

  it("has a share for each member when others have said much", () => {
    const territory = new Territory(piecesMax);
    territory.note(everything, kept(a));
    territory.note(arcsOf(piecesMax / 4 - 8), kept(b));
    const more = arcsOf(piecesMax / 64, 1);
    expect(territory.makeRoomFor(more, b, 4)).toBe(false);
    expect(territory.makeRoomFor(more, a, 4)).toBe(true);
    expect(territory.makeRoomFor(arcsOf(piecesMax / 8, 1), a, 4)).toBe(false);
  });

  it("is not used up by what a member says and takes back", () => {
    const territory = new Territory(piecesMax);
    territory.note(everything, kept(a));
    const count = piecesMax / 8 - 8;
    for (let offset = 0; offset < 4; offset += 1) {
      territory.note(arcsOf(count, offset), kept(b));
      territory.release(arcsOf(count, offset), b, 1, all);
    }
    expect(territory.makeRoomFor(arcsOf(count, 4), b, 4)).toBe(true);
  });

  /** What is noted when so many members, each under an id of its own, have answered that they hold other arcs. */
  function afterAnswers(members: number, areKept: boolean): Territory {
    const territory = new Territory(piecesMax);
    territory.note(everything.subtract(half), kept(a));
    const count = piecesMax / 8;
    for (let id = 0; id < members; id += 1) {
      const held = arcsOf(count, 8 * count * id);
      const said = { generation: 1, held, kept: areKept ? held : ArcSet.empty };
      territory.heard(`${id}` as MemberId, said, 3);
    }
    return territory;
  }

  it.each([false, true])("is not used up by the answers of ever other members (%j)", (areKept) => {
    const territory = afterAnswers(6, areKept);
    expect([...territory.notes(everything)].length).toBeLessThanOrEqual(piecesMax / 2);
    expect(territory.holderAt(elsewhere)).toEqual(kept(a));
  });

  it("is made by forgetting what no copy hangs on, and has the latest answer", () => {
    const territory = afterAnswers(3, false);
    expect(territory.holderAt(0 as RingPosition)).toBeUndefined();
    expect(territory.holderAt((4 * piecesMax) as RingPosition)?.member).toBe("2");
    expect(territory.makeRoomFor(arcsOf(piecesMax / 16), b, 1_000)).toBe(true);
  });
});
