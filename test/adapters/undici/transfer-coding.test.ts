import { deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { requestTo, responseOf } from "../../contracts/fetcher.ts";
import { HttpHarness } from "./http-harness.ts";

const small = Buffer.from("<p>It was a dark and stormy night.</p>".repeat(20));
const large = Buffer.from(Array.from({ length: 100_000 }, (_, n) => String(n)).join(" "));

/** As one chunk, and the last one. */
function chunked(body: Uint8Array): Buffer {
  const size = Buffer.from(`${body.length.toString(16)}\r\n`);
  return Buffer.concat([size, body, Buffer.from("\r\n0\r\n\r\n")]);
}

describe("a transfer coding that nobody asked for", () => {
  let harness: HttpHarness;
  beforeEach(() => {
    harness = new HttpHarness();
  });
  afterEach(async () => {
    await harness.stop();
  });

  async function fetched(fields: string, body: Uint8Array) {
    const site = await harness.says(`HTTP/1.1 200 OK\r\n${fields}\r\n\r\n`, body);
    return responseOf(await harness.fetch(requestTo(site, "/")));
  }

  it.each<[string, (body: Buffer) => Uint8Array]>([
    ["gzip, chunked", (body) => chunked(gzipSync(body))],
    ["x-gzip,chunked", (body) => chunked(gzipSync(body))],
    ["deflate, chunked", (body) => chunked(deflateSync(body))],
    ["gzip\r\nTransfer-Encoding: chunked", (body) => chunked(gzipSync(body))],
    ["gzip", (body) => gzipSync(body)],
    ["gzip, chunked", (body) => chunked(body)],
  ])("is taken off the body, and off what is kept of it (%j, %#)", async (coding, encode) => {
    for (const body of [small, large]) {
      const response = await fetched(`Transfer-Encoding: ${coding}`, encode(body));
      expect(Buffer.compare(response.body, body)).toBe(0);
      expect(response.encodedBody).toBe(response.body);
    }
  });

  it("is one with the content's own where both are named", async () => {
    const fields = "Content-Encoding: gzip\r\nTransfer-Encoding: gzip, chunked";
    const sent = gzipSync(small);
    const response = await fetched(fields, chunked(sent));
    expect(Buffer.compare(response.body, small)).toBe(0);
    expect(Buffer.compare(response.encodedBody, sent)).toBe(0);
  });
});
