import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differenceBetween, encodeHello, readHello } from "../../../src/adapters/libp2p/hello.ts";

const hello = { version: 1, swarm: "web", fingerprint: "0a1b", instance: "ff00" };
const encoded = (data: unknown): Uint8Array => Buffer.from(JSON.stringify(data));

describe("a hello", () => {
  it("is read as it was written, and without what does not belong there", () => {
    expect(readHello(encodeHello(hello))).toEqual(hello);
    expect(readHello(encodeHello({ ...hello, refusal: "no" }))).toEqual({
      ...hello,
      refusal: "no",
    });
    expect(readHello(encoded({ ...hello, more: 1 }))).toEqual(hello);
  });

  it.each([
    ["no JSON", Buffer.from("{")],
    ["no text", Uint8Array.of(0xff)],
    ["no object", encoded(null)],
    ["no version", encoded({ ...hello, version: undefined })],
    ["a version and a half", encoded({ ...hello, version: 1.5 })],
    ["a swarm in capitals", encoded({ ...hello, swarm: "WEB" })],
    ["a swarm of 65 characters", encoded({ ...hello, swarm: "a".repeat(65) })],
    ["a fingerprint that is none", encoded({ ...hello, fingerprint: "xyz" })],
    ["an instance that is none", encoded({ ...hello, instance: 7 })],
    ["a refusal of two lines", encoded({ ...hello, refusal: "a\nb" })],
    ["more than a kilobyte", encoded({ ...hello, more: "x".repeat(1_024) })],
  ])("is none with %s", (_, bytes) => {
    expect(readHello(bytes)).toBeUndefined();
  });

  it("is never read with an error", () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => readHello(bytes) === undefined));
    fc.assert(fc.property(fc.json(), (text) => readHello(Buffer.from(text)) === undefined));
  });

  it("says in what two members differ, the version first", () => {
    expect(differenceBetween(hello, { ...hello, instance: "00" })).toBeUndefined();
    const stranger = { ...hello, version: 2, swarm: "other", fingerprint: "cd" };
    expect(differenceBetween(hello, stranger)).toContain("version 2");
    expect(differenceBetween(hello, { ...stranger, version: 1 })).toContain('"other"');
    expect(differenceBetween(hello, { ...hello, fingerprint: "cd" })).toContain("fingerprint cd");
  });
});
