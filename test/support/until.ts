import { setTimeout as sleep } from "node:timers/promises";

const lookEveryMs = 10;

/**
 * Resolves as soon as `condition` holds, for what tells of itself by no event. Fails with `what` when it does not hold in
 * time.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 30_000,
): Promise<void> {
  const endAtMs = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() >= endAtMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(lookEveryMs);
  }
}
