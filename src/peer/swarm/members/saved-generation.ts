import { isTimely } from "../../../core/membership/read-member.ts";
import { namedKey } from "../../../core/record/named-keys.ts";
import type { Millis } from "../../../core/units.ts";
import type { Store, StoreOp } from "../../../ports/store.ts";

const key = namedKey("meta", "generation");

/**
 * The generation of the run that begins now, durable from the return on: later than those of all runs before, also where
 * the clock has been set back since. Else the others would take this run for what is over, until the clock has caught up. One
 * of a time that is too far ahead for others to believe, as a clock that was wrong has left it, does not count: a later one
 * would not be believed either.
 */
export async function beginGeneration(store: Store, nowMs: Millis): Promise<number> {
  const value = await savedGeneration(store);
  const saved = value ? Number(new TextDecoder().decode(value)) : 0;
  const next = saved + 1;
  const generation = Math.max(Math.floor(nowMs), isTimely(next, nowMs) ? next : 0);
  await store.write([generationOp(generation)], { sync: true });
  return generation;
}

/** The row of the latest generation; none where the peer was never in a swarm. */
export function savedGeneration(store: Pick<Store, "get">): Promise<Uint8Array | undefined> {
  return store.get(key);
}

/** Notes the generation to which this run has moved on. */
export function generationOp(generation: number): StoreOp {
  return { type: "put", key, value: new TextEncoder().encode(String(generation)) };
}
