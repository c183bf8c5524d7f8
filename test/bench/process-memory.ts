import { readFileSync } from "node:fs";

const kibPerMiB = 1_024;

/** What the kernel says of a process's memory, in MiB. */
export interface ProcessMemory {
  readonly residentMiB: number;
  /** Heaps and stacks: what is left when the pages of mapped files do not count. */
  readonly anonymousMiB: number;
  /** The most that was ever resident. */
  readonly peakMiB: number;
}

export function memoryOf(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mib = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]) / kibPerMiB;
  return {
    residentMiB: mib("VmRSS"),
    anonymousMiB: mib("RssAnon"),
    peakMiB: mib("VmHWM"),
  };
}
