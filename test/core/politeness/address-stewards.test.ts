import { describe, expect, it } from "vitest";
import {
  AddressStewards,
  positionOfAddress,
} from "../../../src/core/politeness/address-stewards.ts";
import { Ring } from "../../../src/core/ring/ring.ts";
import type { IpAddress, MemberId } from "../../../src/core/units.ts";

const [self, other, third] = ["peer-1", "peer-2", "peer-3"] as [MemberId, MemberId, MemberId];
const keptMs = 40_000;

function ringOf(...members: readonly MemberId[]): Ring {
  const weighted = members.map((id) => ({ id, weight: 1 }));
  return Ring.of(weighted, { virtualNodes: 8, hashSeed: 0 });
}

/** The first address of which the members are the stewards by these rings, one after the other. */
function addressOf(...stewards: readonly (readonly [ring: Ring, steward: MemberId])[]): IpAddress {
  for (let last = 1; ; last += 1) {
    const address = `192.0.2.${last}` as IpAddress;
    const position = positionOfAddress(address);
    if (stewards.every(([ring, steward]) => ring.ownerOf(position) === steward)) return address;
  }
}

describe("the stewards of addresses", () => {
  const [two, three, alone] = [ringOf(self, other), ringOf(self, other, third), ringOf(self)];

  it("are remembered by sixteen rings, of which the oldest are the first to be forgotten", () => {
    const theirs = addressOf([two, other]);
    const stewards = new AddressStewards(self, two, keptMs, () => 1);
    for (let rings = 0; rings < 16; rings += 1) {
      stewards.update(ringOf(self), rings);
      expect(stewards.isOrWas(other, theirs, rings)).toBe(true);
    }
    stewards.update(ringOf(self), 16);
    expect(stewards.isOrWas(other, theirs, 16)).toBe(false);
  });

  it("are those of the rings that ended less than a loan ago", () => {
    const theirs = addressOf([two, other]);
    const stewards = new AddressStewards(self, two, keptMs, () => 1);
    stewards.update(alone, 1_000);
    stewards.update(ringOf(self), 20_000);
    for (const [nowMs, isKnown] of [
      [1_000 + keptMs - 1, true],
      [1_000 + keptMs, false],
    ] as const) {
      expect(stewards.isOrWas(other, theirs, nowMs)).toBe(isKnown);
      expect(stewards.predecessorOf(theirs, nowMs) !== undefined).toBe(isKnown);
    }
  });

  it("are those of the present ring, which is no other one when it is told of again", () => {
    const theirs = addressOf([two, other]);
    const stewards = new AddressStewards(self, alone, keptMs, () => 1);
    expect(stewards.update(two, 1_000)).toBe(true);
    expect(stewards.isOrWas(other, theirs, 1_000)).toBe(true);
    for (let rings = 0; rings < 16; rings += 1) expect(stewards.update(two, 2_000)).toBe(false);
    expect(stewards.isOrWas(self, theirs, 2_000)).toBe(true);
  });

  it("do not run while no run of them is known", () => {
    const theirs = addressOf([two, other]);
    const stewards = new AddressStewards(self, two, keptMs, () => undefined);
    stewards.update(alone, 1_000);
    expect(stewards.predecessorOf(theirs, 1_000)).toEqual({ member: undefined, untilMs: 1_000 });
  });

  it("have their runs remembered while they are taken for dead", () => {
    const theirs = addressOf([two, other]);
    let generation: number | undefined = 1;
    const stewards = new AddressStewards(self, two, keptMs, (member) =>
      member === other ? generation : 1,
    );
    generation = undefined;
    stewards.update(two, 0);
    stewards.update(alone, 1_000);
    expect(stewards.predecessorOf(theirs, 1_000)).toEqual({ member: undefined, untilMs: 1_000 });
    generation = 1;
    expect(stewards.predecessorOf(theirs, 1_000)).toEqual({ member: other, untilMs: 1_000 });
    generation = 2;
    expect(stewards.predecessorOf(theirs, 1_000)).toEqual({ member: undefined, untilMs: 1_000 });
  });

  it("are no predecessors of one that never had the address", () => {
    const [passed, taken] = [
      addressOf([two, other], [three, third]),
      addressOf([two, self], [three, third]),
    ];
    const stewards = new AddressStewards(self, two, keptMs, () => 1);
    stewards.update(three, 2_000);
    expect(stewards.predecessorOf(passed, 2_000)).toBeUndefined();
    expect(stewards.predecessorOf(taken, 2_000)).toBeUndefined();
    stewards.update(alone, 3_000);
    expect(stewards.predecessorOf(taken, 3_000)).toEqual({ member: third, untilMs: 3_000 });
  });

  it("are the last ones before, where the address has come back and gone since", () => {
    const address = addressOf([two, other], [three, third]);
    const stewards = new AddressStewards(self, two, keptMs, () => 1);
    stewards.update(alone, 1_000);
    stewards.update(three, 2_000);
    // Who has lost it may still be asked for what others had lent before.
    expect(stewards.predecessorOf(address, 2_000)).toEqual({ member: other, untilMs: 1_000 });
    stewards.update(alone, 3_000);
    expect(stewards.predecessorOf(address, 3_000)).toEqual({ member: third, untilMs: 3_000 });
  });

  it("are none while nobody is a member", () => {
    const stewards = new AddressStewards(self, ringOf(), keptMs, () => 1);
    stewards.update(alone, 1_000);
    expect(stewards.predecessorOf("192.0.2.1" as IpAddress, 1_000)).toBeUndefined();
  });
});
