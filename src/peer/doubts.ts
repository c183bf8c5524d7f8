import { ArcMap } from "../core/ring/arc-map.ts";
import type { ArcSet } from "../core/ring/arc-set.ts";
import type { Millis } from "../core/units.ts";
import type { Host } from "./host.ts";

/**
 * Of which hosts it is unknown when they were last asked: by an earlier process that died, or by another member. Such a host
 * rests for a full delay first.
 */
export class Doubts {
  readonly #since = new ArcMap<Millis>();
  #beganAtMs: Millis = 0;

  /** A process begins. */
  begin(nowMs: Millis): void {
    this.#beganAtMs = nowMs;
  }

  /** The last requests to these arcs were made elsewhere, nobody knows when. */
  add(arcs: ArcSet, nowMs: Millis): void {
    this.#since.set(arcs, nowMs);
  }

  /** Lets the host rest where there is doubt about it. */
  heed({ visit, isInherited, position }: Host): void {
    // A request that was in flight when an earlier process died has left no trace in the gate.
    if (isInherited) visit.gate.opened(this.#beganAtMs, visit.delayMs);
    const sinceMs = this.#since.get(position);
    if (sinceMs !== undefined) visit.gate.opened(sinceMs, visit.delayMs);
  }
}
