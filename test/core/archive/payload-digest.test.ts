import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { payloadDigestText } from "../../../src/core/archive/payload-digest.ts";

describe("payloadDigestText", () => {
  test.each([
    ["", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"],
    ["hello world", "sha1:FKXGYNOJJ7H3IFO35FPUBC445EPOQRXN"],
  ])("writes the digest of %j as the field's tools do", (text, digest) => {
    expect(payloadDigestText(createHash("sha1").update(text).digest())).toBe(digest);
  });

  test("refuses what is no SHA-1", () => {
    expect(() => payloadDigestText(new Uint8Array(19))).toThrow("not 19");
  });
});
