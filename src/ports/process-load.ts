import type { Millis } from "../core/units.ts";

/** How busy the process has been for a while. */
export interface LoadSample {
  /** Part of the time in which it had something to do, from 0 to 1. */
  readonly busyShare: number;
  /** How long a turn of its event loop took, in the mean: what becomes due waits for about as long. */
  readonly turnMs: Millis;
}

/** Tells whether the process keeps up with what is to be done. */
export interface ProcessLoad {
  /** Since the last sample; undefined when too little has been seen since then. */
  take(): LoadSample | undefined;
}
