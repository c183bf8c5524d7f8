import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { BodyDecoder, type DecodeResult } from "../../../src/adapters/undici/body-decoder.ts";
import { parseContentEncoding } from "../../../src/core/net/content-coding.ts";

const mebibyte = 1024 * 1024;
const limits = { bodyBytesMax: 4 * mebibyte, compressionRatioMax: 100 };

interface Decoding {
  readonly decoder: BodyDecoder;
  readonly result: Promise<DecodeResult>;
}

function begun(coding: string, within = limits): Decoding {
  const { promise, resolve } = Promise.withResolvers<DecodeResult>();
  const sink = { onOutput: () => undefined, onDone: resolve };
  const decoder = new BodyDecoder(parseContentEncoding(coding) ?? [], within, false, sink);
  return { decoder, result: promise };
}

function decoded(
  chunks: readonly Buffer[],
  coding = "gzip",
  within = limits,
): Promise<DecodeResult> {
  const { decoder, result } = begun(coding, within);
  for (const chunk of chunks) decoder.write(chunk);
  decoder.end();
  return result;
}

/** The bytes in chunks of one. */
function oneByOne(bytes: Buffer): Buffer[] {
  return Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
}

const head = Buffer.of(0x1f, 0x8b, 8, 0x08, 0, 0, 0, 0, 0, 3);
const named = (bytes: number): Buffer => Buffer.concat([head, Buffer.alloc(bytes, "n")]);
/** Longer, coded too, than what tells a coding. */
const one = Buffer.from(Array.from({ length: 400 }, (_, at) => (at * at * 7_919) >> 5));
const other = Buffer.from("It was a dark and stormy night.");

describe("BodyDecoder", () => {
  it("takes for a bomb only what becomes more than a megabyte", async () => {
    expect((await decoded([gzipSync(Buffer.alloc(mebibyte))])).kind).toBe("decoded");
    expect((await decoded([gzipSync(Buffer.alloc(mebibyte + 1))])).kind).toBe("bomb");
  });

  it("gives up on a gzip head that has no end", async () => {
    const early = await decoded([named(100_000)]);
    expect(early).toMatchObject({ kind: "bad", endsEarly: true });
    const late = await decoded([named(200_000)]);
    expect(late).toMatchObject({ kind: "bad", endsEarly: false });
  });

  it.each([
    ["gzip", Buffer.concat([named(9), Buffer.of(0), gzipSync(one).subarray(10), gzipSync(other)])],
    ["zstd", Buffer.concat([zstdCompressSync(one), zstdCompressSync(other)])],
    ["gzip, zstd", zstdCompressSync(Buffer.concat([gzipSync(one), gzipSync(other)]))],
  ])("decodes %s in two parts that comes byte by byte", async (coding, encoded) => {
    const body = Uint8Array.from(Buffer.concat([one, other]));
    expect(await decoded(oneByOne(encoded), coding)).toEqual({ kind: "decoded", body });
  });

  it.each([other, one])(
    "takes off one coding where two are named, however short a body",
    async (whole) => {
      const body = Uint8Array.from(whole);
      expect(await decoded([gzipSync(whole)], "gzip, gzip")).toEqual({ kind: "decoded", body });
    },
  );

  it("passes over all that stands behind a gzip member, be it another one in the end", async () => {
    const chunks = [gzipSync(one), Buffer.from("<!-- made in 3 ms -->"), gzipSync(other)];
    const body = Uint8Array.from(one);
    expect(await decoded(chunks)).toEqual({ kind: "decoded", body });
  });

  it("gives up on zstd in very many frames", async () => {
    const encoded = Buffer.concat(Array<Buffer>(5_000).fill(zstdCompressSync("")));
    expect(await decoded([encoded], "zstd")).toMatchObject({ kind: "bad", endsEarly: false });
  });

  it("cuts what is longer than a body may be, and nothing else", async () => {
    const body = Uint8Array.from(one);
    const bodyBytesMax = one.length;
    expect(await decoded([one], "", { ...limits, bodyBytesMax })).toEqual({
      kind: "decoded",
      body,
    });
    const cut = { at: bodyBytesMax, mark: "length" };
    const result = await decoded([one, other], "", { ...limits, bodyBytesMax });
    expect(result).toEqual({ kind: "decoded", body, cut });
  });

  it("goes on that was told to wait before anything came", async () => {
    const { decoder, result } = begun("gzip");
    decoder.pause();
    decoder.resume();
    decoder.write(gzipSync(one));
    decoder.end();
    expect((await result).kind).toBe("decoded");
  });
});
