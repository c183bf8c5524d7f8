import type { Millis } from "../units.ts";
import type { PolitenessOptions } from "./politeness-options.ts";

/**
 * Shortest time between two requests to a host: what the job wants or what robots.txt asks for, the longer
 * one, with the latter capped.
 */
export function effectiveDelayMs(
  jobDelayMs: Millis,
  crawlDelayMs: Millis | undefined,
  options: Pick<PolitenessOptions, "crawlDelayMaxMs">,
): Millis {
  return Math.max(jobDelayMs, Math.min(crawlDelayMs ?? 0, options.crawlDelayMaxMs));
}
