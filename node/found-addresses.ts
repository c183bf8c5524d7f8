import type { Millis } from "../src/core/units.ts";

/** Addresses that wait to be tried, at most; as many are tried at once. */
const waitingMax = 128;

/** Addresses that were tried and are remembered, at most. */
const triedMax = 1_024;

/** An address at which nobody answered is not tried again so soon, be it told of again and again. */
const restMs: Millis = 5_000;

/**
 * Addresses that were found on the local network, where anybody can tell of any: those that have been tried just now do not
 * take the places of others.
 */
export class FoundAddresses {
  readonly #waiting = new Set<string>();
  /** When each may be tried again; those longest ago first. */
  readonly #tried = new Map<string, Millis>();

  /** Whether the address is to be tried now. */
  add(address: string, nowMs: Millis): boolean {
    if (nowMs < (this.#tried.get(address) ?? -Infinity)) return false;
    if (this.#waiting.size < waitingMax) this.#waiting.add(address);
    return true;
  }

  /** All that wait, those of one member together: they end with its id. None of them waits any longer. */
  take(): readonly (readonly string[])[] {
    const members = Map.groupBy(this.#waiting, (address) => address.split("/p2p/").at(-1));
    for (const address of this.#waiting) this.#setTried(address, Infinity);
    this.#waiting.clear();
    return [...members.values()];
  }

  failed(address: string, nowMs: Millis): void {
    this.#setTried(address, nowMs + restMs);
  }

  /** Nobody has found that it does not lead there. */
  giveBack(address: string): void {
    this.#tried.delete(address);
    if (this.#waiting.size < waitingMax) this.#waiting.add(address);
  }

  #setTried(address: string, untilMs: Millis): void {
    this.#tried.delete(address);
    this.#tried.set(address, untilMs);
    for (const oldest of this.#tried.keys()) {
      if (this.#tried.size <= triedMax) break;
      this.#tried.delete(oldest);
    }
  }
}
