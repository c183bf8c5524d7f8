import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { inflatedFile } from "../../../src/adapters/parser-pool/inflated-file.ts";

const text = "<urlset>".repeat(1_000);
const file = gzipSync(text);

const textOf = (body: Uint8Array): string => Buffer.from(inflatedFile(body)).toString();

describe("a gzip file", () => {
  it.each(["", "\n", "\r\n", "\0\0\0", "<!-- 0.1 s -->", "\x1f\x8b", "\x1f"])(
    "is read up to its end, whatever follows (%j)",
    (rest) => {
      expect(textOf(Buffer.concat([file, Buffer.from(rest, "latin1")]))).toBe(text);
    },
  );

  it("may have several members", () => {
    expect(textOf(Buffer.concat([file, gzipSync(""), gzipSync("</urlset>")]))).toBe(
      `${text}</urlset>`,
    );
  });

  it("is read as far as it goes where it was cut", () => {
    for (let length = 2; length < file.length; length++) {
      expect(text.startsWith(textOf(file.subarray(0, length)))).toBe(true);
    }
    expect(textOf(file.subarray(0, -8))).toBe(text);
  });

  it("is left as it is where it is broken, too large, or none", () => {
    const broken = Buffer.from(file);
    broken[broken.length - 8] = (broken.at(-8) ?? 0) ^ 1;
    const large = gzipSync(Buffer.alloc(50 * 1_024 * 1_024 + 1));
    for (const body of [broken, large, Buffer.from("<urlset>"), new Uint8Array()]) {
      expect(inflatedFile(body)).toBe(body);
    }
    const twice = Buffer.concat([gzipSync(Buffer.alloc(50 * 1_024 * 1_024)), file]);
    expect(inflatedFile(twice)).toBe(twice);
  });
});
