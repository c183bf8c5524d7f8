import { BinaryHeap } from "../../core/frontier/binary-heap.ts";
import type { Millis } from "../../core/units.ts";
import type { Host } from "./host.ts";

/**
 * A host that is closed for longer may give its place up. To write its gate and to read it and its queue again costs a few
 * reads of the disk, which it does not need more often than that; and a breaker's pause, of a minute, is long enough.
 */
export const longClosedMs: Millis = 45_000;

/** Active hosts of which nothing is under way and that are closed for long, by when they open. */
export class LongClosed {
  readonly #soonest = new BinaryHeap<Host>();
  readonly #last = new BinaryHeap<Host>();

  /** Nothing of the host is under way, nor will be before `fromMs`; whether it is closed for long. */
  add(host: Host, fromMs: Millis, nowMs: Millis): boolean {
    const opensAtMs = Math.max(fromMs, host.visit.gate.nextFetchAtMs);
    if (opensAtMs <= nowMs + longClosedMs) return false;
    this.#soonest.set(host, opensAtMs);
    this.#last.set(host, -opensAtMs);
    return true;
  }

  delete(host: Host): void {
    if (this.#soonest.remove(host)) this.#last.remove(host);
  }

  /** Those that are closed for long still. */
  count(nowMs: Millis): number {
    for (;;) {
      const opensAtMs = this.#soonest.peekKey();
      if (opensAtMs === undefined || opensAtMs > nowMs + longClosedMs) return this.#soonest.size;
      const host = this.#soonest.pop();
      if (host) this.#last.remove(host);
    }
  }

  /** The one that opens last. */
  get last(): { readonly host: Host; readonly opensAtMs: Millis } | undefined {
    const host = this.#last.peek();
    return host && { host, opensAtMs: -(this.#last.peekKey() ?? 0) };
  }
}
