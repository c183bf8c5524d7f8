import { threadMicros } from "./processor-time.ts";

/**
 * What two fixed pieces of work take at a moment: how fast the machine is just then.
 *
 * Only their ratio to another moment's counts. Where they are changed, all stored results are to be found anew. Arithmetic
 * in the registers alone would not do: it goes on as fast as ever while others drive everything else out of the caches.
 */
export interface Calibration {
  /** Nanoseconds for a text of the work that is bound by the processor and the caches next to it. */
  readonly computeNs: number;
  /** Nanoseconds of one read at a place that no cache near the processor has. */
  readonly memoryNs: number;
}

/** 16 MiB: more than a second-level cache, less than what neighbours on the machine would always drive out. */
const chainLength = 2 ** 22;
/** Each piece takes some two milliseconds, so that both can be had often without costing much. */
const memorySteps = 15_000;
const computeRounds = 4;
const textCount = 2_000;

/** A single cycle through all places in random order (Sattolo 1986), for all threads of a run. */
export function newChain(): Uint32Array<SharedArrayBuffer> {
  const bytes = chainLength * Uint32Array.BYTES_PER_ELEMENT;
  const chain = new Uint32Array(new SharedArrayBuffer(bytes));
  for (let i = 0; i < chainLength; i += 1) chain[i] = i;
  let state = 0x9e3779b9;
  for (let i = chainLength - 1; i > 0; i -= 1) {
    state = mixed(state);
    const other = (state >>> 0) % i;
    [chain[i], chain[other]] = [chain[other] ?? 0, chain[i] ?? 0];
  }
  return chain;
}

/** Both pieces for one thread. */
export class Calibrator {
  readonly #chain: Uint32Array;
  readonly #texts = Array.from(
    { length: textCount },
    (_, i) => `https://www.site-${i % 37}.example/calibration/${mixed(i + 1) >>> 0}`,
  );
  #place = 0;

  constructor(chain: Uint32Array) {
    this.#chain = chain;
  }

  /** Times both pieces on the calling thread. */
  calibrate(): Calibration {
    const startedAt = threadMicros();
    const found = this.#compute();
    const computedAt = threadMicros();
    for (let i = 0; i < memorySteps; i += 1) this.#place = this.#chain[this.#place] ?? 0;
    const endedAt = threadMicros();
    if (found !== textCount * computeRounds) throw new Error("the calibration went wrong");
    return {
      computeNs: ((computedAt - startedAt) * 1_000) / found,
      memoryNs: ((endedAt - computedAt) * 1_000) / memorySteps,
    };
  }

  /** What a crawler does most: it looks at characters, cuts texts, fills maps, and makes small objects. */
  #compute(): number {
    let found = 0;
    for (let round = 0; round < computeRounds; round += 1) {
      const known = new Map<string, { readonly hash: number; readonly text: string }>();
      for (const text of this.#texts) {
        let hash = round;
        for (let at = 8; at < text.length; at += 1) hash = mixed(hash + text.charCodeAt(at));
        known.set(text.slice(text.indexOf("/", 8)), { hash, text });
      }
      for (const { hash, text } of known.values()) if (text.length + hash !== 0.5) found += 1;
    }
    return found;
  }
}

/** A step of xorshift32 (Marsaglia 2003). */
function mixed(state: number): number {
  state ^= state << 13;
  state ^= state >>> 17;
  return state ^ (state << 5);
}
