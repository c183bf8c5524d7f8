import type { Millis } from "../../core/units.ts";
import type { ProcessLoad } from "../../ports/process-load.ts";

/** Time between two looks at the load: tens of turns of a busy loop. */
export const lookMs: Millis = 100;
/** Share of busy time from which the process is what the crawl waits for, not the network. */
const busyShareMin = 0.9;
/** How long a turn of a busy process may take: answers that keep it busy, and let nobody else wait for long. */
const turnMsMax: Millis = 5;
/** It grows by this part of itself, so that it finds its place within seconds and leaves it by little. */
const growth = 1 / 16;
/** Fewer open requests would leave a busy process without work between two turns. */
const sizeMin = 8;

/**
 * How many requests may be open: all that are allowed, unless the process itself is what they wait for.
 *
 * A process that cannot keep up answers no faster when more is asked of it; what is open beyond its pace only waits for it,
 * takes memory, and makes each turn of its loop longer, for the answers to other members and to users as well. So, as TCP
 * Vegas does for a path (Brakmo & Peterson 1995), the window is cut by what waits: the visits that end in the time by which
 * a turn is too long. What the latency of the servers needs stays open. A process whose turns are long without its being
 * busy, because others take the processor, does not cut it.
 */
export class RequestWindow {
  readonly #max: number;
  readonly #load: ProcessLoad | undefined;
  #size: number;
  #lookedAtMs: Millis = -Infinity;
  /** Visits that have ended since the last look. */
  #ended = 0;

  /** @param load without one, the window is always `max` */
  constructor(max: number, load: ProcessLoad | undefined) {
    this.#max = max;
    this.#load = load;
    this.#size = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether fewer requests may be open than are allowed. */
  get isCut(): boolean {
    return this.#size < this.#max;
  }

  /** A visit has ended. */
  ended(nowMs: Millis): void {
    this.#ended += 1;
    this.look(nowMs);
  }

  /** Looks at the load, where that was not done a moment ago. */
  look(nowMs: Millis): void {
    if (this.#load === undefined || nowMs < this.#lookedAtMs + lookMs) return;
    const sample = this.#load.take();
    if (sample === undefined) return;
    const { busyShare, turnMs } = sample;
    if (busyShare < busyShareMin || turnMs < turnMsMax / 2) {
      this.#resize(this.#size + Math.max(1, this.#size * growth));
    } else if (turnMs > turnMsMax) {
      const waiting = (this.#ended / (nowMs - this.#lookedAtMs)) * (turnMs - turnMsMax);
      this.#resize(this.#size - waiting);
    }
    this.#lookedAtMs = nowMs;
    this.#ended = 0;
  }

  #resize(size: number): void {
    this.#size = Math.min(this.#max, Math.max(Math.min(sizeMin, this.#max), size));
  }
}
