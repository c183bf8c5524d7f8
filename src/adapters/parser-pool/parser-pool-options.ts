import { availableParallelism } from "node:os";
import { defaultBotName } from "../../core/page/robots-directives.ts";
import type { Millis } from "../../core/units.ts";

export interface ParserPoolOptions {
  /** Threads. One core is left to the main thread. @default cores - 1, at least 1, at most 8 */
  readonly threads: number;
  /** Pages under way; each holds its body twice. @default 16 for each thread */
  readonly pendingMax: number;
  /** zlib level of the archive: on HTML, 1 takes half the time of 6 and writes a tenth more. @default 1 */
  readonly gzipLevel: number;
  /**
   * Time for one page, or for other URLs that are judged together, after which its thread is replaced: a user's pattern may
   * backtrack for ever. A long body gets the time on top that it takes to compress. @default 10_000
   */
  readonly pageMsMax: Millis;
  /** JavaScript heap of a thread; bodies are outside of it. @default 512 */
  readonly heapMbMax: number;
  /** Name under which pages address the crawler alone, in lower case. @default "orbweaver" */
  readonly botName: string;
}

/** Threads by default, at most. */
export const parserThreadsDefaultMax = 8;
/** Threads at most: one thread hands pages to all of them, and each takes 15 MiB before it has had any. */
export const parserThreadsMax = 32;
const pendingPerThread = 16;

export function defaultParserPoolOptions(cores = availableParallelism()): ParserPoolOptions {
  const threads = Math.max(1, Math.min(parserThreadsDefaultMax, cores - 1));
  return Object.freeze({
    threads,
    pendingMax: pendingPerThread * threads,
    gzipLevel: 1,
    pageMsMax: 10_000,
    heapMbMax: 512,
    botName: defaultBotName,
  });
}
