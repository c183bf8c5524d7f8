import { describe, expect, it } from "vitest";
import { Contacts } from "../../../src/core/membership/contacts.ts";
import { memberId } from "./virtual-swarm.ts";

const [one, two, three] = [memberId(1), memberId(2), memberId(3)];

/** Who is asked until then, and when. */
function askedUntil(contacts: Contacts, untilMs: number) {
  const asked: (readonly [number, string | undefined])[] = [];
  while (contacts.nextAtMs <= untilMs) {
    const { nextAtMs } = contacts;
    asked.push([nextAtMs, contacts.next(nextAtMs)]);
  }
  return asked;
}

describe("contacts", () => {
  it("are asked one a second, again and again, the latest first", () => {
    const contacts = new Contacts();
    contacts.add([one, two], 0);
    expect(contacts.next(0)).toBe(one);
    contacts.add([three], 10);
    expect(contacts.next(10)).toBeUndefined();
    expect(askedUntil(contacts, 4_000)).toEqual([
      [1_000, three],
      [2_000, two],
      [3_000, one],
      [4_000, three],
    ]);
  });

  it("are asked at once where another one knew of no swarm, but each once", () => {
    const contacts = new Contacts();
    contacts.add([one, two], 0);
    contacts.next(0);
    contacts.knewNone(one, 10);
    expect(askedUntil(contacts, 10)).toEqual([[10, two]]);
    contacts.knewNone(two, 20);
    expect(askedUntil(contacts, 2_010)).toEqual([
      [1_010, one],
      [2_010, two],
    ]);
  });

  it("are not asked again at once where they have not answered", () => {
    const contacts = new Contacts();
    contacts.add([one, two], 0);
    contacts.next(0);
    contacts.next(1_000);
    contacts.knewNone(two, 1_010);
    expect(askedUntil(contacts, 2_000)).toEqual([[2_000, one]]);
  });

  it("are asked in turn, however often they are named", () => {
    const contacts = new Contacts();
    contacts.add([one, two], 0);
    contacts.add([two], 0);
    const asked = askedUntil(contacts, 3_000).map(([, id]) => id);
    expect(asked).toEqual([two, one, two, one]);
  });

  it("need not be asked at once who have said unasked that they know of no swarm", () => {
    const contacts = new Contacts();
    contacts.knewNone(three, 5);
    expect(askedUntil(contacts, 2_005)).toEqual([
      [1_005, three],
      [2_005, three],
    ]);
    contacts.add([one], 2_010);
    contacts.knewNone(one, 2_020);
    expect(askedUntil(contacts, 3_005)).toEqual([[3_005, one]]);
  });

  it("are not asked sooner since they show up again", () => {
    const contacts = new Contacts();
    contacts.meet(one, 0);
    contacts.meet(two, 0);
    expect(contacts.next(0)).toBe(two);
    contacts.meet(two, 10);
    expect(askedUntil(contacts, 1_000)).toEqual([[1_000, one]]);
  });

  it("are as many as are remembered, whoever shows up", () => {
    const contacts = new Contacts();
    const met = new Contacts();
    for (let number = 0; number < 40; number += 1) {
      contacts.knewNone(memberId(number), 0);
      met.meet(memberId(number), 0);
    }
    for (const each of [contacts, met]) {
      const asked = askedUntil(each, 40_000).map(([, id]) => id);
      expect(new Set(asked).size).toBe(16);
    }
  });

  it("are nobody where there are none, and once they are forgotten", () => {
    const contacts = new Contacts();
    contacts.add([], 0);
    expect([contacts.nextAtMs, contacts.isEmpty]).toEqual([Infinity, true]);
    contacts.add([one], 0);
    expect([contacts.nextAtMs, contacts.isEmpty]).toEqual([0, false]);
    contacts.clear();
    expect([contacts.nextAtMs, contacts.isEmpty]).toEqual([Infinity, true]);
  });

  it("are put off together", () => {
    const contacts = new Contacts();
    contacts.add([one], 0);
    contacts.shift(300);
    expect(askedUntil(contacts, 1_300)).toEqual([
      [300, one],
      [1_300, one],
    ]);
  });
});
