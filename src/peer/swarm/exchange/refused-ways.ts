import { forgetOldest } from "../../../core/forget-oldest.ts";
import type { MemberId, Millis } from "../../../core/units.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Parcel } from "./parcel.ts";

/** Ways remembered; the oldest give way, and have their time anew. */
const waysMax = 10_000;

interface Refusals {
  readonly sinceMs: Millis;
  readonly lastMs: Millis;
}

/**
 * The ways on which nothing arrives: of one job's URLs to a member, of whose copies certain others keep one. The member itself
 * may take nothing, or one of those others.
 */
export class RefusedWays {
  readonly #view: Pick<SwarmView, "ring">;
  readonly #replicas: number;
  readonly #patienceMs: Millis;
  readonly #ways = new Map<string, Refusals>();

  /** @param patienceMs a way on which nothing has arrived for so long, for all that was sent, is put off */
  constructor(view: Pick<SwarmView, "ring">, replicas: number, patienceMs: Millis) {
    this.#view = view;
    this.#replicas = replicas;
    this.#patienceMs = patienceMs;
  }

  /** The parcel was sent to the member in vain. */
  refused(parcel: Parcel, member: MemberId | undefined, nowMs: Millis): void {
    const way = this.#wayOf(parcel, member);
    const known = this.#ways.get(way);
    const isInRow = known && nowMs - known.lastMs < this.#patienceMs;
    this.#ways.delete(way);
    this.#ways.set(way, { sinceMs: isInRow ? known.sinceMs : nowMs, lastMs: nowMs });
    forgetOldest(this.#ways, waysMax);
  }

  /** The parcel has arrived; whether its way was put off. */
  taken(parcel: Parcel, member: MemberId | undefined): boolean {
    const way = this.putOffWay(parcel, member);
    if (this.#ways.size > 0) this.#ways.delete(this.#wayOf(parcel, member));
    return way !== undefined;
  }

  /** The parcel's way to the member, where that is put off. */
  putOffWay(parcel: Parcel, member: MemberId | undefined): string | undefined {
    if (this.#ways.size === 0) return undefined;
    const way = this.#wayOf(parcel, member);
    const known = this.#ways.get(way);
    return known && known.lastMs - known.sinceMs >= this.#patienceMs ? way : undefined;
  }

  #wayOf({ position, space }: Parcel, member: MemberId | undefined): string {
    const keepers = this.#view.ring.preferenceOf(position, this.#replicas);
    return [member, space, ...keepers].join(" ");
  }
}
