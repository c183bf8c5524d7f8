import { threadMicros } from "./processor-time.ts";

/**
 * What two fixed pieces of work take at a moment: how fast the machine is just then.
 *
 * Only their ratio to another moment's counts. They must never change, or stored results lose their meaning.
 */
export interface Calibration {
  /** Nanoseconds of one step of arithmetic in the registers. */
  readonly computeNs: number;
  /** Nanoseconds of one read at a place that no cache near the processor has. */
  readonly memoryNs: number;
}

/** 16 MiB: more than a second-level cache, less than what neighbours on the machine would always drive out. */
const chainLength = 2 ** 22;
/** Each piece takes a few milliseconds, so that they cost little beside what is measured between two of them. */
const computeSteps = 3_000_000;
const memorySteps = 150_000;

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

/** Times both pieces on the calling thread. */
export function calibrate(chain: Uint32Array): Calibration {
  const startedAt = threadMicros();
  let state = 1;
  for (let i = 0; i < computeSteps; i += 1) state = mixed(state + i) | 1;
  const computedAt = threadMicros();
  let place = (state >>> 0) % chainLength;
  for (let i = 0; i < memorySteps; i += 1) place = chain[place] ?? 0;
  const endedAt = threadMicros();
  if (state === 0 || place >= chainLength) throw new Error("the calibration went wrong");
  return {
    computeNs: ((computedAt - startedAt) * 1_000) / computeSteps,
    memoryNs: ((endedAt - computedAt) * 1_000) / memorySteps,
  };
}

/** A step of xorshift32 (Marsaglia 2003). */
function mixed(state: number): number {
  state ^= state << 13;
  state ^= state >>> 17;
  return state ^ (state << 5);
}
