import { ArcSet } from "../../../core/ring/arc-set.ts";
import { preferredArcs } from "../../../core/ring/preferred-arcs.ts";
import type { Ring } from "../../../core/ring/ring.ts";
import type { MemberId, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { PeerCalls } from "../peer-calls.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Territory } from "../ownership/territory.ts";
import { CopyReleases } from "./copy-releases.ts";
import type { RangeSync } from "./range-sync.ts";
import type { ReplicaStream } from "./replica-stream.ts";
import type { Replicator } from "./replicator.ts";

/** What it follows from which members need copies, and which of them can have them. */
interface NeedsBasis {
  readonly ring: Ring;
  readonly futureRing: Ring;
  readonly held: ArcSet;
  readonly others: SwarmView["others"];
}

interface CopiesOptions {
  /** Members that hold everything of an arc, its holder included. */
  readonly replicas: number;
  /** Copies made at once. */
  readonly syncsMax: number;
  /** Time after which a complete copy is compared again. */
  readonly antiEntropyIntervalMs: Millis;
}

/**
 * Keeps the members that the ring names supplied with copies of what this peer holds: says who needs which, has them made
 * and now and then compared, and lets go those that are needed no more.
 */
export class Copies {
  readonly #clock: Clock;
  readonly #view: SwarmView;
  readonly #territory: Territory;
  readonly #replicator: Replicator;
  readonly #sync: RangeSync;
  readonly #releases: CopyReleases;
  readonly #options: CopiesOptions;
  readonly #signal: AbortSignal;
  /** Called when a copy has been made, or could not be. */
  readonly #onEnd: () => void;
  readonly #onFailure: (error: unknown) => void;
  readonly #syncing = new Map<MemberId, Promise<void>>();
  /** Begun so far. */
  #syncs = 0;
  /** The comparison of a complete copy under way, and when each member's was last begun, or was first there to be compared. */
  #comparing: Promise<void> | undefined;
  readonly #comparedAtMs = new Map<MemberId, Millis>();
  #needs: {
    readonly of: NeedsBasis | undefined;
    readonly arcs: ReadonlyMap<MemberId, ArcSet>;
  } = { of: undefined, arcs: new Map() };

  constructor(
    ports: { readonly calls: PeerCalls; readonly clock: Clock },
    parts: {
      readonly view: SwarmView;
      readonly territory: Territory;
      readonly replicator: Replicator;
      readonly sync: RangeSync;
    },
    options: CopiesOptions,
    signal: AbortSignal,
    events: { readonly onEnd: () => void; readonly onFailure: (error: unknown) => void },
  ) {
    this.#clock = ports.clock;
    this.#view = parts.view;
    this.#territory = parts.territory;
    this.#replicator = parts.replicator;
    this.#sync = parts.sync;
    this.#options = options;
    this.#signal = signal;
    this.#onEnd = events.onEnd;
    this.#onFailure = events.onFailure;
    this.#releases = new CopyReleases(
      ports.calls,
      parts,
      (member) => this.#needs.arcs.get(member) ?? ArcSet.empty,
    );
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#syncing.values());
    await this.#comparing;
    await this.#releases.settled();
  }

  /** Whether one is being made. */
  get areUnderWay(): boolean {
    return this.#syncing.size > 0;
  }

  /** Whether every member has a copy of what it needs; cheaper than to say what is missing. False until that is known. */
  get areComplete(): boolean {
    if (!this.#areNeedsOfNow) return false;
    for (const [member, arcs] of this.#needs.arcs) {
      const stream = this.#replicator.stream(member);
      if (stream && !stream.synced.covers(arcs)) return false;
    }
    return true;
  }

  /** Whether the needs follow from the rings, the holdings and the members of this moment. */
  get #areNeedsOfNow(): boolean {
    return this.#isSameRing && this.#needs.of?.others === this.#view.others;
  }

  get #isSameRing(): boolean {
    const { ring, futureRing } = this.#view;
    const { of } = this.#needs;
    return of?.ring === ring && of.futureRing === futureRing && of.held === this.#territory.held;
  }

  /**
   * A member has passed arcs on to this peer: from now on its own copy of them grows old, unless it is to have one. Where both
   * held them, members with a copy may take it for the other's, which is kept up to date no more: they are told anew.
   */
  taken(from: MemberId, arcs: ArcSet): void {
    this.#replicator.copyAnew(arcs);
    this.#releases.owe(from, arcs);
  }

  /** Sets who needs a copy of what, when rings, holdings, members' runs or streams have changed, or stand-ins may go. */
  setNeeds(): void {
    const { ring, futureRing, others } = this.#view;
    const { held } = this.#territory;
    const { hasReturned, hasStandIns } = this.#replicator;
    const isDue = hasReturned || (hasStandIns && this.areComplete);
    if (this.#areNeedsOfNow && !isDue) return;
    const isSameRing = this.#isSameRing;
    const arcs = isSameRing ? this.#needs.arcs : this.#needed();
    this.#needs = { of: { ring, futureRing, held, others }, arcs };
    const dropped = this.#replicator.setNeeds(arcs);
    for (const [member, stale] of dropped) this.#releases.owe(member, stale);
  }

  #needed(): Map<MemberId, ArcSet> {
    const { ring, futureRing, self } = this.#view;
    const arcs = new Map<MemberId, ArcSet>();
    for (const each of ring === futureRing ? [ring] : [ring, futureRing]) {
      for (const [member, more] of preferredArcs(
        each,
        this.#options.replicas,
        this.#territory.held,
      )) {
        if (member !== self) arcs.set(member, (arcs.get(member) ?? ArcSet.empty).union(more));
      }
    }
    return arcs;
  }

  /** What has still to be copied, and can be, by member. */
  #missing(): Map<MemberId, ArcSet> {
    const missing = new Map<MemberId, ArcSet>();
    for (const [member, arcs] of this.#needs.arcs) {
      const stream = this.#replicator.stream(member);
      const rest = !stream || stream.isPutOff ? ArcSet.empty : arcs.subtract(stream.synced);
      if (!rest.isEmpty) missing.set(member, rest);
    }
    return missing;
  }

  /** Begins to make those that are missing, as many at once as the option says. */
  make(): void {
    const missing = [...this.#missing()];
    // Those that were tried last, perhaps in vain, come behind the others.
    const first = this.#syncs % Math.max(missing.length, 1);
    for (const [member, arcs] of [...missing.slice(first), ...missing.slice(0, first)]) {
      if (this.#syncing.size >= this.#options.syncsMax) return;
      const stream = this.#replicator.stream(member);
      if (this.#syncing.has(member) || !stream) continue;
      this.#syncs += 1;
      const sync = this.#run(stream, arcs).finally(() => {
        this.#syncing.delete(member);
        this.#onEnd();
      });
      this.#syncing.set(member, sync);
    }
  }

  /** Anti-entropy: compares one complete copy at a time, each as often as the option says, or in its turn where that is too often. */
  compare(): void {
    const nowMs = this.#clock.nowMs();
    let next: { readonly stream: ReplicaStream; readonly comparedAtMs: Millis } | undefined;
    for (const member of this.#needs.arcs.keys()) {
      const stream = this.#replicator.stream(member);
      if (!stream || stream.synced.isEmpty || this.#syncing.has(member)) continue;
      const comparedAtMs = this.#comparedAtMs.get(member) ?? nowMs;
      this.#comparedAtMs.set(member, comparedAtMs);
      if (!next || comparedAtMs < next.comparedAtMs) next = { stream, comparedAtMs };
    }
    for (const member of this.#comparedAtMs.keys()) {
      if (!this.#needs.arcs.has(member)) this.#comparedAtMs.delete(member);
    }
    const { antiEntropyIntervalMs } = this.#options;
    if (!next || this.#comparing || nowMs < next.comparedAtMs + antiEntropyIntervalMs) return;
    const { stream } = next;
    this.#comparedAtMs.set(stream.member, nowMs);
    this.#comparing = this.#run(stream, stream.synced).finally(() => {
      this.#comparing = undefined;
    });
  }

  /** Former copies are let go when there are all that can be made instead. */
  release(): void {
    if (this.#releases.isOwed && this.#missing().size === 0) this.#releases.send();
  }

  #run(stream: ReplicaStream, arcs: ArcSet): Promise<void> {
    return this.#sync
      .run(stream, arcs, this.#signal)
      .then((inVain) => this.#releases.owe(stream.member, inVain))
      .catch(this.#onFailure);
  }
}
