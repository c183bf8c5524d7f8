import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Member } from "../../../src/core/membership/member.ts";
import { MemberTable } from "../../../src/core/membership/member-table.ts";
import { sampleMember } from "./sample-member.ts";

const options = { membersMax: 3, retentionMs: 1_000 };
const named = (name: string, change: Partial<Member> = {}) =>
  sampleMember({ id: name as Member["id"], ...change });

describe("MemberTable", () => {
  it("tells what changed, and nothing for what it knew", () => {
    const table = new MemberTable(options);
    const [first, suspect] = [named("a"), named("a", { health: "suspect" })];
    expect(table.merge(first, 0)).toEqual({ member: first, before: undefined });
    expect(table.merge(suspect, 0)).toEqual({ member: suspect, before: first });
    const ids = table.presentIds();
    expect(table.merge(first, 0)).toBeUndefined();
    expect(table.merge(structuredClone(suspect), 0)).toBeUndefined();
    expect(table.presentIds()).toBe(ids);
  });

  it("has one hash for the same rows, whatever the order of the claims", () => {
    const health = fc.constantFrom("alive" as const, "suspect" as const);
    const claim = fc
      .record({
        id: fc.constantFrom("a", "b", "c"),
        incarnation: fc.nat(3),
        health,
      })
      .map(({ id, ...change }) => named(id, change));
    fc.assert(
      fc.property(fc.array(claim, { maxLength: 12 }), (claims) => {
        const [one, other] = [new MemberTable(options), new MemberTable(options)];
        for (const each of claims) one.merge(each, 0);
        for (const each of claims.toReversed()) other.merge(each, 0);
        expect(one.hash).toBe(other.hash);
        expect(new Set(one.members())).toEqual(new Set(other.members()));
      }),
    );
  });

  it("has another hash after each change, and the first one again without the member", () => {
    const table = new MemberTable(options);
    const hashes = [table.hash];
    for (const change of [{}, { health: "suspect" as const }, { incarnation: 2 }]) {
      table.merge(named("a", change), 0);
      hashes.push(table.hash);
    }
    expect(new Set(hashes).size).toBe(4);
    table.merge(named("a", { incarnation: 2, health: "dead" }), 0);
    expect(table.hash).toBe(hashes[0]);
  });

  it.each<Partial<Member>>([
    { generation: 2_000, incarnation: 1 },
    { incarnation: 2 },
    { health: "suspect" },
    { role: "leaving" },
    { weight: 2 },
    { version: "1.0.1" },
    { addresses: [] },
  ])("has another hash than one that knows %j of a member", (change) => {
    const [one, other] = [new MemberTable(options), new MemberTable(options)];
    one.merge(named("a"), 0);
    other.merge(named("a", change), 0);
    expect(one.hash).not.toBe(other.hash);
  });

  it("has another hash than one that knows the same of somebody else", () => {
    const hashes = [["a"], ["b"], ["a", "b"], []].map((names) => {
      const table = new MemberTable(options);
      for (const name of names) table.merge(named(name), 0);
      return table.hash;
    });
    expect(new Set(hashes).size).toBe(4);
  });

  it("remembers the dead, so that an old claim cannot bring them back, until it forgets them", () => {
    const table = new MemberTable(options);
    table.merge(named("a"), 0);
    table.merge(named("a", { health: "dead" }), 500);
    expect(table.merge(named("a"), 600)).toBeUndefined();
    expect([table.forget(1_499), table.size, table.presentCount]).toEqual([0, 1, 0]);
    expect([table.forget(1_500), table.size]).toEqual([1, 0]);
    expect(table.lostIds()).toEqual([]);
  });

  it("tells those that went without a word from those that left", () => {
    const table = new MemberTable(options);
    for (const name of ["a", "b", "c"]) table.merge(named(name), 0);
    table.merge(named("a", { role: "left" }), 1);
    expect([table.lostIds(), table.hasLostAny]).toEqual([[], false]);
    table.merge(named("b", { health: "dead" }), 2);
    expect([table.lostIds(), table.hasLostAny]).toEqual([["b"], true]);
  });

  it("counts who has come back among those that are there, and does not forget it", () => {
    const table = new MemberTable(options);
    table.merge(named("a"), 0);
    table.merge(named("a", { health: "dead" }), 0);
    expect([table.presentCount, table.presentIds()]).toEqual([0, []]);
    table.merge(named("a", { incarnation: 2 }), 1);
    expect([table.presentCount, table.presentIds()]).toEqual([1, ["a"]]);
    expect([table.forget(5_000), table.size]).toEqual([0, 1]);
  });

  it("knows that some are lost whom it has forgotten, until all that it knows of are back", () => {
    const table = new MemberTable(options);
    const lose = (name: string, change: Partial<Member>): void => {
      table.merge(named(name), 0);
      table.merge(named(name, change), 0);
      table.forget(1_000);
    };
    lose("left", { role: "left" });
    expect(table.hasLostAny).toBe(false);
    for (const name of ["a", "b", "c", "d"]) lose(name, { health: "dead" });
    expect([table.size, table.hasLostAny]).toEqual([0, true]);
    const back = ["b", "c", "d"].map((name) => {
      table.merge(named(name, { incarnation: 2 }), 2_000);
      return table.hasLostAny;
    });
    expect(back).toEqual([true, true, false]);
  });

  it("learns of who is lost where that is wanted, and of none that has left", () => {
    const table = new MemberTable(options);
    expect(table.merge(named("a", { health: "dead", role: "left" }), 0, true)).toBeUndefined();
    expect(table.merge(named("b", { health: "dead" }), 0, true)).toBeDefined();
    expect(table.lostIds()).toEqual(["b"]);
  });

  it("does not learn of a member by its death", () => {
    const table = new MemberTable(options);
    expect(table.merge(named("a", { health: "dead" }), 0)).toBeUndefined();
    expect(table.merge(named("a", { role: "left" }), 0)).toBeUndefined();
    expect(table.size).toBe(0);
  });

  it("keeps to its bound: the longest gone make room, and nobody who is there", () => {
    const table = new MemberTable(options);
    for (const name of ["a", "b", "c"]) table.merge(named(name), 0);
    expect(table.merge(named("d"), 0)).toBeUndefined();
    table.merge(named("c", { health: "dead" }), 1);
    table.merge(named("a", { health: "dead" }), 2);
    expect(table.merge(named("d"), 3)).toBeDefined();
    expect(table.members().map(({ id }) => id)).toEqual(["a", "b", "d"]);
    expect(table.presentIds()).toEqual(["b", "d"]);
  });
});
