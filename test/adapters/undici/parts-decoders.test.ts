import { once } from "node:events";
import { promisify } from "node:util";
import { constants, createZstdCompress, gunzip, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createDecoder } from "../../../src/adapters/undici/content-coding.ts";

const MiB = 1024 * 1024;
const zeros = Buffer.alloc(8 * MiB);
const encodings = { gzip: gzipSync(zeros), zstd: zstdCompressSync(zeros) } as const;

describe.each(["gzip", "zstd"] as const)("the decoder of %s", (format) => {
  it("decodes no more than is read, whatever its input becomes", async () => {
    const decoder = createDecoder(format, false);
    decoder.pause();
    decoder.end(encodings[format]);
    // As much is decoded in the same threads meanwhile.
    for (let times = 0; times < 2; times += 1) await promisify(gunzip)(encodings.gzip);
    expect(decoder.readableLength).toBeLessThan(MiB);
    let bytes = 0;
    decoder.on("data", (data: Buffer) => (bytes += data.length));
    await once(decoder.resume(), "end");
    expect(bytes).toBe(zeros.length);
  });
});

describe("the decoder of zstd", () => {
  async function withWindow(log: number): Promise<Buffer> {
    const encoder = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: log } });
    encoder.write("It was ");
    encoder.end("a dark and stormy night.");
    return Buffer.concat(await encoder.toArray());
  }

  /** The text, or why there is none. */
  async function decoded(log: number): Promise<unknown> {
    const decoder = createDecoder("zstd", false);
    decoder.end(await withWindow(log));
    return decoder.toArray().then(
      (parts) => Buffer.concat(parts as Buffer[]).toString(),
      (error: unknown) => String(error),
    );
  }

  it("takes no more memory for its window than the web's encoders need (RFC 9659)", async () => {
    expect(await decoded(23)).toBe("It was a dark and stormy night.");
    expect(await decoded(24)).toMatch(/too much memory/u);
  });
});
