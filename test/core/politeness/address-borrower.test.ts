import { describe, expect, it } from "vitest";
import { AddressBorrower, type AddressUse } from "../../../src/core/politeness/address-borrower.ts";
import { defaultLendingOptions } from "../../../src/core/politeness/address-loan.ts";
import type { IpAddress, MemberId } from "../../../src/core/units.ts";

const address = "192.0.2.1" as IpAddress;
const steward = "steward" as MemberId;

function borrowerOf(use: AddressUse): AddressBorrower {
  const events = { useOf: () => use, onSpan: () => undefined };
  return new AddressBorrower(defaultLendingOptions, events);
}

describe("AddressBorrower", () => {
  const idle = { busy: false, nextAtMs: 0, clockAtMs: 1_700 };

  it("counts a slice from when it asked, and the rest from when the answer came", () => {
    const borrower = borrowerOf(idle);
    borrower.want(address, 1_000);
    expect(borrower.due(1_000)).toMatchObject([{ kind: "ask", heldMs: 0, restMs: 700 }]);
    borrower.ask(address, steward, 1, 1_000);
    const answer = { kind: "lent", sliceMs: 2_000, restMs: 100, shared: true } as const;
    borrower.answered(address, 1, answer, { sentAtMs: 1_000, nowMs: 1_400 });
    expect(borrower.spanOf(address)).toEqual({ fromMs: 1_500, untilMs: 3_000, watched: true });
  });

  it("tells a new steward, and who takes the address back, of the rest with which it was lent", () => {
    const borrower = borrowerOf({ ...idle, clockAtMs: 0 });
    borrower.want(address, 1_000);
    borrower.due(1_000);
    borrower.ask(address, steward, 1, 1_000);
    const answer = { kind: "lent", sliceMs: 2_000, restMs: 240, shared: true } as const;
    borrower.answered(address, 1, answer, { sentAtMs: 1_000, nowMs: 1_000 });
    borrower.stewardsChanged(() => "other" as MemberId, 1_100);
    expect(borrower.due(1_100)).toMatchObject([{ kind: "ask", restMs: 140 }]);
    expect(borrower.recalled(address, 1_200)).toBe(40);
    expect(borrower.recalled(address, 1_300)).toBe(0);
  });

  it("takes no answer to a question behind which it gave the address back", () => {
    const borrower = borrowerOf(idle);
    borrower.want(address, 1_000);
    borrower.due(1_000);
    borrower.ask(address, steward, 1, 1_000);
    expect(borrower.recalled(address, 1_200)).toBe(500);
    const answer = { kind: "lent", sliceMs: 2_000, restMs: 0, shared: false } as const;
    borrower.answered(address, 1, answer, { sentAtMs: 1_000, nowMs: 1_400 });
    expect(borrower.spanOf(address).untilMs).toBeLessThanOrEqual(1_400);
  });

  it("asks anew for what it had on loan before it stood still, and takes no answer from before", () => {
    const borrower = borrowerOf(idle);
    borrower.adopt(address, steward, 40_000, 0);
    borrower.forfeit(1_000);
    expect(borrower.spanOf(address).untilMs).toBeLessThanOrEqual(1_000);
    expect(borrower.due(1_000)).toMatchObject([{ kind: "ask", heldMs: 0 }]);
    borrower.ask(address, steward, 1, 1_000);
    borrower.forfeit(1_100);
    const answer = { kind: "lent", sliceMs: 2_000, restMs: 0, shared: false } as const;
    borrower.answered(address, 1, answer, { sentAtMs: 1_000, nowMs: 1_200 });
    expect(borrower.spanOf(address).untilMs).toBeLessThanOrEqual(1_100);
  });

  it("gives back what is busy when its request has ended, and not before", () => {
    let busy = true;
    const events = { useOf: () => ({ ...idle, busy }), onSpan: () => undefined };
    const borrower = new AddressBorrower(defaultLendingOptions, events);
    borrower.adopt(address, steward, 40_000, 0);
    expect(borrower.recalled(address, 1_000)).toBeUndefined();
    expect(borrower.due(1_000)).toEqual([]);
    busy = false;
    borrower.ended(address, 1_500);
    expect(borrower.due(1_500)).toMatchObject([{ kind: "return", restMs: 200 }, { kind: "ask" }]);
  });

  it("gives back what a request is open to that it has no loan of any more, when that has ended", () => {
    let busy = true;
    const events = { useOf: () => ({ ...idle, busy }), onSpan: () => undefined };
    const borrower = new AddressBorrower(defaultLendingOptions, events);
    expect(borrower.recalled(address, 1_000)).toBeUndefined();
    expect(borrower.due(1_000)).toMatchObject([{ kind: "ask", heldMs: 0, busy: true }]);
    busy = false;
    borrower.ended(address, 1_500);
    expect(borrower.due(1_500)[0]).toMatchObject({ kind: "return", restMs: 200 });
  });

  it("gives a slice back at its end for which others wait, though a host is due on it still", () => {
    const borrower = borrowerOf(idle);
    borrower.want(address, 1_000);
    borrower.due(1_000);
    borrower.ask(address, steward, 1, 1_000);
    const answer = { kind: "lent", sliceMs: 2_000, restMs: 0, shared: true } as const;
    borrower.answered(address, 1, answer, { sentAtMs: 1_000, nowMs: 1_000 });
    expect(borrower.due(2_999)).toEqual([]);
    expect(borrower.due(3_000)).toMatchObject([{ kind: "return" }, { kind: "ask" }]);
  });

  it("asks again for what was recalled before its question was sent, whatever the answer", () => {
    const borrower = borrowerOf(idle);
    borrower.want(address, 1_000);
    expect(borrower.due(1_000)).toMatchObject([{ kind: "ask" }]);
    expect(borrower.recalled(address, 1_100)).toBe(600);
    borrower.ask(address, steward, 1, 1_200);
    const later = { kind: "later", afterMs: 4_000 } as const;
    borrower.answered(address, 1, later, { sentAtMs: 1_200, nowMs: 1_300 });
    expect(borrower.due(1_300)).toEqual([]);
    expect(borrower.due(5_300)).toMatchObject([{ kind: "ask" }]);
  });

  it("gives back what came to its end while a question was on its way, with the answer", () => {
    let busy = true;
    const events = {
      useOf: () => ({ ...idle, nextAtMs: undefined, busy }),
      onSpan: () => undefined,
    };
    const borrower = new AddressBorrower(defaultLendingOptions, events);
    borrower.adopt(address, steward, 40_000, 0);
    borrower.ask(address, steward, 1, 900);
    const shared = { kind: "lent", sliceMs: 2_000, restMs: 0, shared: true } as const;
    borrower.answered(address, 1, shared, { sentAtMs: -39_000, nowMs: 1_000 });
    borrower.ask(address, steward, 2, 40_000);
    busy = false;
    borrower.ended(address, 40_100);
    const later = { kind: "later", afterMs: 4_000 } as const;
    borrower.answered(address, 2, later, { sentAtMs: 40_000, nowMs: 40_100 });
    expect(borrower.due(40_100)).toMatchObject([{ kind: "return" }]);
    expect(borrower.size).toBe(0);
  });

  it("forgets an address that is neither lent nor wanted", () => {
    const events = { useOf: () => undefined, onSpan: () => undefined };
    const borrower = new AddressBorrower(defaultLendingOptions, events);
    borrower.want(address, 1_000);
    expect([borrower.due(1_000), borrower.size, borrower.nextWakeAtMs]).toEqual([[], 0, undefined]);
  });
});
