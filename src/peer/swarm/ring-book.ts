import { hash64 } from "../../core/hash/hash64.ts";
import { Ring, ringMembersMax } from "../../core/ring/ring.ts";
import type { RingMember } from "../../core/ring/member-tokens.ts";
import type { RingOptions } from "../../core/ring/ring-options.ts";

/** Rings remembered: of a few memberships that views may differ between for a while. */
const ringsMax = 64;

/** A ring that differs in more members is made anew. */
const differencesMax = 8;

/**
 * Rings by their members: a ring is a pure function of the set of its members, so the ring of a set that was there a moment
 * ago is the same object, and peers that are simulated in one process can share theirs.
 */
export class RingBook {
  readonly #options: RingOptions;
  readonly #rings = new Map<string, Ring>();
  readonly #hashes = new Map<string, readonly [number, number]>();
  #latest: Ring;

  constructor(options: RingOptions) {
    this.#options = options;
    this.#latest = Ring.of([], options);
  }

  ringOf(members: readonly RingMember[]): Ring {
    const key = this.#keyOf(members);
    const known = this.#rings.get(key);
    if (known?.isOf(members)) return known;
    const ring = this.#grown(members);
    this.#rings.set(key, ring);
    this.#latest = ring;
    for (const oldest of this.#rings.keys()) {
      if (this.#rings.size <= ringsMax) break;
      this.#rings.delete(oldest);
    }
    return ring;
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

  /** Made from the latest one, from which it mostly differs by one member. */
  #grown(members: readonly RingMember[]): Ring {
    const ids = new Set(members.map(({ id }) => id));
    let ring = this.#latest;
    const differences =
      ring.members.filter((id) => !ids.has(id)).length +
      members.filter(({ id }) => !ring.has(id)).length;
    if (differences > differencesMax) return Ring.of(members, this.#options);
    for (const id of ring.members) if (!ids.has(id)) ring = ring.without(id);
    for (const member of members) ring = ring.with(member);
    return ring;
  }
}
