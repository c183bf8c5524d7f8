import { hash64 } from "../../../core/hash/hash64.ts";
import { Ring, ringMembersMax } from "../../../core/ring/ring.ts";
import type { RingMember } from "../../../core/ring/member-tokens.ts";
import type { RingOptions } from "../../../core/ring/ring-options.ts";
import { seatedMembers } from "../../../core/ring/seated-members.ts";

/** Rings remembered: of a few memberships that views may differ between for a while. */
const ringsMax = 64;

/** Tokens of all of them, unless the two that a view has are more: 24 MiB. */
const tokensMax = 2 ** 22;
const ringsMin = 2;

/**
 * Rings by their members: a ring is a pure function of the set of its members, so the ring of a set that was there a moment
 * ago is the same object, and peers that are simulated in one process can share theirs.
 */
export class RingBook {
  /** The ring of nobody. */
  readonly empty: Ring;
  readonly #options: RingOptions;
  readonly #rings = new Map<string, Ring>();
  /** Of all rings that are remembered. */
  #weight = 0;
  readonly #hashes = new Map<string, readonly [number, number]>();

  constructor(options: RingOptions) {
    this.#options = options;
    this.empty = Ring.of([], options);
  }

  /** The ring of those of `all` that it has room for; the less it differs from `base`, the sooner it is made. */
  ringOf(all: readonly RingMember[], base = this.empty): Ring {
    const members = seatedMembers(all, this.#options);
    const key = this.#keyOf(members);
    const known = this.#rings.get(key);
    if (known?.isOf(members)) return known;
    const ring = base.to(members);
    this.#weight += ring.weight - (known?.weight ?? 0);
    this.#rings.set(key, ring);
    for (const [oldest, { weight }] of this.#rings) {
      if (!this.#isCrowded) break;
      this.#rings.delete(oldest);
      this.#weight -= weight;
    }
    return ring;
  }

  get #isCrowded(): boolean {
    const { size } = this.#rings;
    const tokens = this.#weight * this.#options.virtualNodes;
    return size > ringsMax || (size > ringsMin && tokens > tokensMax);
  }

  /** The same for the same members, whatever their order, and most likely another for others. */
  #keyOf(members: readonly RingMember[]): string {
    let [first, second] = [0, 0];
    for (const member of members) {
      const [high, low] = this.#hashOf(member);
      first ^= high;
      second ^= low;
    }
    return `${members.length} ${first} ${second}`;
  }

  #hashOf({ id, weight }: RingMember): readonly [number, number] {
    const text = `${id}*${weight}`;
    const known = this.#hashes.get(text);
    if (known) return known;
    const hash = hash64(text);
    const halves = [Number(hash >> 32n) | 0, Number(hash & 0xffff_ffffn) | 0] as const;
    if (this.#hashes.size >= ringMembersMax) this.#hashes.clear();
    this.#hashes.set(text, halves);
    return halves;
  }
}
