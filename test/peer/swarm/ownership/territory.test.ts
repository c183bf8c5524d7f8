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
    expect(bereft).toEqual(everything);
  });

  it("are one again where the first to speak gives way", () => {
    const territory = newTerritory();
    territory.release(everything, a, 1, all);
    expect(territory.holderAt(inHalf)).toEqual(kept(b));
    expect(territory.holderAt(elsewhere)).toEqual({ ...kept(a), synced: false });
    territory.release(half, b, 1, all);
    expect(territory.holderAt(inHalf)).toEqual({ ...kept(b), synced: false });
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
    territory.heard(a, { generation: 1, held: everything, kept: ArcSet.empty });
    expect(territory.holderAt(inHalf)).toEqual({ ...kept(a), synced: false, also: kept(b) });
    expect(territory.holderAt(elsewhere)).toEqual({ ...kept(a), synced: false });
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
  });
});
