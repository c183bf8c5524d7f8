import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMinority } from "../../../src/core/membership/minority.ts";
import type { Member, MemberHealth, MemberRole } from "../../../src/core/membership/member.ts";
import type { MemberId } from "../../../src/core/units.ts";
import { sampleMember } from "./sample-member.ts";

function member(id: string, health: MemberHealth, role: MemberRole = "active"): Member {
  return sampleMember({ id: id as MemberId, health, role });
}

describe("isMinority", () => {
  it("is so for fewer than half of those that had a part of the ring", () => {
    expect(isMinority([member("a", "alive"), member("b", "dead"), member("c", "dead")])).toBe(true);
    expect(isMinority([member("a", "alive"), member("b", "suspect"), member("c", "dead")])).toBe(
      false,
    );
  });

  it("is so for the half without the lowest id", () => {
    expect(isMinority([member("a", "alive"), member("b", "dead")])).toBe(false);
    expect(isMinority([member("a", "dead"), member("b", "alive")])).toBe(true);
    expect(isMinority([member("a", "alive"), member("b", "alive")])).toBe(false);
  });

  it("counts who is leaving", () => {
    const leaving = [member("b", "alive", "leaving"), member("c", "alive", "leaving")];
    expect(isMinority([member("a", "dead"), member("d", "dead"), ...leaving])).toBe(true);
    expect(isMinority([member("d", "dead"), member("e", "dead"), ...leaving])).toBe(false);
  });

  it("counts neither who has left nor who is joining", () => {
    const others = [member("b", "dead", "left"), member("c", "alive", "left")];
    expect(isMinority([member("a", "alive"), ...others])).toBe(false);
    const joining = [member("d", "alive", "joining"), member("e", "alive", "joining")];
    const dead = [member("b", "dead"), member("c", "dead")];
    expect(isMinority([member("a", "alive"), ...dead, ...joining])).toBe(true);
    expect(isMinority([])).toBe(false);
  });

  it("is true on one side of every cut through a swarm, and only there", () => {
    const sides = fc.array(fc.boolean(), { minLength: 2, maxLength: 9 });
    fc.assert(
      fc.property(
        sides.filter((all) => new Set(all).size === 2),
        (all) => {
          const seenFrom = (side: boolean): Member[] =>
            all.map((one, index) => member(`m${index}`, one === side ? "alive" : "dead"));
          expect(isMinority(seenFrom(true))).toBe(!isMinority(seenFrom(false)));
        },
      ),
    );
  });
});
