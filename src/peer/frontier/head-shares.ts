import type { HostName } from "../../core/units.ts";
import { headSize, type FrontierOptions } from "./frontier-options.ts";
import type { Host } from "./host.ts";

/**
 * Shares the room for queue entries out among the active hosts, anew whenever their number has doubled or halved: the
 * hosts that come first must not keep what is meant for all.
 *
 * Invariant: no head may hold more than twice its fair share.
 */
export class HeadShares {
  readonly #options: FrontierOptions;
  readonly #hosts: ReadonlyMap<HostName, Host>;
  #size: number;

  constructor(options: FrontierOptions, hosts: ReadonlyMap<HostName, Host>) {
    this.#options = options;
    this.#hosts = hosts;
    this.#size = headSize(options, 0);
  }

  /** Entries that the head of each host may hold. */
  get size(): number {
    return this.#size;
  }

  /** Some host has become active, or is active no more. */
  hostsChanged(): void {
    const fair = headSize(this.#options, this.#hosts.size);
    if (fair * 2 > this.#size && fair < this.#size * 2) return;
    this.#size = fair;
    for (const { visit } of this.#hosts.values()) visit.queue.setHeadMax(fair);
  }
}
