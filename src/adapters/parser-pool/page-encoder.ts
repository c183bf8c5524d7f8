import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { encodeCapture, type CaptureIds } from "../../core/archive/encode-capture.ts";
import { encodeRevisit } from "../../core/archive/encode-revisit.ts";
import type { JobDefinition, JobOptions } from "../../core/jobs/job-definition.ts";
import { compileJobRules, type JobRules } from "../../core/jobs/job-rules.ts";
import { parsePage } from "../../core/page/parse-page.ts";
import { EncodingTables } from "../../core/page/query-encoder.ts";
import { planRedirect } from "../../core/page/redirect.ts";
import { defaultBotName } from "../../core/page/robots-directives.ts";
import type { EncodedCapture } from "../../ports/archive.ts";
import { inflatedFile } from "./inflated-file.ts";
import { storedGzip } from "./stored-gzip.ts";
import type { ParsedPage, ParseRequest } from "../../ports/page-parser.ts";

/** A job made ready for its pages. */
export interface PreparedJob {
  readonly rules: JobRules;
  readonly options: JobOptions;
}

export function prepareJob(definition: JobDefinition): PreparedJob {
  return { rules: compileJobRules(definition), options: definition.options };
}

/** One page as a thread gets it. */
export interface EncoderInput extends Omit<ParseRequest, "job"> {
  readonly job: PreparedJob;
}

/** As text they may take twice the room, and have to fit into the heap of a thread: more would end it before the page is archived. */
const readBytesMaxDefault = 128 * 1_024 * 1_024;

export interface PageEncoderOptions {
  readonly gzipLevel: number;
  /** Name under which pages address the crawler alone, in lower case. @default "orbweaver" */
  readonly botName?: string;
  /** Those of a page's records. @default random ones */
  readonly newIds?: () => CaptureIds;
  /** Bytes of a body that are read for where they lead. @default 128 MiB */
  readonly readBytesMax?: number;
}

/** Does all the work of a page at once, in the thread that calls it. */
export class PageEncoder {
  readonly #gzipLevel: number;
  readonly #newIds: () => CaptureIds;
  readonly #readBytesMax: number;
  readonly #botName: string;
  readonly #tables = new EncodingTables();

  constructor({ gzipLevel, ...others }: PageEncoderOptions) {
    this.#gzipLevel = gzipLevel;
    this.#botName = others.botName ?? defaultBotName;
    this.#newIds = others.newIds ?? randomIds;
    this.#readBytesMax = others.readBytesMax ?? readBytesMaxDefault;
  }

  /**
   * Compresses before it parses: a page with too many links ends its thread for want of memory, and Node.js aborts the
   * whole process when that happens at the moment in which it opens a compressor.
   */
  encode(input: EncoderInput): ParsedPage {
    const { exchange, contentHeaders: headers, follow, depth, sitemaps } = input;
    const { rules, options } = input.job;
    const { normalizeQuery, sitemaps: readsSitemaps } = options;
    const capture = this.#capture(input);
    const whole = readsSitemaps ? inflatedFile(input.body) : input.body;
    const body = whole.subarray(0, this.#readBytesMax);
    const isCut = exchange.truncation !== undefined || body.length < whole.length;
    const page = { url: exchange.url, headers, body, isCut, follow, depth, sitemaps };
    const asked = { rules, normalizeQuery, readsSitemaps, botName: this.#botName };
    const content = parsePage({ ...page, ...asked }, this.#tables);
    return { ...content, redirect: planRedirect(input, rules, options), capture };
  }

  #capture({ exchange, payloadDigest, revisitOf }: EncoderInput): EncodedCapture {
    const level = this.#gzipLevel;
    const records = revisitOf
      ? encodeRevisit(exchange, revisitOf, this.#newIds())
      : encodeCapture(exchange, this.#newIds(), payloadDigest);
    const response = revisitOf
      ? storedGzip(records.response)
      : gzipSync(records.response, { level });
    const request = storedGzip(records.request);
    const bytes = new Uint8Array(response.length + request.length);
    bytes.set(response);
    bytes.set(request, response.length);
    return { bytes, responseLength: response.length, index: records.index };
  }
}

function randomIds(): CaptureIds {
  return { responseId: randomUUID(), requestId: randomUUID() };
}
