import { setInterval } from "node:timers";

/** Set for a process to which another one has handed over: the id of that one. */
export const lifelineVariable = "PEER_LIFELINE";

/** Sooner than a peer that is started on the same directory can have opened it. */
const lookEveryMs = 100;

/**
 * Ends this process when the one that has handed over to it is gone. That one passes signals on, but SIGKILL, which nobody can:
 * this process has another parent then. Who kills the one means both, without a word. Does nothing in any other process.
 */
export function holdLifeline(environment: NodeJS.ProcessEnv): void {
  const holder = Number(environment[lifelineVariable]);
  if (Number.isNaN(holder)) return;
  // Processes that this one starts hold none.
  Reflect.deleteProperty(environment, lifelineVariable);
  setInterval(() => {
    if (process.ppid !== holder) process.kill(process.pid, "SIGKILL");
  }, lookEveryMs).unref();
}
