import { setFlagsFromString } from "node:v8";
import { namedDescriptors } from "./named-descriptors.ts";

/**
 * Settings of V8 and of the C library that only count when they are there before the program starts. As shipped both
 * take memory for speed on a machine that has it: a peer with a million queued URLs measured 840 MB resident without
 * them and half of that with them, at the same speed.
 */
const v8Flags = [
  // Young objects: 3 x 16 MB at most, instead of a share of the machine's memory. A page lives for about a tenth of a second,
  // until its batch is durable; with 8 MB it is taken for old before. With 32 MB a new URL costs as much of the processor,
  // and a crawl takes 30 MiB more.
  youngObjects(16),
  // Old objects: collected when they have grown by 50%, instead of by up to 300%. With 70% a peer that is bound by its
  // processor does a twentieth more, in 30 MiB more at ten million queued URLs.
  "--heap-growing-percent=50",
  // But not while the heap is small: a crawl of some thousand pages takes an eighth less of the processor for it.
  initialHeap(64),
];

/** Of the C library's allocator; what somebody has set himself stands. */
const environment = {
  // Each arena keeps what was freed in it; by default there are eight for each core.
  MALLOC_ARENA_MAX: "2",
  // Large buffers go back to the system when they are freed. Unset, what counts as large grows with use up to 32 MB, and what
  // lies between buffers that live on is lost. Below 1 MB it would be most pages and the compressor's tables, each mapped anew
  // and filled with zeros: a crawl of some thousand pages takes up to a tenth more of the processor with 128 KB.
  MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(8 * 1024 * 1024),
};

function youngObjects(mb: number): string {
  return `--max-semi-space-size=${mb}`;
}

function initialHeap(mb: number): string {
  return `--initial-old-space-size=${mb}`;
}

/**
 * A simulation is as many peers in one process, and over soon: young objects get room to die in. With 64 MB a hundred
 * peers take 4% more of the processor, and 200 MB less.
 */
const simulationFlags = [youngObjects(192)];

/** Commands that talk to a running peer are over in a moment, and start in half the time without. */
const otherCommands: ReadonlySet<string> = new Set([
  "demo",
  "get",
  "help",
  "host",
  "inject",
  "jobs",
  "key",
  "leave",
  "members",
  "stats",
  "status",
  "urls",
  "wait",
]);

/**
 * Starts this process anew with the settings, in place: same process id, same files. Returns where that is not possible
 * or not wanted: on Windows, for other commands, when somebody has set flags of their own, and where a file that is to be read
 * would be lost with this process.
 */
export function restartWithMemorySettings(script: string, words: readonly string[]): void {
  const [command = ""] = words;
  if (otherCommands.has(command) || words.includes("--help")) return;
  if (process.execArgv.length > 0 || process.env["NODE_OPTIONS"] !== undefined) return;
  if (namedDescriptors(words).length > 0) return;
  if (process.platform === "win32" || typeof process.execve !== "function") return;
  const flags = command === "sim" ? simulationFlags : v8Flags;
  const argv = [process.execPath, ...flags, script, ...words];
  process.execve(process.execPath, argv, { ...environment, ...definedEnvironment() });
}

function definedEnvironment(): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined) defined[name] = value;
  }
  return defined;
}

/**
 * Keeps the heaps of threads started from now on small: what the first one gains by its size, they do not. A parser's objects
 * are dead when the next page comes.
 */
export function keepThreadsSmall(): void {
  setFlagsFromString(initialHeap(0));
  setFlagsFromString(youngObjects(4));
}
