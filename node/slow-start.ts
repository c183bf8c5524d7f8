import type { Millis } from "../src/core/units.ts";
import type { Clock } from "../src/ports/clock.ts";
import type { Logger } from "../src/ports/logger.ts";

/** A start that takes less is not worth a word. */
const quietMs: Millis = 2_000;
/** Between two words on how far it is. */
const againMs: Millis = 10_000;

const bytesPerMB = 1_000_000;

/** How far a piece of work is. */
export interface WorkDone {
  readonly bytes: number;
  readonly ofBytes: number;
  /** What is worked on, where the event alone does not tell. */
  readonly file?: string;
}

/** Hears how far the work is that `event` names. */
export type TellWork = (event: string, done: WorkDone) => void;

/**
 * Logs what a start is busy with where it takes long, from a while after this is called: as warnings, since such work comes
 * of a run that did not end in order, and a crawl shows no others.
 */
export function tellSlowStart(clock: Pick<Clock, "nowMs">, logger: Logger): TellWork {
  let nextMs = clock.nowMs() + quietMs;
  return (event, { bytes, ofBytes, file }) => {
    const nowMs = clock.nowMs();
    if (nowMs < nextMs) return;
    nextMs = nowMs + againMs;
    logger.warn(event, { file, doneMB: inMB(bytes), ofMB: inMB(ofBytes) });
  };
}

function inMB(bytes: number): number {
  return Math.round(bytes / bytesPerMB);
}
