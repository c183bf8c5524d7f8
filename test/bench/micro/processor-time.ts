/** Microseconds of processor time that this thread has taken so far, whatever else the machine does. */
export function threadMicros(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** The same of all threads of the process: those of the store, the file system and the garbage collector too. */
export function processMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
