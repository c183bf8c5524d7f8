import type { Listener } from "@libp2p/interface";
import type { Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import { readable } from "./address.ts";

/** How often the machine's interfaces are looked at, at most. */
const rereadMs: Millis = 5_000;

/**
 * Where a member's listeners are reached. One that listens on all interfaces is reached at the machine's addresses, which are
 * others when it has moved to another network.
 */
export class ListenedAddresses {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #listeners: Pick<Listener, "getAddrs">[] = [];
  #addresses: readonly string[] = [];
  #readAtMs: Millis = -Infinity;

  constructor(clock: Pick<Clock, "nowMs">) {
    this.#clock = clock;
  }

  add(listener: Pick<Listener, "getAddrs">): void {
    this.#listeners.push(listener);
    this.#readAtMs = -Infinity;
  }

  get all(): readonly string[] {
    const nowMs = this.#clock.nowMs();
    if (nowMs < this.#readAtMs + rereadMs) return this.#addresses;
    this.#readAtMs = nowMs;
    const found = this.#listeners.flatMap((one) => one.getAddrs().map(String));
    // A listener that has ended is reached nowhere.
    if (found.length > 0) this.#addresses = found;
    return this.#addresses;
  }

  /** Whether one of them is this one. */
  has(address: string): boolean {
    const text = readable(address).replace(/^localhost:/, "127.0.0.1:");
    return this.all.some((own) => readable(own) === text);
  }
}
