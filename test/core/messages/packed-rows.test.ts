import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvariantError } from "../../../src/core/errors.ts";
import { packRows, unpackRows } from "../../../src/core/messages/packed-rows.ts";
import { rows } from "./arbitrary.ts";

describe("packed rows", () => {
  it("come out as they went in, and no more of them than there may be", () => {
    fc.assert(
      fc.property(rows, (sent) => {
        const packed = packRows(sent);
        expect(unpackRows(packed, sent.length)).toEqual(sent);
        if (sent.length > 0) expect(unpackRows(packed, sent.length - 1)).toBeUndefined();
      }),
    );
  });

  it("are refused when they are cut off anywhere but between two of them", () => {
    fc.assert(
      fc.property(rows, fc.nat(), (sent, cut) => {
        const packed = packRows(sent);
        const length = packed.length === 0 ? 0 : cut % packed.length;
        const whole = sent.findIndex((_, at) => packRows(sent.slice(0, at)).length === length);
        const read = unpackRows(packed.subarray(0, length), sent.length);
        expect(read).toEqual(whole === -1 && length > 0 ? undefined : sent.slice(0, whole));
      }),
    );
  });

  it("are refused when they say that they are longer than there are bytes", () => {
    const packed = packRows([{ key: new Uint8Array(29).fill(0x75), value: new Uint8Array(3) }]);
    expect(unpackRows(packed, 1)).toHaveLength(1);
    for (const at of [0, 1, 4]) {
      const wrong = new Uint8Array(packed);
      wrong[at] = 0xff;
      expect(unpackRows(wrong, 1)).toBeUndefined();
    }
  });

  it("have no keys that their length could not tell", () => {
    expect(() => packRows([{ key: new Uint8Array(256) }])).toThrow(InvariantError);
  });
});
