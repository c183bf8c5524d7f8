import { forgetOldest } from "../../../core/forget-oldest.ts";
import type { MemberId, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
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
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #view: Pick<SwarmView, "ring">;
  readonly #replicas: number;
  readonly #patienceMs: Millis;
  readonly #ways = new Map<string, Refusals>();
  #lastMs: Millis = -Infinity;

  /** @param patienceMs a way on which nothing has arrived for so long, for all that was sent, is put off */
  constructor(
    clock: Pick<Clock, "nowMs">,
    view: Pick<SwarmView, "ring">,
    replicas: number,
    patienceMs: Millis,
  ) {
    this.#clock = clock;
    this.#view = view;
    this.#replicas = replicas;
    this.#patienceMs = patienceMs;
  }

  /** The parcel was sent to the member in vain. */
  refused(parcel: Parcel, member: MemberId | undefined): void {
    const nowMs = this.#clock.nowMs();
    const way = this.#wayOf(parcel, member);
    const known = this.#ways.get(way);
    const isInRow = known && nowMs - known.lastMs < this.#patienceMs;
    this.#ways.delete(way);
    this.#ways.set(way, { sinceMs: isInRow ? known.sinceMs : nowMs, lastMs: nowMs });
    forgetOldest(this.#ways, waysMax);
    this.#lastMs = nowMs;
  }

  /** The parcel has arrived; whether its way was put off. */
  taken(parcel: Parcel, member: MemberId | undefined): boolean {
    const way = this.putOffWay(parcel, member);
    if (!this.#areAllOpen()) this.#ways.delete(this.#wayOf(parcel, member));
    return way !== undefined;
  }

  /** The parcel's way to the member, where that is put off. */
  putOffWay(parcel: Parcel, member: MemberId | undefined): string | undefined {
    if (this.#areAllOpen()) return undefined;
    const way = this.#wayOf(parcel, member);
    const known = this.#ways.get(way);
    return known && known.lastMs - known.sinceMs >= this.#patienceMs ? way : undefined;
  }

  /**
   * A way that is put off is tried now and then, so that one without a refusal for long is a way that nothing takes any more,
   * to a former owner mostly. To tell the ways of all that is sent apart takes some microseconds for each.
   */
  #areAllOpen(): boolean {
    if (this.#ways.size > 0 && this.#clock.nowMs() - this.#lastMs >= this.#patienceMs) {
      this.#ways.clear();
    }
    return this.#ways.size === 0;
  }

  #wayOf({ position, space }: Parcel, member: MemberId | undefined): string {
    const keepers = this.#view.ring.preferenceOf(position, this.#replicas);
    return [member, space, ...keepers].join(" ");
  }
}
