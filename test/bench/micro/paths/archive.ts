import { rm } from "node:fs/promises";
import { PageEncoder, prepareJob } from "../../../../src/adapters/parser-pool/page-encoder.ts";
import type { EncoderInput } from "../../../../src/adapters/parser-pool/page-encoder.ts";
import { defaultParserPoolOptions } from "../../../../src/adapters/parser-pool/parser-pool-options.ts";
import { payloadDigest } from "../../../../src/adapters/parser-pool/payload-digest.ts";
import { SystemClock } from "../../../../src/adapters/system/system-clock.ts";
import { WarcArchive } from "../../../../src/adapters/warc/warc-archive.ts";
import type { Load, MicroBenchmark } from "../micro-benchmark.ts";
import { job } from "../page-load.ts";
import { samplePages } from "../sample-pages.ts";

const pageCount = 100;
/** Pages that share a flush, as in a commit of a fast crawl. */
const pagesPerFlush = 50;
const flushesPerPass = 20;
const { gzipLevel } = defaultParserPoolOptions();

/** Pages of 14 KB that are archived and not parsed: their content type says that they are no HTML. */
function inputs(): EncoderInput[] {
  const prepared = prepareJob(job);
  return samplePages(pageCount, { bytesPerPage: 14_336, linksPerPage: 60 }).map(({ url, body }) => {
    const headers = ["Content-Type", "text/plain", "Content-Length", String(body.length)];
    return {
      exchange: {
        url,
        address: "192.0.2.1",
        method: "GET",
        status: 200,
        httpVersion: "1.1",
        statusText: "OK",
        headers,
        requestHeaders: ["Host", new URL(url).host, "User-Agent", "orbweaver"],
        encodedBody: body,
        fetchedAtMs: Date.UTC(2026, 2, 1),
      },
      payloadDigest: payloadDigest(body),
      body,
      contentHeaders: headers,
      follow: true,
      depth: 1,
      redirectChain: [],
      sitemaps: [],
      job: prepared,
    };
  });
}

function startEncode(): Load {
  const pages = inputs();
  const encoder = new PageEncoder({ gzipLevel });
  return {
    operations: pages.length,
    bytes: pages.reduce((sum, { body }) => sum + body.length, 0),
    pass: () => pages.reduce((sum, page) => sum + encoder.encode(page).capture.bytes.length, 0),
  };
}

/** Each pass has an archive of its own. */
async function startAppend(directory: string): Promise<Load> {
  const encoder = new PageEncoder({ gzipLevel });
  const captures = inputs().map((page) => encoder.encode(page).capture);
  const open = async (): Promise<WarcArchive> => {
    const info = { software: "orbweaver", userAgent: "orbweaver", operator: "bench" };
    const opened = new WarcArchive({
      directory,
      peerName: "bench",
      info,
      clock: new SystemClock(),
    });
    await opened.start(undefined);
    return opened;
  };
  let archive = await open();
  return {
    operations: pagesPerFlush * flushesPerPass,
    prepare: async () => {
      await archive.stop();
      await rm(directory, { recursive: true });
      archive = await open();
    },
    pass: async () => {
      for (let flush = 0; flush < flushesPerPass; flush += 1) {
        const from = (flush * pagesPerFlush) % captures.length;
        for (const capture of captures.slice(from, from + pagesPerFlush)) archive.append(capture);
        await archive.flush();
      }
    },
    stop: () => archive.stop(),
  };
}

export const benchmarks: readonly MicroBenchmark[] = [
  { name: "archive/encode", operation: "page", start: startEncode },
  { name: "archive/append", operation: "page", threads: "all", start: startAppend },
];
