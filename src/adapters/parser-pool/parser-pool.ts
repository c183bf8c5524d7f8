import { availableParallelism } from "node:os";
import { CrawlError, invariant } from "../../core/errors.ts";
import type { Millis } from "../../core/units.ts";
import type { PageParser, ParsedPage, ParseRequest } from "../../ports/page-parser.ts";
import { payloadDigest } from "./payload-digest.ts";
import { ParserThread } from "./parser-thread.ts";

export interface ParserPoolOptions {
  /** Threads. One core is left to the main thread. @default cores - 1, at least 1, at most 8 */
  readonly threads: number;
  /** Pages under way; each holds its body twice. @default 16 for each thread */
  readonly pendingMax: number;
  /** zlib level of the archive: on HTML, 1 takes half the time of 6 and writes a tenth more. @default 1 */
  readonly gzipLevel: number;
  /** Time for one page, after which its thread is replaced: a user's pattern may backtrack for ever. @default 10_000 */
  readonly pageMsMax: Millis;
  /** JavaScript heap of a thread; bodies are outside of it. @default 512 */
  readonly heapMbMax: number;
}

const threadsMax = 8;
const pendingPerThread = 16;

export function defaultParserPoolOptions(cores = availableParallelism()): ParserPoolOptions {
  const threads = Math.max(1, Math.min(threadsMax, cores - 1));
  return Object.freeze({
    threads,
    pendingMax: pendingPerThread * threads,
    gzipLevel: 1,
    pageMsMax: 10_000,
    heapMbMax: 512,
  });
}

/** Parses pages in threads. A page goes to the thread that has the fewest. */
export class ParserPool implements PageParser {
  readonly pendingMax: number;
  readonly #threads: readonly ParserThread[];
  #running = false;
  #pending = 0;

  constructor(options: ParserPoolOptions = defaultParserPoolOptions()) {
    this.pendingMax = options.pendingMax;
    this.#threads = Array.from({ length: options.threads }, () => new ParserThread(options));
  }

  async start(): Promise<void> {
    this.#running = true;
    try {
      await Promise.all(this.#threads.map((thread) => thread.start()));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }

  payloadDigest(payload: Uint8Array): string {
    return payloadDigest(payload);
  }

  async parse(request: ParseRequest): Promise<ParsedPage> {
    if (!this.#running) throw new CrawlError("PARSER_CRASHED", "the parser is not running");
    invariant(this.#pending < this.pendingMax, "ParserPool: more than pendingMax pages");
    this.#pending++;
    try {
      return await new Promise((resolve, reject) => {
        this.#leastLoaded().add({ request, resolve, reject });
      });
    } finally {
      this.#pending--;
    }
  }

  #leastLoaded(): ParserThread {
    const [first, ...others] = this.#threads;
    invariant(first !== undefined, "ParserPool: no threads");
    return others.reduce((least, thread) => (thread.load < least.load ? thread : least), first);
  }
}
