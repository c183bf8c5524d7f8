import { VirtualClock } from "../../../../sim/virtual-clock.ts";
import type { Ring } from "../../../../src/core/ring/ring.ts";
import { ArcSet } from "../../../../src/core/ring/arc-set.ts";
import type { MemberId } from "../../../../src/core/units.ts";
import type { SwarmView } from "../../../../src/peer/swarm/members/swarm-view.ts";
import {
  defaultOwnershipOptions,
  type OwnershipOptions,
} from "../../../../src/peer/swarm/ownership/ownership-options.ts";
import { Ownership } from "../../../../src/peer/swarm/ownership/ownership.ts";
import { Territory } from "../../../../src/peer/swarm/ownership/territory.ts";
import { RingBook } from "../../../../src/peer/swarm/members/ring-book.ts";
import { silentLogger } from "../../../support/silent-logger.ts";

type Ports = ConstructorParameters<typeof Ownership>[0];
type Parts = ConstructorParameters<typeof Ownership>[1];

const rings = new RingBook({ virtualNodes: 8, hashSeed: 0 });

export function ringOf(...members: MemberId[]): Ring {
  return rings.ringOf(members.map((id) => ({ id, weight: 1 })));
}

/** What is under way with a member, until the test ends it. */
interface Task<T> {
  readonly member: MemberId;
  readonly arcs: ArcSet;
  readonly end: (result: T) => void;
}

/** What a peer holds among these members, of which it is the first. All that it begins goes on until the test ends it. */
export class OwnershipBench {
  readonly clock = new VirtualClock();
  readonly territory = new Territory();
  readonly view: { -readonly [name in keyof SwarmView]: SwarmView[name] };
  readonly generations: Map<MemberId, number>;
  /** What the members have complete copies of; those that are not in it have no stream. */
  readonly synced = new Map<MemberId, ArcSet>();
  readonly putOff = new Set<MemberId>();
  readonly syncs: Task<ArcSet>[] = [];
  readonly transfers: Task<void>[] = [];
  /** Sites whose queues may have URLs twice. */
  weeds = ArcSet.empty;
  readonly weedings: { readonly sites: ArcSet; readonly end: () => void }[] = [];
  readonly claims: { readonly arcs: ArcSet; readonly orphans: ArcSet }[] = [];
  readonly needs: ReadonlyMap<MemberId, ArcSet>[] = [];
  readonly released: [MemberId, ArcSet][] = [];
  readonly copiedAnew: ArcSet[] = [];
  /** Whom it has inquired of. */
  readonly asked: MemberId[] = [];
  readonly crawled: ArcSet[] = [];
  /** Of whose copies go on no more with the next needs that are set. */
  dropped: ReadonlyMap<MemberId, ArcSet> = new Map();
  hasStandIns = false;
  /** Claimed without a copy, and not known yet. */
  blind = ArcSet.empty;
  readonly ownership: Ownership;

  constructor(members: readonly MemberId[], options: Partial<OwnershipOptions> = {}) {
    const [self, ...others] = members as [MemberId, ...MemberId[]];
    const ring = ringOf(...members);
    this.generations = new Map(members.map((member) => [member, 1]));
    for (const member of others) this.synced.set(member, ArcSet.empty);
    const generationOf = (member: MemberId): number | undefined => this.generations.get(member);
    this.view = {
      self,
      generation: 1,
      ring,
      futureRing: ring,
      role: "active",
      others,
      isRunning: (member, generation) => generationOf(member) === generation,
      generationOf,
      setRole: (role) => void (this.view.role = role),
    };
    this.ownership = new Ownership(this.#ports(), this.#parts(), this.#options(options), {
      onCrawl: (arcs) => void this.crawled.push(arcs),
      onFailure: (error) => {
        throw error;
      },
    });
  }

  /** Starts, does this, and stops. */
  async run(work: () => Promise<void>): Promise<void> {
    const run = async (): Promise<void> => {
      this.ownership.start();
      await this.look();
      await work();
      for (const { end } of this.syncs) end(ArcSet.empty);
      for (const { end } of this.transfers) end();
      await this.ownership.stop();
    };
    await this.clock.run(run());
  }

  /** Something has changed: resolves when that has been looked at. */
  async look(): Promise<void> {
    this.ownership.look();
    await this.clock.sleep(100);
  }

  /** The members have complete copies of these arcs. */
  copied(arcs: ArcSet, members = this.view.others): void {
    for (const member of members) this.synced.set(member, arcs);
  }

  /** These are the other members that run now, as other ones than before. */
  others(...members: MemberId[]): void {
    this.view.others = members;
  }

  #ports(): Ports {
    const calls: Partial<Ports["calls"]> = {
      released: (member, arcs) => {
        this.released.push([member, arcs]);
        return Promise.resolve(true);
      },
      whoHolds: (member) => {
        this.asked.push(member);
        return Promise.resolve(undefined);
      },
    };
    return { calls: calls as Ports["calls"], clock: this.clock, logger: silentLogger };
  }

  #parts(): Parts {
    const streams = new Map<MemberId, object>();
    const { putOff, synced } = this;
    const stream = (member: MemberId): object | undefined => {
      if (!synced.has(member)) return undefined;
      const known = streams.get(member) ?? {
        member,
        get isPutOff() {
          return putOff.has(member);
        },
        get synced() {
          return synced.get(member) ?? ArcSet.empty;
        },
      };
      streams.set(member, known);
      return known;
    };
    const hasStandIns = (): boolean => this.hasStandIns;
    const uncopied = (): ArcSet => {
      const needs = [...(this.needs.at(-1) ?? [])];
      return ArcSet.unionOf(
        needs.map(([member, arcs]) => arcs.subtract(synced.get(member) ?? ArcSet.empty)),
      );
    };
    const replicator = {
      stream,
      get uncopied() {
        return uncopied();
      },
      get hasStandIns() {
        return hasStandIns();
      },
      copyAnew: (arcs: ArcSet) => void this.copiedAnew.push(arcs),
      setNeeds: (needs: ReadonlyMap<MemberId, ArcSet>) => {
        this.needs.push(needs);
        return this.dropped;
      },
    };
    const task =
      <T>(tasks: Task<T>[]) =>
      ({ member }: { readonly member: MemberId }, arcs: ArcSet): Promise<T> =>
        new Promise((end) => tasks.push({ member, arcs, end }));
    const claim = (arcs: ArcSet, orphans: ArcSet): Promise<void> => {
      this.claims.push({ arcs, orphans });
      return this.clock.sleep(200);
    };
    const weeds = (): ArcSet => this.weeds;
    return {
      view: this.view,
      territory: this.territory,
      replicator,
      sync: { run: task(this.syncs) },
      transfer: { run: task(this.transfers) },
      claim: { run: claim },
      blind: { known: (arcs: ArcSet) => arcs.subtract(this.blind) },
      weeding: {
        get isDue() {
          return !weeds().isEmpty;
        },
        next: weeds,
        run: (sites: ArcSet) => new Promise<void>((end) => this.weedings.push({ sites, end })),
      },
    } as unknown as Parts;
  }

  #options(options: Partial<OwnershipOptions>): ConstructorParameters<typeof Ownership>[2] {
    return { replicas: 2, ownership: { ...defaultOwnershipOptions, ...options } };
  }
}
