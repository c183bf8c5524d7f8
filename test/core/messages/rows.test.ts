import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeRows, encodeRows } from "../../../src/core/messages/rows.ts";
import { payloadBytesMax } from "../../../src/core/messages/read-payload.ts";
import { namedKey } from "../../../src/core/record/named-keys.ts";
import { urlKey } from "../../../src/core/record/url-keys.ts";
import { generations, moments, rows } from "./arbitrary.ts";
import { expectSafe } from "./hostile.ts";

const messages = fc.record({ generation: generations, nowMs: moments, rows });
const key = urlKey("url", 7n, Uint32Array.of(1, 2, 3, 4), 0, 5);

describe("rows for a copy", () => {
  it("arrive as they were sent: with a value, with an empty one, or with none", () => {
    fc.assert(
      fc.property(messages, (message) => {
        expect(decodeRows(encodeRows(message))).toEqual(message);
      }),
    );
    const sent = { generation: 1, nowMs: 2, rows: [{ key, value: new Uint8Array(0) }, { key }] };
    expect(decodeRows(encodeRows(sent))).toEqual(sent);
  });

  it("are safe to receive from a stranger", () => {
    expectSafe(messages.map(encodeRows), decodeRows, encodeRows);
  });

  it("are refused when a key belongs to no site, or has another length than its kind", () => {
    for (const wrong of [namedKey("job", "j"), key.slice(1), key.slice(0, 28), new Uint8Array(0)]) {
      const rows = [{ key }, { key: wrong }];
      expect(decodeRows(encodeRows({ generation: 1, nowMs: 2, rows }))).toBeUndefined();
    }
  });

  it("are refused with a clock that is none", () => {
    for (const nowMs of [NaN, Infinity, -1]) {
      expect(decodeRows(encodeRows({ generation: 1, nowMs, rows: [] }))).toBeUndefined();
    }
  });

  it("are refused when they are too much", () => {
    const of = (length: number) =>
      encodeRows({ generation: 1, nowMs: 2, rows: [{ key, value: new Uint8Array(length) }] });
    expect(decodeRows(of(payloadBytesMax - 100))?.rows).toHaveLength(1);
    expect(decodeRows(of(payloadBytesMax))).toBeUndefined();
  });
});
