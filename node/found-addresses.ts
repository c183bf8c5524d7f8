import { forgetOldest } from "../src/core/forget-oldest.ts";
import type { Millis } from "../src/core/units.ts";

/** Addresses that wait to be tried, at most. */
const waitingMax = 128;

/** Those of one member, at most: a machine has few networks. */
const waitingOfMemberMax = 8;

/** Addresses that were tried and are remembered, at most. */
const triedMax = 1_024;

/** An address at which nobody answered is not tried again so soon, be it told of again and again. */
const restMs: Millis = 5_000;

/**
 * Addresses that were found on the local network, where anybody can tell of any: those that have been tried just now do not
 * take the places of others, nor do many of one member.
 */
export class FoundAddresses {
  /** By member, those told of first before others. */
  readonly #waiting = new Map<string, Set<string>>();
  #size = 0;
  /** When each may be tried again; those longest ago first. */
  readonly #tried = new Map<string, Millis>();

  /** Addresses that wait to be tried. */
  get size(): number {
    return this.#size;
  }

  /** Whether the address is to be tried now. */
  add(address: string, nowMs: Millis): boolean {
    if (nowMs < (this.#tried.get(address) ?? -Infinity)) return false;
    this.#wait(address);
    return true;
  }

  /** One that waits of each member; it does not wait any longer. */
  take(): readonly string[] {
    const taken: string[] = [];
    for (const member of [...this.#waiting.keys()]) {
      const address = this.#takeOf(member);
      if (address !== undefined) taken.push(address);
    }
    return taken;
  }

  /** Another one that waits of the member that `address` leads to. */
  takeNext(address: string): string | undefined {
    return this.#takeOf(memberOf(address));
  }

  failed(address: string, nowMs: Millis): void {
    this.#setTried(address, nowMs + restMs);
  }

  /** Nobody has found that it does not lead there. */
  giveBack(address: string): void {
    this.#tried.delete(address);
    this.#wait(address);
  }

  #takeOf(member: string): string | undefined {
    const addresses = this.#waiting.get(member);
    const [address] = addresses ?? [];
    if (addresses === undefined || address === undefined) return undefined;
    addresses.delete(address);
    if (addresses.size === 0) this.#waiting.delete(member);
    this.#size -= 1;
    this.#setTried(address, Infinity);
    return address;
  }

  #wait(address: string): void {
    const member = memberOf(address);
    const addresses = this.#waiting.get(member) ?? new Set();
    const isFull = this.#size >= waitingMax || addresses.size >= waitingOfMemberMax;
    if (isFull || addresses.has(address)) return;
    this.#waiting.set(member, addresses.add(address));
    this.#size += 1;
  }

  #setTried(address: string, untilMs: Millis): void {
    this.#tried.delete(address);
    this.#tried.set(address, untilMs);
    forgetOldest(this.#tried, triedMax);
  }
}

function memberOf(address: string): string {
  return address.split("/p2p/").at(-1) ?? "";
}
