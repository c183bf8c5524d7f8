import type { MemberId } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Territory } from "../ownership/territory.ts";
import { ForwardLane, putOffLane, type FinalResult, type LaneOptions } from "./forward-lane.ts";
import type { Delivery, Parcel } from "./parcel.ts";
import { RefusedWays } from "./refused-ways.ts";

interface LanesEvents {
  readonly deliver: (to: MemberId, parcels: readonly Parcel[]) => Promise<Delivery>;
  readonly acknowledged: (parcel: Parcel, result: FinalResult) => void;
  /** A way that was put off is open: everything may have to be sent elsewhere. */
  readonly opened: () => void;
  /** The parcel's row stays on disk alone, and another parcel is on the way that tells when it is open again. */
  readonly putOff: (parcel: Parcel) => void;
  /** Whether the parcel may be put off. */
  readonly mayBeLeft: (parcel: Parcel) => boolean;
  /** False: the parcel was withdrawn. */
  readonly isWanted: (parcel: Parcel) => boolean;
}

/**
 * The ways of parcels: each waits in the lane of the member that it is to be sent to, or in a lane of its own way where that
 * is put off.
 */
export class ForwardLanes {
  readonly #clock: Clock;
  readonly #view: SwarmView;
  readonly #territory: Territory;
  readonly #events: LanesEvents;
  readonly #options: LaneOptions;
  readonly #signal: AbortSignal;
  readonly #onFailure: (error: unknown) => void;
  /** By member, or by way where that is put off. */
  readonly #lanes = new Map<string | undefined, ForwardLane>();
  readonly #refused: RefusedWays;

  /** @param options `replicas`: members that hold everything of an arc, its holder included */
  constructor(
    clock: Clock,
    parts: { readonly view: SwarmView; readonly territory: Territory },
    events: LanesEvents,
    options: { readonly lane: LaneOptions; readonly replicas: number },
    signal: AbortSignal,
    onFailure: (error: unknown) => void,
  ) {
    const { lane, replicas } = options;
    this.#clock = clock;
    this.#view = parts.view;
    this.#territory = parts.territory;
    this.#events = events;
    this.#options = lane;
    this.#signal = signal;
    this.#onFailure = onFailure;
    this.#refused = new RefusedWays(clock, parts.view, replicas, lane.patienceMs);
  }

  /** Puts a parcel where it belongs now. */
  place(parcel: Parcel): void {
    const member = this.#routeOf(parcel);
    const key = this.#laneKeyOf(parcel);
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = this.#newLane(member, key);
      this.#lanes.set(key, lane);
    }
    const { mayBeLeft, putOff } = this.#events;
    if (key !== member && mayBeLeft(parcel)) {
      for (const earlier of lane.takeOut(mayBeLeft)) putOff(earlier);
    }
    lane.add(parcel);
  }

  /** Puts everything where it belongs now. */
  reroute(): void {
    for (const [key, lane] of this.#lanes) {
      const astray = lane.takeOut((parcel) => this.#laneKeyOf(parcel) !== key);
      for (const parcel of astray) this.place(parcel);
      if (lane.isIdle) this.#lanes.delete(key);
    }
  }

  /** Whether the way that the parcel would go is put off. */
  isPutOff(parcel: Parcel): boolean {
    return this.#laneKeyOf(parcel) !== this.#routeOf(parcel);
  }

  /** What they wait for is over: their signal has been aborted. */
  stop(): void {
    for (const lane of this.#lanes.values()) lane.stop();
  }

  #newLane(member: MemberId | undefined, key: string | undefined): ForwardLane {
    const { acknowledged, deliver, isWanted, opened } = this.#events;
    const { retryMs: afterMs } = this.#options;
    return new ForwardLane(
      this.#clock,
      {
        deliver: async (parcels) =>
          member === undefined ? { kind: "later", afterMs } : deliver(member, parcels),
        acknowledged: (parcel, result) => {
          acknowledged(parcel, result);
          if (result !== "rejected" && this.#refused.taken(parcel, member)) opened();
        },
        refused: (parcel) => this.#refused.refused(parcel, member),
        misdirected: (parcel) => this.place(parcel),
        isWanted,
        isRouted: (parcel) => this.#laneKeyOf(parcel) === key,
      },
      key === member ? this.#options : putOffLane(this.#options),
      this.#signal,
      this.#onFailure,
    );
  }

  #laneKeyOf(parcel: Parcel): string | undefined {
    const member = this.#routeOf(parcel);
    return this.#refused.putOffWay(parcel, member) ?? member;
  }

  /** Who holds the URL's site, as far as is known; nobody where that has to be waited for. */
  #routeOf({ position, hint }: Parcel): MemberId | undefined {
    const { ring, self } = this.#view;
    if (this.#territory.holds(position)) return self;
    if (hint && this.#view.isRunning(hint.member, hint.generation)) return hint.member;
    const owner = ring.ownerOf(position);
    if (owner !== undefined && owner !== self) return owner;
    return this.#territory.runningHolderAt(position, this.#view)?.member;
  }
}
