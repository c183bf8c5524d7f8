import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes in use by what can be reached. */
export function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  // The buffers of what is gone are freed by another thread, for which the next collection waits.
  collect();
  const { external, heapUsed } = process.memoryUsage();
  return heapUsed + external;
}
