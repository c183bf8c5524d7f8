import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BodyBudget } from "../../../src/peer/fetching/body-budget.ts";

const bodyBytesMax = 10;
/** Half of it is for all, and the other has room for two bodies in both forms. */
const options = { bytesMax: 80, smallBytesMax: 3 };

interface Counting {
  readonly budget: BodyBudget;
  /** Times that a body had to wait. */
  readonly waits: () => number;
}

function newBudget(changes: Partial<typeof options> = {}): Counting {
  let waits = 0;
  const budget = new BodyBudget({ ...options, ...changes }, bodyBytesMax, () => (waits += 1));
  return { budget, waits: () => waits };
}

type Account = ReturnType<BodyBudget["open"]>;

function taking(budget: BodyBudget, bytes: number): Account {
  const account = budget.open();
  account.take(bytes);
  return account;
}

describe("BodyBudget", () => {
  it("does not count a small body, and all of one that has become long", () => {
    const { budget } = newBudget();
    const account = budget.open();
    expect(account.take(3)).toBe(true);
    expect(budget.bytes).toBe(0);
    account.take(1);
    expect(budget.bytes).toBe(4);
    account.giveBack(2);
    expect(budget.bytes).toBe(2);
    account.close();
    account.close();
    expect(budget.bytes).toBe(0);
  });

  it("lets small bodies come where there is no room, and the two oldest of the long ones", () => {
    const { budget } = newBudget();
    const [first, second] = [taking(budget, 20), taking(budget, 4)];
    const third = taking(budget, 20);
    expect(third.take(1)).toBe(false);
    expect(budget.open().take(3)).toBe(true);
    expect([first.take(1), second.take(1), third.take(1)]).toEqual([true, true, false]);
  });

  it("has whoever waits go on when there is room, once", () => {
    const { budget, waits } = newBudget();
    taking(budget, 4);
    const [second, third] = [taking(budget, 20), taking(budget, 20)];
    const gone: string[] = [];
    third.whenRoom(() => gone.push("third"));
    expect(waits()).toBe(1);
    second.giveBack(4);
    expect(gone).toEqual([]);
    second.giveBack(1);
    second.giveBack(1);
    expect(gone).toEqual(["third"]);
  });

  it("gives the place of one that is closed, and never waited, to the oldest of the others", () => {
    const { budget } = newBudget();
    const small = taking(budget, 4);
    taking(budget, 60);
    const gone: string[] = [];
    const [third, fourth] = [taking(budget, 20), taking(budget, 20)];
    fourth.whenRoom(() => gone.push("fourth"));
    third.whenRoom(() => gone.push("third"));
    small.close();
    expect(gone).toEqual(["third"]);
    expect(budget.open().take(20)).toBe(false);
    expect([third.take(1), fourth.take(1)]).toEqual([true, false]);
  });

  it("does not have one go on that is closed", () => {
    const { budget } = newBudget();
    const others = [taking(budget, 60), taking(budget, 60)];
    const closed = taking(budget, 20);
    const gone: string[] = [];
    closed.whenRoom(() => gone.push("closed"));
    closed.close();
    for (const other of others) other.close();
    expect(gone).toEqual([]);
    expect(budget.bytes).toBe(0);
  });

  it("gives a place that is left to the oldest of those that wait, and no place that was not had", () => {
    const { budget } = newBudget();
    // Nobody was there to take its place.
    taking(budget, 20).close();
    const [first, second] = [taking(budget, 20), taking(budget, 60)];
    const [third, fourth, fifth] = [taking(budget, 4), taking(budget, 4), taking(budget, 4)];
    third.close();
    expect([fourth.take(1), fifth.take(1)]).toEqual([false, false]);
    const gone: string[] = [];
    fourth.whenRoom(() => gone.push("fourth"));
    fifth.whenRoom(() => gone.push("fifth"));
    first.close();
    expect(fourth.take(40)).toBe(true);
    expect(gone).toEqual(["fourth"]);
    second.close();
    expect(gone).toEqual(["fourth", "fifth"]);
    fourth.close();
    expect(gone).toEqual(["fourth", "fifth"]);
  });

  it("has room for one body at least, however small it is", () => {
    const { budget } = newBudget({ bytesMax: 8 });
    const first = taking(budget, 19);
    const second = taking(budget, 4);
    expect([first.take(1), second.take(1)]).toEqual([true, false]);
  });

  it("stays within its bound and brings every body to its end, in whatever order they come", () => {
    const bodies = fc.array(fc.integer({ min: 1, max: 2 * bodyBytesMax }), { maxLength: 40 });
    const turns = fc.infiniteStream(fc.nat());
    const rule = fc.property(bodies, turns, (lengths, picks) => {
      const { budget } = newBudget();
      const open = lengths.map((length) => ({
        left: length,
        waits: false,
        account: budget.open(),
      }));
      for (const pick of picks) {
        if (open.length === 0) break;
        const ready = open.filter(({ waits }) => !waits);
        const body = ready[pick % ready.length];
        if (body === undefined) throw new Error("all wait for one another");
        if (body.left === 0) {
          open.splice(open.indexOf(body), 1);
          body.account.close();
          continue;
        }
        body.left -= 1;
        body.waits = !body.account.take(1);
        if (body.waits) body.account.whenRoom(() => (body.waits = false));
        // One that becomes long adds what it had.
        expect(budget.bytes).toBeLessThanOrEqual(80 + lengths.length * 4);
      }
      expect(budget.bytes).toBe(0);
    });
    fc.assert(rule, { numRuns: 200 });
  });
});
