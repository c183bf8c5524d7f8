import { performance } from "node:perf_hooks";
import type { LoadSample, ProcessLoad } from "../../ports/process-load.ts";

/** Turns from which a mean says something. */
const turnsMin = 3;

/** The load of the main thread, by what the event loop counts itself: nothing wakes up to measure it. */
export class EventLoopLoad implements ProcessLoad {
  #last = performance.eventLoopUtilization();
  #lastTurns = turnsSoFar();

  take(): LoadSample | undefined {
    const turns = turnsSoFar();
    const taken = turns - this.#lastTurns;
    if (taken < turnsMin) return undefined;
    const now = performance.eventLoopUtilization();
    const { active, utilization } = performance.eventLoopUtilization(now, this.#last);
    this.#last = now;
    this.#lastTurns = turns;
    return { busyShare: utilization, turnMs: active / taken };
  }
}

function turnsSoFar(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount;
}
