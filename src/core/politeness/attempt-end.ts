import type { Millis } from "../units.ts";
import type { FetchFailure } from "./retry-table.ts";

/** How an attempt at a host ended. */
export interface AttemptEnd {
  readonly startedAtMs: Millis;
  /** Undefined where there was an answer. */
  readonly failure: FetchFailure | undefined;
}
