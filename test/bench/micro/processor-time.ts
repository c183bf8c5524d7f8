const neverNotified = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * Makes the kernel add up what the thread has taken so far. It does so when a thread gives up its core, and else only at
 * its own ticks, which are up to 4 ms apart: too coarse for what is measured here.
 */
function settleAccount(): void {
  Atomics.wait(neverNotified, 0, 0, 0.01);
}

/** Microseconds of processor time that this thread has taken so far, whatever else the machine does; to some 20. */
export function threadMicros(): number {
  settleAccount();
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/**
 * The same of all threads of the process: those of the store, the file system and the garbage collector too. What others
 * than the calling one are at just then is counted to the last tick.
 */
export function processMicros(): number {
  settleAccount();
  const { user, system } = process.cpuUsage();
  return user + system;
}
