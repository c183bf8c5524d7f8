import { describe, expect, it } from "vitest";
import { Rounds } from "../../src/core/rounds.ts";

describe("Rounds", () => {
  it("deals out everything round after round, and nothing twice in one turn", () => {
    const rounds = new Rounds(() => [1, 2, 3, 4, 5].values());
    expect([rounds.next(3), rounds.next(3), rounds.next(3)]).toEqual([
      [1, 2, 3],
      [4, 5, 1],
      [2, 3, 4],
    ]);
    expect(rounds.next(9)).toEqual([5, 1, 2, 3, 4]);
    expect(rounds.next(9).toSorted()).toEqual([1, 2, 3, 4, 5]);
  });

  it("deals out what has come meanwhile, and not what has gone", () => {
    const all = new Set([1, 2, 3]);
    const rounds = new Rounds(() => all.values());
    expect(rounds.next(1)).toEqual([1]);
    all.add(4).delete(2);
    expect(rounds.next(2)).toEqual([3, 4]);
  });

  it("has nothing of nothing, until there is something", () => {
    const all = new Set<number>();
    const rounds = new Rounds(() => all.values());
    expect(rounds.next(2)).toEqual([]);
    all.add(1);
    expect(rounds.next(2)).toEqual([1]);
  });
});
