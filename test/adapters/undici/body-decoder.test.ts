import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { BodyDecoder, type DecodeResult } from "../../../src/adapters/undici/body-decoder.ts";
import { parseContentEncoding } from "../../../src/core/net/content-coding.ts";

const mebibyte = 1024 * 1024;

function decoded(encoded: Buffer): Promise<DecodeResult> {
  const { promise, resolve } = Promise.withResolvers<DecodeResult>();
  const limits = { bodyBytesMax: 4 * mebibyte, compressionRatioMax: 100 };
  const sink = { onOutput: () => undefined, onDone: resolve };
  const decoder = new BodyDecoder(parseContentEncoding("gzip") ?? [], limits, false, sink);
  decoder.write(encoded);
  decoder.end();
  return promise;
}

describe("BodyDecoder", () => {
  it("takes for a bomb only what becomes more than a megabyte", async () => {
    expect((await decoded(gzipSync(Buffer.alloc(mebibyte)))).kind).toBe("decoded");
    expect((await decoded(gzipSync(Buffer.alloc(mebibyte + 1)))).kind).toBe("bomb");
  });

  it("gives up on a gzip head that has no end", async () => {
    const head = Buffer.of(0x1f, 0x8b, 8, 0x08, 0, 0, 0, 0, 0, 3);
    const named = (bytes: number): Buffer => Buffer.concat([head, Buffer.alloc(bytes, "n")]);
    const early = await decoded(named(100_000));
    expect(early).toMatchObject({ kind: "bad", endsEarly: true });
    const late = await decoded(named(200_000));
    expect(late).toMatchObject({ kind: "bad", endsEarly: false });
  });
});
