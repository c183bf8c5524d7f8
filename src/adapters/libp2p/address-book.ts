import { forgetOldest } from "../../core/forget-oldest.ts";
import { addressesMax } from "../../core/membership/read-member.ts";
import type { MemberId } from "../../core/units.ts";
import { readAddress, withMember } from "./address.ts";

/** Members whose addresses are remembered: ten times the largest swarm in sight. */
const membersMax = 10_000;

interface Row {
  /** What others have told: the same is told again and again, and parsed once. */
  readonly told: readonly string[];
  readonly usable: readonly string[];
}

/**
 * Where members are reached, as others have told.
 *
 * Invariant: bounded, whatever others tell; the members told of last are kept.
 */
export class AddressBook {
  readonly #rows = new Map<MemberId, Row>();

  /** Remembers where a member is; what is no address, or another member's, is left out. */
  learn(member: MemberId, addresses: readonly string[]): void {
    const known = this.#rows.get(member);
    if (known && isSame(known.told, addresses)) return;
    const usable = addresses.slice(0, addressesMax).filter((address) => {
      const parts = readAddress(address);
      const isOwn = parts?.member === undefined || parts.member === member;
      return parts !== undefined && parts.port > 0 && isOwn;
    });
    if (usable.length === 0) return;
    this.#rows.delete(member);
    this.#rows.set(member, { told: addresses.slice(0, addressesMax), usable });
    forgetOldest(this.#rows, membersMax);
  }

  /** Multiaddrs with the member's id, so that nobody else can answer there. */
  addressesOf(member: MemberId): readonly string[] {
    const usable = this.#rows.get(member)?.usable ?? [];
    return usable.map((address) => withMember(address, member));
  }
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at]);
}
