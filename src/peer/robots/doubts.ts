import { ArcMap } from "../../core/ring/arc-map.ts";
import type { ArcSet } from "../../core/ring/arc-set.ts";
import type { HostName, Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Host } from "../frontier/host.ts";

/** Hosts of which it is remembered when they were asked beside their visits. */
const askedMax = 4_096;

/**
 * Of which hosts the gates do not know when they were last asked: by an earlier process that died, by another member, or
 * for the robots.txt of another host, which led there. Such a host rests for a full delay first.
 */
export class Doubts {
  readonly #clock: Clock;
  readonly #since = new ArcMap<Millis>();
  readonly #onAdded: (arcs: ArcSet) => void;
  /** The latest last. */
  readonly #askedAtMs = new Map<HostName, Millis>();
  #beganAtMs: Millis = 0;

  constructor(clock: Clock, onAdded: (arcs: ArcSet) => void) {
    this.#clock = clock;
    this.#onAdded = onAdded;
  }

  /** A process begins. */
  begin(): void {
    this.#beganAtMs = this.#clock.nowMs();
  }

  /** Requests to these arcs may have been made elsewhere, nobody knows when, until `ageMs` ago. */
  add(arcs: ArcSet, ageMs: Millis = 0): void {
    const untilMs = this.#clock.nowMs() - ageMs;
    const later = this.#since.arcsWhere((ms) => ms >= untilMs, arcs);
    this.#since.set(arcs.subtract(later), untilMs);
    if (!arcs.isEmpty) this.#onAdded(arcs);
  }

  /** A request that is none of the host's visits goes to it, or went, at this moment. */
  asked(name: HostName, atMs: Millis): void {
    this.#askedAtMs.delete(name);
    this.#askedAtMs.set(name, atMs);
    const [oldest] = this.#askedAtMs.keys();
    if (this.#askedAtMs.size > askedMax && oldest !== undefined) this.#askedAtMs.delete(oldest);
  }

  /** How long ago requests to these arcs may have been made elsewhere, in whole ms; nothing where there is no doubt. */
  ageMs(arcs: ArcSet): Millis | undefined {
    let latest = -Infinity;
    for (const { value } of this.#since.entries(arcs)) latest = Math.max(latest, value);
    if (latest === -Infinity) return undefined;
    return Math.max(0, Math.floor(this.#clock.nowMs() - latest));
  }

  /** Lets the host rest where there is doubt about it. */
  heed({ visit, isInherited, position }: Host): void {
    // A request that was in flight when an earlier process died has left no trace in the gate.
    if (isInherited) visit.gate.opened(this.#beganAtMs, visit.delayMs);
    const sinceMs = this.#since.get(position);
    if (sinceMs !== undefined) visit.gate.opened(sinceMs, visit.delayMs);
    const askedAtMs = this.#askedAtMs.get(visit.host);
    if (askedAtMs !== undefined) visit.gate.opened(askedAtMs, visit.delayMs);
  }
}
