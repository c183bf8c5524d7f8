import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { storedGzip } from "../../../src/adapters/parser-pool/stored-gzip.ts";

describe("a stored gzip member", () => {
  it("unzips to what went in", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        expect(new Uint8Array(gunzipSync(storedGzip(bytes)))).toEqual(bytes);
      }),
    );
  });

  it.each([0, 1, 65_535, 65_536, 200_000])("holds %i bytes", (length) => {
    const bytes = new Uint8Array(length).fill(7);
    expect(gunzipSync(storedGzip(bytes)).length).toBe(length);
  });

  it("is refused when a byte of it is damaged", () => {
    const member = storedGzip(new TextEncoder().encode("WARC/1.1"));
    member[17] = (member[17] ?? 0) ^ 1;
    expect(() => gunzipSync(member)).toThrow(/incorrect data check/);
  });
});
