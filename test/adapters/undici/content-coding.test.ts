import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Transform } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failureOfOutcome, requestTo, responseOf } from "../../contracts/fetcher.ts";
import type { ServedOrigin } from "../../contracts/fetcher.ts";
import { HttpHarness } from "./http-harness.ts";

const mebibyte = 1024 * 1024;
const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const small = Buffer.from("<p>It was a dark and stormy night.</p>".repeat(20));
const large = noise(900_000);

/** Text that compresses to about half. */
function noise(length: number): Buffer {
  let state = 1;
  const words: string[] = [];
  for (let size = 0; size < length; size += 6) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    words.push(state.toString(36).slice(0, 5).padEnd(6));
  }
  return Buffer.from(words.join("")).subarray(0, length);
}

type Encoder = (body: Buffer) => Buffer;

const encoders: readonly (readonly [string, Encoder])[] = [
  ["gzip", (body) => gzipSync(body)],
  ["x-gzip", (body) => gzipSync(body)],
  ["GZIP", (body) => gzipSync(body)],
  ["deflate", (body) => deflateSync(body)],
  ["deflate", (body) => deflateRawSync(body)],
  ["br", (body) => brotliCompressSync(body, fast)],
  ["zstd", (body) => zstdCompressSync(body)],
  ["gzip, br", (body) => brotliCompressSync(gzipSync(body), fast)],
  ["zstd, deflate, gzip", (body) => gzipSync(deflateSync(zstdCompressSync(body)))],
  ["gzip, gzip", (body) => gzipSync(body)],
  ["identity", (body) => body],
  ["utf-8", (body) => body],
];

describe("the content codings of UndiciFetcher:", () => {
  let harness: HttpHarness;
  beforeEach(() => {
    harness = new HttpHarness();
  });
  afterEach(async () => {
    await harness.stop();
  });

  const serve = (coding: string, body: Uint8Array): Promise<ServedOrigin> =>
    harness.http((_request, response) => {
      response.writeHead(200, { "Content-Encoding": coding, "Content-Length": body.length });
      response.end(body);
    });

  /** Serves what `encoder` makes of `length` zeros, made while it is sent. */
  const serveZeros = (coding: string, encoder: Transform, length: number): Promise<ServedOrigin> =>
    harness.http((_request, response) => {
      response.writeHead(200, { "Content-Encoding": coding });
      pipeline(Readable.from(zeros(length)), encoder, response).catch(() => undefined);
    });

  describe.each(encoders)("%s", (coding, encode) => {
    it.each([
      ["small", small],
      ["large", large],
    ])("gives a %s body both as received and decoded", async (_size, body) => {
      const encoded = encode(body);
      const site = await serve(coding, encoded);
      const response = responseOf(await harness.fetch(requestTo(site, "/")));
      expect(Buffer.compare(response.body, body)).toBe(0);
      expect(Buffer.compare(response.encodedBody, encoded)).toBe(0);
      expect(response.truncation).toBeUndefined();
    });
  });

  it.each(["gzip", "deflate", "br", "zstd", "gzip, br"])(
    "plain text under %s is taken as it is",
    async (coding) => {
      const short = ["ok", "\ufeff<html>", "Ночь была тёмной. "].map((text) => Buffer.from(text));
      const cyrillic = Buffer.from("<p>Ночь была тёмной и бурной.</p>".repeat(20));
      for (const body of [small, large, cyrillic, ...short]) {
        const site = await serve(coding, body);
        const response = responseOf(await harness.fetch(requestTo(site, "/")));
        expect(Buffer.compare(response.body, body)).toBe(0);
        expect(response.body.buffer === response.encodedBody.buffer).toBe(
          response.body === response.encodedBody,
        );
      }
    },
  );

  it.each<[string, Encoder]>([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ])("a %s body (%#) whose first byte comes alone is decoded", async (coding, encode) => {
    const body = noise(60_000);
    const encoded = encode(body);
    const site = await harness.http((_request, response) => {
      response.writeHead(200, { "Content-Encoding": coding });
      response.write(encoded.subarray(0, 1));
      setTimeout(() => response.end(encoded.subarray(1)), 20);
    });
    const response = responseOf(await harness.fetch(requestTo(site, "/")));
    expect(Buffer.compare(response.body, body)).toBe(0);
  });

  const halves = (body: Buffer): Buffer[] => [body.subarray(0, 300), body.subarray(300)];
  const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2]);
  const tail = Buffer.from("<!-- made in 3 ms -->");
  describe.each<[string, string, Encoder]>([
    ["gzip", "of two members", (body) => Buffer.concat(halves(body).map((part) => gzipSync(part)))],
    ["gzip", "with text behind it", (body) => Buffer.concat([gzipSync(body), tail])],
    ["gzip", "with a byte behind it", (body) => Buffer.concat([gzipSync(body), tail.subarray(-1)])],
    ["gzip", "with zeros behind it", (body) => Buffer.concat([gzipSync(body), Buffer.alloc(600)])],
    [
      "zstd",
      "of two frames",
      (body) => Buffer.concat(halves(body).map((part) => zstdCompressSync(part))),
    ],
    ["zstd", "after a frame to skip", (body) => Buffer.concat([skippable, zstdCompressSync(body)])],
    ["zstd", "with text behind it", (body) => Buffer.concat([zstdCompressSync(body), tail])],
  ])("%s %s", (coding, _what, encode) => {
    it.each([
      ["small", small],
      ["large", large],
    ])("is decoded whole where it is %s", async (_size, body) => {
      const encoded = encode(body);
      const response = responseOf(
        await harness.fetch(requestTo(await serve(coding, encoded), "/")),
      );
      expect(Buffer.compare(response.body, body)).toBe(0);
      expect(Buffer.compare(response.encodedBody, encoded)).toBe(0);
      expect(response.truncation).toBeUndefined();
    });
  });

  it("what brotli makes of an empty body is empty, though it looks like a semicolon", async () => {
    const encoded = brotliCompressSync("");
    expect(encoded.toString()).toBe(";");
    const site = await serve("br", encoded);
    expect(responseOf(await harness.fetch(requestTo(site, "/"))).body).toHaveLength(0);
  });

  it.each([10, 16, 18, 19, 20, 21, 23, 24])("so it is with a window of %i bits", async (bits) => {
    const encoded = brotliCompressSync("", { params: { [constants.BROTLI_PARAM_LGWIN]: bits } });
    const site = await serve("br", encoded);
    expect(responseOf(await harness.fetch(requestTo(site, "/"))).body).toHaveLength(0);
  });

  it.each(["gzip", "br"])("an empty body under %s is empty", async (coding) => {
    const site = await serve(coding, Buffer.alloc(0));
    expect(responseOf(await harness.fetch(requestTo(site, "/"))).body).toHaveLength(0);
  });

  it.each([
    ["gzip", damaged(gzipSync(small))],
    ["gzip", damaged(gzipSync(large))],
    ["deflate", damaged(deflateSync(small))],
    ["br", damaged(brotliCompressSync(small))],
    ["gzip, gzip, gzip, gzip", gzipSync(small)],
  ])("a broken %s body (%#) is bad-encoding", async (coding, body) => {
    const site = await serve(coding, body);
    expect(failureOfOutcome(await harness.fetch(requestTo(site, "/")))).toBe("bad-encoding");
  });

  it.each([small, large])(
    "under a redirect it is no body (%#), beside what was received",
    async (text) => {
      const broken = damaged(gzipSync(text));
      const site = await harness.says(
        `HTTP/1.1 301 Moved\r\nContent-Encoding: gzip\r\nContent-Length: ${broken.length}\r\n\r\n`,
        broken,
      );
      const response = responseOf(await harness.fetch(requestTo(site, "/")));
      expect(response).toMatchObject({ status: 301, body: new Uint8Array(), bodyRead: true });
      expect(Buffer.from(response.encodedBody).equals(broken)).toBe(true);
    },
  );

  it("under a redirect and too many codings it is what was received", async () => {
    const site = await harness.says(
      "HTTP/1.1 301 Moved\r\nContent-Encoding: gzip, gzip, gzip, gzip\r\nContent-Length: 3\r\n\r\nabc",
    );
    const response = responseOf(await harness.fetch(requestTo(site, "/")));
    expect(response).toMatchObject({
      status: 301,
      body: new Uint8Array([97, 98, 99]),
      bodyRead: true,
    });
  });

  it.each([
    ["gzip", gzipSync(small).subarray(0, -8), small.length],
    ["gzip", gzipSync(small).subarray(0, -12), 1],
    ["gzip", gzipSync(large).subarray(0, -8), large.length],
    ["gzip", gzipSync(large).subarray(0, -20_000), 800_000],
    ["gzip", gzipSync(noise(40_000)).subarray(0, -8), 40_000],
    ["deflate", deflateSync(small).subarray(0, -4), small.length],
    ["br", brotliCompressSync(large, fast).subarray(0, -20_000), 500_000],
    ["zstd", zstdCompressSync(large).subarray(0, -20_000), 500_000],
    ["deflate, gzip", gzipSync(deflateSync(small)).subarray(0, -8), small.length],
  ])("a %s body (%#) that ends early gives what it holds, marked", async (coding, body, bytes) => {
    const site = await serve(coding, body);
    const response = responseOf(await harness.fetch(requestTo(site, "/")));
    expect(response.truncation).toBe("disconnect");
    expect(Buffer.compare(response.encodedBody, body)).toBe(0);
    expect(response.body.length).toBeGreaterThanOrEqual(bytes);
    const whole = bytes > small.length ? large : small;
    expect(Buffer.compare(response.body, whole.subarray(0, response.body.length))).toBe(0);
  });

  it.each([
    ["gzip", gzipSync(small).subarray(0, 10)],
    ["gzip", gzipSync(small).subarray(0, 5)],
    ["zstd", zstdCompressSync(small).subarray(0, -8)],
  ])("a %s body (%#) that ends before it yields anything is none", async (coding, body) => {
    const site = await serve(coding, body);
    expect(failureOfOutcome(await harness.fetch(requestTo(site, "/")))).toBe("bad-encoding");
    const broken = await harness.says(
      `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: 100\r\n\r\n`,
      body,
    );
    const request = { ...requestTo(broken, "/"), wantsPart: () => true };
    expect(failureOfOutcome(await harness.fetch(request))).toBe("bad-encoding");
  });

  it("a body of which nothing can be decoded when its server has been silent for too long is none", async () => {
    const head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n";
    const begun = Buffer.concat([Buffer.from(head), gzipSync(small).subarray(0, 10)]);
    const silent = await harness.raw((socket) => socket.write(begun));
    const request = requestTo(silent, "/", { wantsPart: () => true }, { idleTimeoutMs: 60 });
    expect(failureOfOutcome(await harness.fetch(request))).toBe("bad-encoding");
  });

  it.each<[string, () => Transform]>([
    ["gzip", createGzip],
    ["br", () => createBrotliCompress(fast)],
    ["zstd", () => createZstdCompress()],
  ])("a bomb of 1 GiB in %s ends as one, and early", async (coding, encoder) => {
    const site = await serveZeros(coding, encoder(), 1024 * mebibyte);
    const request = requestTo(site, "/", {}, { bodyBytesMax: 10 * mebibyte });
    expect(failureOfOutcome(await harness.fetch(request))).toBe("decompression-bomb");
  });

  it("a bomb is seen before its body ends", async () => {
    const member = gzipSync(Buffer.alloc(mebibyte));
    const bomb = Buffer.concat(Array.from({ length: 400 }, () => member));
    const site = await harness.http((_request, response) => {
      response.writeHead(200, { "Content-Encoding": "gzip", "Content-Length": bomb.length + 1 });
      response.write(bomb);
    });
    const request = requestTo(site, "/", {}, { bodyBytesMax: 10 * mebibyte });
    expect(failureOfOutcome(await harness.fetch(request))).toBe("decompression-bomb");
  });

  it("many bytes that decode to nothing are an empty body", async () => {
    const header = gzipSync("").subarray(0, 10);
    const emptyBlocks = Buffer.alloc(100_000, Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]));
    const end = gzipSync("").subarray(10);
    const site = await serve("gzip", Buffer.concat([header, emptyBlocks, end]));
    const response = responseOf(await harness.fetch(requestTo(site, "/")));
    expect([response.body.length, response.encodedBody.length]).toEqual([0, 100_020]);
  });

  it("an inner coding is known by more than the first byte that the outer one puts out", async () => {
    // A stream with a window of 10 bits begins as text does.
    const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = constants;
    const params = { [BROTLI_PARAM_QUALITY]: 4, [BROTLI_PARAM_LGWIN]: 10 };
    const inner = brotliCompressSync(large, { params });
    expect(String.fromCharCode(inner[0] ?? 0)).toBe("!");
    const outer = [inner.subarray(0, 1), inner.subarray(1)].map((part) => gzipSync(part));
    const site = await serve("br, gzip", Buffer.concat(outer));
    const response = responseOf(await harness.fetch(requestTo(site, "/")));
    expect(Buffer.compare(response.body, large)).toBe(0);
  });

  it("a small body that is a bomb is one too", async () => {
    const site = await serve("br", brotliCompressSync(Buffer.alloc(64 * mebibyte), fast));
    const request = requestTo(site, "/", {}, { bodyBytesMax: 10 * mebibyte });
    expect(failureOfOutcome(await harness.fetch(request))).toBe("decompression-bomb");
  });

  it("a bomb inside the outer coding is one, though nothing comes out of the inner", async () => {
    // A gzip header and empty stored blocks (RFC 1951, section 3.2.4) without a last one.
    const header = gzipSync("").subarray(0, 10);
    const blocks = Buffer.alloc(4 * mebibyte, Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]));
    const site = await serve("gzip, br", brotliCompressSync(Buffer.concat([header, blocks]), fast));
    expect(failureOfOutcome(await harness.fetch(requestTo(site, "/")))).toBe("decompression-bomb");
  });

  it.each([
    ["small", small, 100],
    ["large", large, 450_000],
  ])("a %s coded body is cut by its decoded length", async (_size, body, bodyBytesMax) => {
    const encoded = gzipSync(body);
    const site = await serve("gzip", encoded);
    const request = requestTo(site, "/", {}, { bodyBytesMax });
    const response = responseOf(await harness.fetch(request));
    expect(response.truncation).toBe("length");
    expect(Buffer.compare(response.body, body.subarray(0, bodyBytesMax))).toBe(0);
    expect(prefixDecodesTo(response.encodedBody, response.body)).toBe(true);
    const { length } = response.encodedBody;
    expect(Buffer.compare(response.encodedBody, encoded.subarray(0, length))).toBe(0);
    if (body === large) expect(length).toBeLessThan(encoded.length * 0.8);
  });

  it("a coded body is cut by its received length", async () => {
    const body = noise(200_000);
    const stored = gzipSync(body, { level: 0 });
    const site = await serve("gzip", stored);
    const request = requestTo(site, "/", {}, { bodyBytesMax: 100_000 });
    const response = responseOf(await harness.fetch(request));
    expect(response.truncation).toBe("length");
    expect(response.encodedBody.length).toBeLessThanOrEqual(100_000);
    expect(prefixDecodesTo(response.encodedBody, response.body)).toBe(true);
    expect(response.body.length).toBeGreaterThan(90_000);
  });

  it("a coded body that is cut by time gives what has come", async () => {
    const encoded = gzipSync(large);
    const site = await harness.http((_request, response) => {
      response.writeHead(200, { "Content-Encoding": "gzip", "Content-Length": encoded.length });
      response.write(encoded.subarray(0, 300_000));
    });
    const request = requestTo(site, "/", {}, { totalTimeoutMs: 100 });
    const response = responseOf(await harness.fetch(request));
    expect(response.truncation).toBe("time");
    expect(response.encodedBody).toHaveLength(300_000);
    expect(response.body.length).toBeGreaterThan(300_000);
    expect(Buffer.compare(response.body, large.subarray(0, response.body.length))).toBe(0);
  });

  it("decoding ends with the signal", async () => {
    const controller = new AbortController();
    const site = await harness.http((_request, response) => {
      response.writeHead(200, { "Content-Encoding": "gzip" });
      response.write(gzipSync(large));
      setImmediate(() => controller.abort());
    });
    const outcome = await harness.fetch(requestTo(site, "/"), controller.signal);
    expect(failureOfOutcome(outcome)).toBe("aborted");
  });
});

function* zeros(length: number): Generator<Buffer> {
  const block = Buffer.alloc(mebibyte);
  for (let sent = 0; sent < length; sent += block.length) yield block;
}

function damaged(encoded: Buffer): Buffer {
  const middle = Math.floor(encoded.length / 2);
  const copy = Buffer.from(encoded);
  for (let at = middle; at < Math.min(middle + 16, copy.length); at += 1) copy[at] = 0xff;
  return copy;
}

/** Whether the first bytes of what a gzip prefix decodes to are `body`. */
function prefixDecodesTo(prefix: Uint8Array, body: Uint8Array): boolean {
  const decoded = gunzipSync(prefix, { finishFlush: constants.Z_SYNC_FLUSH });
  return Buffer.compare(decoded.subarray(0, body.length), body) === 0;
}
