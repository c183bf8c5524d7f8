import { hash, randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Exchange } from "../../core/archive/capture.ts";
import { encodeCapture, type CaptureIds } from "../../core/archive/encode-capture.ts";
import { payloadDigestText } from "../../core/archive/payload-digest.ts";
import type { JobDefinition } from "../../core/jobs/job-definition.ts";
import { compileJobRules, type JobRules } from "../../core/jobs/job-rules.ts";
import { parsePage } from "../../core/page/parse-page.ts";
import { EncodingTables } from "../../core/page/query-encoder.ts";
import type { EncodedCapture } from "../../ports/archive.ts";
import type { ParsedPage } from "../../ports/page-parser.ts";

/** A job made ready for its pages. */
export interface PreparedJob {
  readonly rules: JobRules;
  readonly normalizeQuery: boolean;
}

export function prepareJob(definition: JobDefinition): PreparedJob {
  return {
    rules: compileJobRules(definition),
    normalizeQuery: definition.options.normalizeQuery,
  };
}

/** One page as a thread gets it. */
export interface EncoderInput {
  readonly exchange: Exchange;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly follow: boolean;
  readonly depth: number;
  readonly job: PreparedJob;
}

/** The head of a request is a few hundred bytes: gzip's usual buffers would cost more time than the compression. */
const requestGzip = Object.freeze({ windowBits: 10, memLevel: 2, chunkSize: 1_024 });

/** Does all the work of a page at once, in the thread that calls it. */
export class PageEncoder {
  readonly #gzipLevel: number;
  readonly #newIds: () => CaptureIds;
  readonly #tables = new EncodingTables();

  constructor(gzipLevel: number, newIds: () => CaptureIds = randomIds) {
    this.#gzipLevel = gzipLevel;
    this.#newIds = newIds;
  }

  encode({ exchange, body, follow, depth, job }: EncoderInput): ParsedPage {
    const { url, headers, encodedBody } = exchange;
    const content = parsePage({ url, headers, body, follow, depth, ...job }, this.#tables);
    const payloadDigest = payloadDigestText(hash("sha1", encodedBody, "buffer"));
    return { ...content, payloadDigest, capture: this.#capture(exchange, payloadDigest) };
  }

  #capture(exchange: Exchange, payloadDigest: string): EncodedCapture {
    const records = encodeCapture(exchange, this.#newIds(), payloadDigest);
    const response = gzipSync(records.response, { level: this.#gzipLevel });
    const request = gzipSync(records.request, { level: this.#gzipLevel, ...requestGzip });
    const bytes = new Uint8Array(response.length + request.length);
    bytes.set(response);
    bytes.set(request, response.length);
    return { bytes, responseLength: response.length, index: records.index };
  }
}

function randomIds(): CaptureIds {
  return { responseId: randomUUID(), requestId: randomUUID() };
}
