import { describe, expect, it } from "vitest";
import { AddressLender } from "../../../src/core/politeness/address-lender.ts";
import { defaultLendingOptions } from "../../../src/core/politeness/address-loan.ts";
import type { Borrower, LenderView, LoanAsk } from "../../../src/core/politeness/address-loan.ts";
import type { IpAddress, MemberId } from "../../../src/core/units.ts";

const address = "192.0.2.1" as IpAddress;
const one: Borrower = { member: "one" as MemberId, generation: 1 };
const other: Borrower = { member: "other" as MemberId, generation: 1 };

const nothingLent = { sequence: 0, heldMs: 0, restMs: 0 };

const view: LenderView = {
  isRunning: () => true,
  isReplaced: () => false,
  missedUntilMs: () => -Infinity,
  predecessorOf: () => undefined,
};

function newLender(): AddressLender {
  return new AddressLender(defaultLendingOptions, view);
}

function asking(heldMs: number): LoanAsk {
  return { address, heldMs, busy: false, restMs: 0 };
}

describe("AddressLender", () => {
  it("calls an address back from a second member that has it on loan, from the other side of a partition", () => {
    const lender = newLender();
    lender.adopt(one, 1, address, 0);
    lender.takeCalls();
    expect(lender.ask(other, 1, asking(30_000), 10).kind).toBe("later");
    const recall = { kind: "recall", member: other.member, address };
    expect(lender.takeCalls()).toContainEqual(recall);
  });

  it("lends to nobody what a member says it has from the other side of a partition, though it was free here", () => {
    const next: Borrower = { member: "next" as MemberId, generation: 1 };
    const lender = newLender();
    lender.adopt(one, 1, address, 10_000);
    lender.ask(next, 1, asking(0), 10_010);
    lender.giveBack(one, 2, { address, restMs: 0 }, 10_020);
    lender.takeCalls();
    expect(lender.ask(other, 1, asking(30_000), 10_030).kind).toBe("later");
    expect(lender.ask(next, 2, asking(0), 10_040).kind).toBe("later");
    const recall = { kind: "recall", member: other.member, address };
    expect(lender.takeCalls()).toContainEqual(recall);
    lender.giveBack(other, 2, { address, restMs: 100 }, 10_050);
    expect(lender.ask(next, 3, asking(0), 10_060)).toMatchObject({ kind: "lent", restMs: 90 });
  });

  it("waits for the open request of a second member that has it, when the first one has it no more", () => {
    const lender = newLender();
    lender.adopt(one, 1, address, 0);
    lender.ask(other, 1, { ...asking(0), busy: true }, 12_000);
    expect(lender.ask(one, 2, asking(0), 12_100).kind).toBe("later");
    for (let nowMs = 12_200; nowMs < 20_000; nowMs += 100) lender.tick(nowMs);
    expect(lender.ask(one, 3, asking(0), 20_000).kind).toBe("later");
    lender.giveBack(other, 2, { address, restMs: 0 }, 20_100);
    expect(lender.ask(other, 3, asking(0), 20_200).kind).toBe("lent");
  });

  it("waits for the open requests of all who have it, one after the other", () => {
    const third: Borrower = { member: "third" as MemberId, generation: 1 };
    const next: Borrower = { member: "next" as MemberId, generation: 1 };
    const lender = newLender();
    lender.adopt(one, 1, address, 0);
    lender.ask(other, 1, { ...asking(0), busy: true }, 12_000);
    lender.ask(third, 1, { ...asking(0), busy: true }, 12_010);
    lender.giveBack(one, 2, { address, restMs: 0 }, 12_100);
    lender.giveBack(third, 2, { address, restMs: 0 }, 12_200);
    expect(lender.ask(next, 1, asking(0), 12_300).kind).toBe("later");
    for (let nowMs = 12_400; nowMs < 20_000; nowMs += 100) lender.tick(nowMs);
    expect(lender.ask(next, 2, asking(0), 20_000).kind).toBe("later");
    lender.giveBack(other, 2, { address, restMs: 0 }, 20_100);
    expect(lender.ask(other, 3, asking(0), 20_200).kind).toBe("lent");
  });

  it("tells the next steward how long to wait for those who have it beside the borrower", () => {
    const next: Borrower = { member: "next" as MemberId, generation: 1 };
    const before = { member: "steward" as MemberId, untilMs: 12_050 };
    const former = newLender();
    former.adopt(one, 1, address, 0);
    former.ask(other, 1, { ...asking(0), busy: true }, 12_000);
    const state = former.handOver(address, 12_100);
    const lender = new AddressLender(defaultLendingOptions, {
      ...view,
      predecessorOf: () => before,
    });
    lender.inherit(address, state, 12_110);
    lender.giveBack(one, 2, { address, restMs: 0 }, 12_200);
    expect(lender.ask(next, 1, asking(0), 12_500).kind).toBe("later");
    const overAtMs = 12_110 + state.unsureMs;
    expect(lender.ask(next, 2, asking(0), overAtMs - 1).kind).toBe("later");
    expect(lender.ask(next, 3, asking(0), overAtMs).kind).toBe("lent");
  });

  it("waits for whom a former steward knew beside the borrower, whoever else tells of a loan meanwhile", () => {
    const next: Borrower = { member: "next" as MemberId, generation: 1 };
    const lender = newLender();
    const state = { holder: one, sequence: 1, heldMs: 5_000, restMs: 0, unsureMs: 60_000 };
    lender.inherit(address, state, 10_000);
    lender.giveBack(one, 2, { address, restMs: 0 }, 10_100);
    lender.ask(other, 1, asking(1_000), 10_200);
    lender.giveBack(other, 2, { address, restMs: 0 }, 10_300);
    expect(lender.ask(next, 1, asking(0), 10_400).kind).toBe("later");
    expect(lender.ask(next, 2, asking(0), 69_999).kind).toBe("later");
    expect(lender.ask(next, 3, asking(0), 70_000).kind).toBe("lent");
  });

  it("heeds no question of its borrower that comes behind a later one, nor what that gave back before", () => {
    const lender = newLender();
    lender.adopt(one, 5, address, 0);
    expect(lender.ask(one, 3, asking(1_000), 10).kind).toBe("later");
    lender.giveBack(one, 4, { address, restMs: 0 }, 20);
    expect(lender.ask(other, 1, asking(0), 30).kind).toBe("later");
    lender.giveBack(one, 6, { address, restMs: 0 }, 40);
    expect(lender.ask(other, 2, asking(0), 50).kind).toBe("lent");
  });

  it("believes nobody that has it for longer than anybody lends it", () => {
    const lender = newLender();
    lender.ask(one, 1, asking(86_400_000), 0);
    const { heldMs } = lender.handOver(address, 0);
    expect(heldMs).toBeLessThan(defaultLendingOptions.longSliceMs * 1.01);
  });

  it("waits for a second member that has it for as long as that says last", () => {
    const lender = newLender();
    lender.adopt(one, 1, address, 0);
    lender.ask(other, 1, asking(1_000), 0);
    const { unsureMs } = lender.handOver(address, 10);
    lender.ask(other, 2, asking(30_000), 10);
    expect(lender.handOver(address, 10).unsureMs).toBeGreaterThan(unsureMs + 28_000);
  });

  it("waits for no more members that say they have it than are in line", () => {
    const third: Borrower = { member: "third" as MemberId, generation: 1 };
    const lender = new AddressLender({ ...defaultLendingOptions, waitersMax: 1 }, view);
    lender.adopt(one, 1, address, 0);
    lender.ask(other, 1, asking(30_000), 10);
    lender.ask(third, 1, asking(30_000), 20);
    for (const from of [one, other]) lender.giveBack(from, 2, { address, restMs: 0 }, 30);
    expect(lender.ask(other, 3, asking(0), 40).kind).toBe("lent");
  });

  it("believes a member no more addresses than it may borrow", () => {
    const lender = new AddressLender({ ...defaultLendingOptions, loansPerMemberMax: 1 }, view);
    const next = "192.0.2.2" as IpAddress;
    lender.adopt(one, 1, address, 0);
    expect(lender.ask(one, 2, { ...asking(30_000), address: next }, 10).kind).toBe("later");
    for (let nowMs = 20; nowMs <= 20_000; nowMs += 1_000) lender.tick(nowMs);
    expect(lender.ask(other, 1, { ...asking(0), address: next }, 20_000).kind).toBe("lent");
  });

  it("forgets an address that nobody has, once it has rested", () => {
    const lender = newLender();
    lender.adopt(one, 1, address, 0);
    lender.giveBack(one, 2, { address, restMs: 100 }, 1_000);
    lender.tick(1_099);
    expect([lender.size, lender.nextWakeAtMs]).toEqual([1, 1_100]);
    lender.tick(1_100);
    expect([lender.size, lender.nextWakeAtMs]).toEqual([0, undefined]);
  });

  it("lets an address rest for as long as the former steward said", () => {
    const lender = newLender();
    lender.inherit(address, { ...nothingLent, restMs: 200, unsureMs: 0 }, 1_000);
    expect(lender.ask(one, 1, asking(0), 1_050)).toMatchObject({ kind: "lent", restMs: 150 });
  });

  it("lets an address rest for no longer than its clock can ask for, whatever a borrower says", () => {
    const lender = newLender();
    lender.adopt(one, 1, address, 0);
    lender.giveBack(one, 2, { address, restMs: 86_400_000 }, 10);
    const restMs = defaultLendingOptions.addressDelayMs;
    expect(lender.ask(other, 1, asking(0), 10)).toMatchObject({ kind: "lent", restMs });
  });

  it("lets an address rest behind the request of a second member that had it", () => {
    const lender = newLender();
    lender.adopt(one, 1, address, 0);
    lender.ask(other, 1, { ...asking(0), busy: true }, 10);
    lender.giveBack(other, 2, { address, restMs: 200 }, 20);
    lender.giveBack(one, 2, { address, restMs: 0 }, 30);
    expect(lender.ask(other, 3, asking(0), 40)).toMatchObject({ kind: "lent", restMs: 180 });
  });

  it("counts the slice of a former steward's borrower a little longer, as its own: clocks differ", () => {
    const lender = newLender();
    lender.inherit(address, { ...nothingLent, holder: one, heldMs: 5_000, unsureMs: 0 }, 10_000);
    expect(lender.handOver(address, 10_000).heldMs).toBeCloseTo(5_010);
  });

  it("tells the next steward of those whom the one before it knew beside the borrower", () => {
    const lender = newLender();
    const state = { holder: one, sequence: 1, heldMs: 5_000, restMs: 0, unsureMs: 60_000 };
    lender.inherit(address, state, 10_000);
    expect(lender.handOver(address, 11_000)).toMatchObject({ holder: one, unsureMs: 59_000 });
  });

  it("calls again for what a second member has, when the first one has it no more", () => {
    const next: Borrower = { member: "next" as MemberId, generation: 1 };
    const lender = newLender();
    lender.adopt(one, 1, address, 10_000);
    lender.ask(other, 1, asking(30_000), 10_010);
    lender.takeCalls();
    lender.giveBack(one, 2, { address, restMs: 0 }, 10_020);
    lender.ask(next, 1, asking(0), 10_030);
    const recall = { kind: "recall", member: other.member, address };
    expect(lender.takeCalls()).toContainEqual(recall);
  });

  it("takes no older word of a second member for the present state", () => {
    const lender = newLender();
    lender.adopt(one, 1, address, 10_000);
    lender.ask(other, 7, { ...asking(0), busy: true }, 10_010);
    lender.ask(other, 5, { ...asking(0), busy: true }, 10_020);
    lender.giveBack(other, 6, { address, restMs: 0 }, 10_030);
    lender.giveBack(one, 2, { address, restMs: 0 }, 10_040);
    expect(lender.handOver(address, 10_050)).toMatchObject({ holder: other, sequence: 7 });
  });

  it("believes a second member no more addresses than it lends to one", () => {
    const options = { ...defaultLendingOptions, loansPerMemberMax: 1 };
    const lender = new AddressLender(options, view);
    const addresses = [address, "192.0.2.2" as IpAddress];
    const owners = addresses.map((_, at) => ({ member: `owner ${at}` as MemberId, generation: 1 }));
    const holders = addresses.map((lent, at) => {
      const owner = owners[at] ?? one;
      lender.adopt(owner, 1, lent, 0);
      lender.ask(other, 1, { ...asking(0), address: lent, busy: true }, 10);
      lender.giveBack(owner, 2, { address: lent, restMs: 0 }, 20);
      return lender.handOver(lent, 30).holder;
    });
    expect(holders).toEqual([other, undefined]);
  });

  it("waits for the word of others where it may have been taken for dead, and for the steward before it too", () => {
    const former = { member: "former" as MemberId, untilMs: 10_900 };
    for (const before of [undefined, former]) {
      const missed = { missedUntilMs: () => 11_000, predecessorOf: () => before };
      const lender = new AddressLender(defaultLendingOptions, { ...view, ...missed });
      expect(lender.ask(one, 1, asking(0), 11_000).kind).toBe("later");
      const inquiry = { kind: "inquire", member: former.member, address };
      expect(lender.takeCalls()).toEqual(before ? [inquiry] : []);
      if (before) lender.inherit(address, { ...nothingLent, unsureMs: 0 }, 11_100);
      expect(lender.handOver("192.0.2.2" as IpAddress, 11_500).unsureMs).toBe(2_750);
      expect(lender.ask(one, 2, asking(0), 14_249).kind).toBe("later");
      expect(lender.ask(one, 3, asking(0), 14_250).kind).toBe("lent");
    }
  });

  it("lends nothing that another steward has taken over, though it may have been taken for dead since", () => {
    const missed = { missedUntilMs: () => 1_000 };
    const lender = new AddressLender(defaultLendingOptions, { ...view, ...missed });
    lender.handOver(address, 500);
    expect(lender.ask(one, 1, asking(0), 5_000).kind).toBe("later");
  });

  it("waits for the open request of a loan that another steward has lent on since", () => {
    const lender = newLender();
    lender.ask(one, 1, asking(0), 0);
    lender.ask(other, 1, asking(0), 100_000);
    lender.ask(one, 5, { ...asking(0), busy: true }, 100_100);
    // What it gave back in between comes late.
    lender.giveBack(one, 3, { address, restMs: 0 }, 100_200);
    for (let nowMs = 104_000; nowMs < 160_000; nowMs += 4_000) {
      expect(lender.ask(other, nowMs, asking(0), nowMs).kind).toBe("later");
    }
    lender.giveBack(one, 6, { address, restMs: 0 }, 160_000);
    expect(lender.ask(other, 160_000, asking(0), 160_000).kind).toBe("lent");
  });

  it("lends what a steward had that runs no more only when whoever asked it last has told of it, or has rested", () => {
    const options = { ...defaultLendingOptions, addressDelayMs: 60_000 };
    const predecessorOf = () => ({ member: undefined, untilMs: 10_000 });
    const lender = new AddressLender(options, { ...view, predecessorOf });
    expect(lender.ask(one, 1, asking(0), 14_000).kind).toBe("later");
    const restedAtMs = 10_000 + options.registerMs + options.addressDelayMs;
    expect(lender.ask(one, 2, asking(0), restedAtMs).kind).toBe("lent");
  });

  it("lends what a member had that runs no more only after a full delay", () => {
    const running = new Set([one.member, other.member]);
    const lender = new AddressLender(defaultLendingOptions, {
      ...view,
      isRunning: ({ member }) => running.has(member),
    });
    lender.adopt(one, 1, address, 0);
    // It may have sent a request just before its end.
    running.delete(one.member);
    const answer = lender.ask(other, 1, asking(0), 10_000);
    expect(answer).toMatchObject({ kind: "lent", restMs: defaultLendingOptions.addressDelayMs });
  });

  it("waits for the word of a later run of a member, which may have a request open", () => {
    const later: Borrower = { ...one, generation: 2 };
    const lender = new AddressLender(defaultLendingOptions, {
      ...view,
      isRunning: ({ member, generation }) => member !== one.member || generation === 2,
      isReplaced: ({ member, generation }) => member === one.member && generation < 2,
    });
    lender.adopt(one, 1, address, 0);
    lender.ask(other, 1, asking(0), 1_000);
    expect(lender.ask(other, 2, asking(0), 1_500).kind).toBe("later");
    lender.ask(later, 2, { ...asking(0), busy: true }, 1_600);
    expect(lender.ask(other, 3, asking(0), 8_000).kind).toBe("later");
    lender.giveBack(later, 3, { address, restMs: 0 }, 8_100);
    expect(lender.ask(other, 4, asking(0), 8_200).kind).toBe("lent");
  });

  it("calls nothing back from a member that merely wants it", () => {
    const lender = newLender();
    lender.adopt(one, 1, address, 0);
    lender.ask(other, 1, asking(0), 10);
    const recalled = lender.takeCalls().filter(({ kind }) => kind === "recall");
    expect(recalled.map(({ member }) => member)).not.toContain(other.member);
  });
});
