import { namedKey } from "../../../core/record/keys.ts";
import type { Millis } from "../../../core/units.ts";
import type { Store, StoreOp } from "../../../ports/store.ts";

const key = namedKey("meta", "generation");

/**
 * The generation of the run that begins now, durable from the return on: later than those of all runs before, also where
 * the clock has been set back since. Else the others would take this run for what is over, until the clock has caught up.
 */
export async function beginGeneration(store: Store, nowMs: Millis): Promise<number> {
  const value = await store.get(key);
  const saved = value ? Number(new TextDecoder().decode(value)) : 0;
  const generation = Math.max(Math.floor(nowMs), saved + 1);
  await store.write([generationOp(generation)], { sync: true });
  return generation;
}

/** Notes the generation to which this run has moved on. */
export function generationOp(generation: number): StoreOp {
  return { type: "put", key, value: new TextEncoder().encode(String(generation)) };
}
