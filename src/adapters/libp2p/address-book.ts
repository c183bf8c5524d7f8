import type { MemberId } from "../../core/units.ts";
import { readAddress } from "./address.ts";

/** Members whose addresses are remembered: ten times the largest swarm in sight. */
const membersMax = 10_000;

/** As many as a member tells of. */
const addressesMax = 8;

/**
 * Where members are reached, as others have told.
 *
 * Invariant: bounded, whatever others tell; the members told of last are kept.
 */
export class AddressBook {
  readonly #rows = new Map<MemberId, readonly string[]>();

  /** Remembers where a member is; what is no address, or another member's, is left out. */
  learn(member: MemberId, addresses: readonly string[]): void {
    const usable = addresses.slice(0, addressesMax).filter((address) => {
      const parts = readAddress(address);
      const isOwn = parts?.member === undefined || parts.member === member;
      return parts !== undefined && parts.port > 0 && isOwn;
    });
    if (usable.length === 0) return;
    this.#rows.delete(member);
    this.#rows.set(member, usable);
    if (this.#rows.size <= membersMax) return;
    for (const oldest of this.#rows.keys()) {
      this.#rows.delete(oldest);
      return;
    }
  }

  /** Multiaddrs with the member's id, so that nobody else can answer there. */
  addressesOf(member: MemberId): readonly string[] {
    return (this.#rows.get(member) ?? []).map((address) =>
      address.includes("/p2p/") ? address : `${address}/p2p/${member}`,
    );
  }
}
