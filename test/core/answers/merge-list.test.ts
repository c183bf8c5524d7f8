import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeListKey,
  encodeListKey,
  firstListKey,
  keyBehind,
  listedTagOf,
  listedTags,
} from "../../../src/core/answers/list-key.ts";
import { mergeStretches, type ListStretch } from "../../../src/core/answers/merge-list.ts";

const key = (place: number): Uint8Array => Uint8Array.of(0x75, place);
const named = (place: number) => ({ url: `http://a.example/${place}`, key: key(place) });

/** What a member names that has these places, is asked from one of them on, and stops after so many. */
function stretchOf(places: ReadonlySet<number>, from: number, count: number): ListStretch {
  const left = [...places].filter((place) => place >= from).sort((a, b) => a - b);
  const next = left[count];
  const urls = left.slice(0, count).map(named);
  return next === undefined ? { urls } : { urls, reached: key(next) };
}

describe("a list of what several members have", () => {
  it("names each row once, in order, by whatever stretches it comes", () => {
    const member = fc.record({
      places: fc.uniqueArray(fc.nat(255)).map((places) => new Set(places)),
      count: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(member, { minLength: 1, maxLength: 4 }), (members) => {
        const listed: string[] = [];
        for (let from: number | undefined = 0; from !== undefined;) {
          const start = from;
          const stretch = mergeStretches(
            members.map(({ places, count }) => stretchOf(places, start, count)),
          );
          listed.push(...stretch.urls.map(({ url }) => url));
          from = stretch.reached?.[1];
          if (from !== undefined) expect(from).toBeGreaterThan(start);
        }
        const all = new Set(members.flatMap(({ places }) => [...places]));
        const wanted = [...all].sort((a, b) => a - b).map((place) => named(place).url);
        expect(listed).toEqual(wanted);
      }),
    );
  });
});

describe("a place in a list", () => {
  it("goes through the kinds of rows in the order in which a URL moves", () => {
    const tags = [];
    for (let at: Uint8Array | undefined = firstListKey; at;) {
      const tag = listedTagOf(at);
      tags.push(tag);
      at = tag && keyBehind(tag);
    }
    expect(tags).toEqual([...listedTags]);
  });

  it("comes back from its text, and nothing else does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 38 }), (rest) => {
        const bytes = Uint8Array.of(...firstListKey, ...rest);
        expect(decodeListKey(encodeListKey(bytes))).toEqual(bytes);
      }),
    );
    for (const text of ["", "7", "zz", "00", "6a6f62", `78${"00".repeat(40)}`, "78 00"]) {
      expect(decodeListKey(text), text).toBeUndefined();
    }
  });
});
