import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { LoadSample, ProcessLoad } from "../../ports/process-load.ts";

/** Time between two measurements of the delay, which are made outside JavaScript; a delay contains it. */
const resolutionMs = 2;

/** Measurements from which a mean says something. */
const countMin = 3;

/** The load of the thread that it is made in, by its event loop. */
export class EventLoopLoad implements ProcessLoad {
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });
  #last = performance.eventLoopUtilization();

  constructor() {
    this.#delay.enable();
  }

  take(): LoadSample | undefined {
    if (this.#delay.count < countMin) return undefined;
    const latenessMs = Math.max(0, this.#delay.mean / 1e6 - resolutionMs);
    this.#delay.reset();
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#last);
    this.#last = now;
    return { busyShare: utilization, latenessMs };
  }
}
