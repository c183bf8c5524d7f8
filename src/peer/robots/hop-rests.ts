import { forgetOldest } from "../../core/forget-oldest.ts";
import type { HostName, Millis } from "../../core/units.ts";

/** Hosts of which it is remembered. */
const restingMax = 4_096;

/** When hosts may be led to again, of which nothing else may be known here. */
export class HopRests {
  /** Who was asked last comes last. */
  readonly #openAtMs = new Map<HostName, Millis>();
  readonly #max: number;

  constructor(max = restingMax) {
    this.#max = max;
  }

  /** Past where nothing is known of the host. */
  openAtMs(name: HostName): Millis {
    return this.#openAtMs.get(name) ?? 0;
  }

  /** The host was asked, and rests until then. */
  add(name: HostName, untilMs: Millis, nowMs: Millis): void {
    this.#openAtMs.delete(name);
    this.#openAtMs.set(name, untilMs);
    if (this.#openAtMs.size <= this.#max) return;
    for (const [known, openAtMs] of this.#openAtMs) {
      if (openAtMs <= nowMs) this.#openAtMs.delete(known);
    }
    forgetOldest(this.#openAtMs, this.#max);
  }
}
