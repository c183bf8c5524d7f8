import { hash64 } from "../hash/hash64.ts";
import { positionOfHash, type RingPosition } from "../ring/ring-position.ts";
import type { Ring } from "../ring/ring.ts";
import type { IpAddress, MemberId, Millis } from "../units.ts";
import type { Predecessor } from "./address-loan.ts";

/** Rings remembered: in a flood of changes the oldest of them count until the end of those that are left. */
const ringsMax = 16;

interface FormerRing {
  readonly ring: Ring;
  /** Runs of its members. */
  readonly runs: ReadonlyMap<MemberId, number>;
  readonly untilMs: Millis;
}

/** Where an address stands on the ring, apart from the site of the same text. */
export function positionOfAddress(address: IpAddress): RingPosition {
  return positionOfHash(hash64(`address ${address}`));
}

/** Who lends an address, and who did before. */
export class AddressStewards {
  readonly #self: MemberId;
  readonly #keptMs: Millis;
  readonly #generationOf: (member: MemberId) => number | undefined;
  #ring: Ring;
  #runs = new Map<MemberId, number>();
  #former: readonly FormerRing[] = [];

  /** @param keptMs how long a former steward matters */
  constructor(
    self: MemberId,
    ring: Ring,
    keptMs: Millis,
    generationOf: (member: MemberId) => number | undefined,
  ) {
    this.#self = self;
    this.#ring = ring;
    this.#keptMs = keptMs;
    this.#generationOf = generationOf;
    this.#runs = this.#runsOf(ring);
  }

  /** To be called after each change of the members; whether the ring is another one. */
  update(ring: Ring, nowMs: Millis): boolean {
    const isOther = ring !== this.#ring;
    if (isOther) {
      const ended = { ring: this.#ring, runs: this.#runs, untilMs: nowMs };
      const kept = this.#former.filter(({ untilMs }) => untilMs + this.#keptMs > nowMs);
      this.#former = [...kept, ended].slice(-ringsMax);
      this.#ring = ring;
    }
    this.#runs = this.#runsOf(ring);
    return isOther;
  }

  /** Absent while the ring has no members. */
  stewardOf(address: IpAddress): MemberId | undefined {
    return this.#ring.ownerOf(positionOfAddress(address));
  }

  /** Who was steward before this member was, as long as what it has lent may still be out. */
  predecessorOf(address: IpAddress, nowMs: Millis): Predecessor | undefined {
    const last = this.#former.at(-1);
    if (!last || last.untilMs + this.#keptMs <= nowMs) return undefined;
    const position = positionOfAddress(address);
    let wasMine = this.#ring.ownerOf(position) === this.#self;
    for (const { ring, runs, untilMs } of this.#former.toReversed()) {
      if (untilMs + this.#keptMs <= nowMs) return undefined;
      const owner = ring.ownerOf(position);
      wasMine ||= owner === this.#self;
      if (owner === undefined || owner === this.#self || !wasMine) continue;
      const run = runs.get(owner);
      const isRunning = run !== undefined && this.#generationOf(owner) === run;
      return { member: isRunning ? owner : undefined, untilMs };
    }
    return undefined;
  }

  /** Whether the member is the address's steward, or was not long ago: it may need to know who has the address. */
  isOrWas(member: MemberId, address: IpAddress, nowMs: Millis): boolean {
    const position = positionOfAddress(address);
    const rings = this.#former.filter(({ untilMs }) => untilMs + this.#keptMs > nowMs);
    return [this.#ring, ...rings.map(({ ring }) => ring)].some(
      (ring) => ring.ownerOf(position) === member,
    );
  }

  #runsOf(ring: Ring): Map<MemberId, number> {
    const runs = new Map<MemberId, number>();
    for (const member of ring.members) {
      const generation = this.#generationOf(member);
      // A run that has ended is still the one that the ring was of.
      const known = generation ?? this.#runs.get(member);
      if (known !== undefined) runs.set(member, known);
    }
    return runs;
  }
}
