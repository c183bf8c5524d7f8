/** Time that something took: on the clock, and of processors. */
export interface Spent {
  readonly wallMs: number;
  /** Processor time of the main thread. */
  readonly threadMs: number;
  /** Processor time of all threads: those of the store and of the garbage collector too. */
  readonly processMs: number;
}

export const nothingSpent: Spent = Object.freeze({ wallMs: 0, threadMs: 0, processMs: 0 });

/** What this process has spent since its start. */
export function spentSoFar(): Spent {
  const thread = process.threadCpuUsage();
  const all = process.cpuUsage();
  return {
    wallMs: performance.now(),
    threadMs: (thread.user + thread.system) / 1_000,
    processMs: (all.user + all.system) / 1_000,
  };
}

export function plus(one: Spent, other: Spent): Spent {
  return {
    wallMs: one.wallMs + other.wallMs,
    threadMs: one.threadMs + other.threadMs,
    processMs: one.processMs + other.processMs,
  };
}

/** What `end` is more than `start`. */
export function between(start: Spent, end: Spent): Spent {
  return {
    wallMs: end.wallMs - start.wallMs,
    threadMs: end.threadMs - start.threadMs,
    processMs: end.processMs - start.processMs,
  };
}
