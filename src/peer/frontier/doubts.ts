import { forgetOldest } from "../../core/forget-oldest.ts";
import { ArcMap } from "../../core/ring/arc-map.ts";
import type { ArcSet } from "../../core/ring/arc-set.ts";
import type { HostName, Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Host } from "./host.ts";

/** Hosts of which it is remembered when they were asked beside their visits. */
const askedMax = 4_096;

interface Asked {
  readonly atMs: Millis;
  /** Until when it asked to be left alone. */
  readonly restUntilMs: Millis;
}

/**
 * Of which hosts the gates do not know when they were last asked: by an earlier process that died, by another member, or
 * for the robots.txt of another host, which led there. Such a host rests for a full delay first.
 */
export class Doubts {
  readonly #clock: Clock;
  readonly #since = new ArcMap<Millis>();
  readonly #onAdded: (arcs: ArcSet) => void;
  /** The latest last. */
  readonly #asked = new Map<HostName, Asked>();
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

  /**
   * A request that is none of the host's visits goes to it, or went, at this moment.
   *
   * @param restUntilMs until when it asked for no other one, where that is not for its gate to know
   */
  asked(name: HostName, atMs: Millis, restUntilMs: Millis = 0): void {
    const before = this.#asked.get(name)?.restUntilMs ?? 0;
    this.#asked.delete(name);
    this.#asked.set(name, { atMs, restUntilMs: Math.max(before, restUntilMs) });
    forgetOldest(this.#asked, askedMax);
  }

  /** Until when the host asked for no request, at one that was none of its visits; past where nothing is known. */
  restUntilMs(name: HostName): Millis {
    return this.#asked.get(name)?.restUntilMs ?? 0;
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
    const asked = this.#asked.get(visit.host);
    if (!asked) return;
    visit.gate.opened(asked.atMs, visit.delayMs);
    visit.gate.restUntil(asked.restUntilMs);
  }
}
