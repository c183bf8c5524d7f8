import { invariant } from "../errors.ts";
import type { MemberId, Millis } from "../units.ts";
import type { ActionList } from "./action-list.ts";
import type { Announcer } from "./announcer.ts";
import type { Awareness } from "./awareness.ts";
import { compareClaims, isGone, stateOf } from "./member.ts";
import type { Member } from "./member.ts";
import { MemberTable } from "./member-table.ts";
import type { MemberChange } from "./member-table.ts";
import type { MembershipOptions } from "./membership-options.ts";
import { shuffle } from "./probe-schedule.ts";
import { incarnationMax } from "./read-member.ts";
import { Suspicion } from "./suspicion.ts";

/** Members that came back are told of their deaths so many at once, and with each probe. */
const toldPerProbe = 16;

/** What a member says of itself when it starts. */
export type MembershipSelf = Pick<Member, "id" | "addresses" | "weight" | "version" | "generation">;

/** What a roster works with. */
export interface RosterParts {
  readonly options: MembershipOptions;
  readonly random: () => number;
  readonly awareness: Awareness;
  readonly announcer: Announcer;
  readonly actions: ActionList;
  /** Called for each member that is new, or back. */
  readonly onArrival: (id: MemberId) => void;
}

/**
 * What is believed of all members, and why: judges claims, keeps the suspicions, and speaks for itself.
 *
 * Invariant: its own row is always alive and later than all that it has heard of itself in this run. A member has a
 * suspicion if and only if its state is suspect.
 */
export class Roster {
  readonly #parts: RosterParts;
  readonly #table: MemberTable;
  readonly #suspicions = new Map<MemberId, Suspicion>();
  /** Members that have come back, with the deaths of which they are still to be told. */
  readonly #untold = new Map<MemberId, Member>();
  /** Members that run and have told this one something themselves. */
  readonly #met = new Set<MemberId>();
  #mayTell = toldPerProbe;
  #self: Member;
  /** The latest run of itself, later than its own then, that it has told of. */
  #laterRun: Millis = -Infinity;
  /** The latest incarnation that it has heard to be dead. */
  #buriedAt = -1;

  constructor(self: MembershipSelf, parts: RosterParts) {
    this.#parts = parts;
    this.#table = new MemberTable(parts.options);
    this.#self = { ...self, incarnation: 0, role: "joining", health: "alive" };
    this.#table.merge(this.#self, 0);
  }

  /** Its own row. */
  get self(): Member {
    return this.#self;
  }

  get table(): MemberTable {
    return this.#table;
  }

  get suspicions(): ReadonlyMap<MemberId, Suspicion> {
    return this.#suspicions;
  }

  /** Takes in what a single member told: it may be as mistaken as a side of a partition. */
  takeGently(claim: Member, nowMs: Millis): void {
    const known = this.#table.get(claim.id);
    const kills = claim.health === "dead" && claim.role !== "left";
    const isOther = claim.id !== this.#self.id;
    const soften = kills && isOther && known !== undefined && !isGone(known);
    this.take(soften ? { ...claim, health: "suspect" } : claim, nowMs);
  }

  /** Takes in what the whole swarm is told; a suspicion counts as an accusation by `accuser`. */
  take(claim: Member, nowMs: Millis, accuser?: MemberId): void {
    if (claim.id === this.#self.id) {
      this.#hearOfSelf(claim, nowMs);
      return;
    }
    const change = this.#table.merge(claim, nowMs, this.#self.role === "joining");
    if (change !== undefined) {
      const { member, before } = change;
      this.#parts.actions.changed(change);
      if (isGone(member)) this.#met.delete(member.id);
      if (!isGone(member) && (before === undefined || isGone(before))) {
        this.#parts.onArrival(member.id);
      }
      this.#hasComeBack(change);
      this.#adjustSuspicion(member, nowMs);
    }
    if (accuser !== undefined && claim.health === "suspect" && this.#isCurrent(claim)) {
      this.#suspicions.get(claim.id)?.accuse(accuser);
    }
  }

  /** This member found `id` silent itself. */
  accuse(id: MemberId, nowMs: Millis): void {
    const member = this.#table.get(id);
    if (member === undefined || isGone(member)) return;
    const claim: Member = { ...member, health: "suspect" };
    this.take(claim, nowMs);
    const suspicion = this.#suspicions.get(id);
    suspicion?.proved();
    if (suspicion?.accuse(this.#self.id) === true) this.#parts.actions.broadcast(claim);
  }

  /** The time of the suspect `id` is over. */
  bury(id: MemberId, nowMs: Millis): void {
    const member = this.#table.get(id);
    invariant(member?.health === "suspect", `a suspicion outlived its suspect ${id}`);
    const claim: Member = { ...member, health: "dead" };
    this.take(claim, nowMs);
    this.#parts.actions.broadcast(claim);
  }

  /** A member has told this one something itself. */
  meet(id: MemberId): void {
    const member = this.#table.get(id);
    if (member !== undefined && !isGone(member)) this.#met.add(id);
  }

  /** Whether a member has told this one something: the silence of one that never did says nothing of this one's ears. */
  hasMet(id: MemberId): boolean {
    return this.#met.has(id);
  }

  /** What a probe of `target` should tell it, so that it can refute. */
  doubtsAbout(target: MemberId): Member[] {
    const member = this.#table.get(target);
    return member === undefined || member.health === "alive" ? [] : [member];
  }

  /** At most `count` others at random that nobody doubts. */
  someAlive(count: number, except?: MemberId): MemberId[] {
    const ids = this.#table
      .presentIds()
      .filter((id) => id !== this.#self.id && id !== except && this.#isAlive(id));
    shuffle(ids, this.#parts.random);
    return ids.slice(0, count);
  }

  /** At most `count` others that nobody doubts, at random; first those that have been met, who are surely there. */
  helpersFor(target: MemberId, count: number): MemberId[] {
    const ids = this.someAlive(Infinity, target);
    const met = ids.filter((id) => this.hasMet(id));
    return [...met, ...ids.filter((id) => !this.hasMet(id))].slice(0, count);
  }

  #isCurrent({ id, generation, incarnation }: Member): boolean {
    const subject = this.#suspicions.get(id)?.subject;
    return subject?.generation === generation && subject.incarnation === incarnation;
  }

  #adjustSuspicion(member: Member, nowMs: Millis): void {
    if (stateOf(member) !== "suspect") {
      this.#suspicions.delete(member.id);
    } else if (!this.#isCurrent(member)) {
      const hearsayMs = this.#parts.options.probeIntervalMs * (1 + this.#parts.random());
      const start = { nowMs, hearsayMs };
      const present = this.#table.presentCount;
      const suspicion = new Suspicion(member, this.#parts.options, present, start);
      this.#suspicions.set(member.id, suspicion);
    }
  }

  #hearOfSelf(claim: Member, nowMs: Millis): void {
    if (claim.generation > this.#self.generation) {
      if (claim.generation <= this.#laterRun) return;
      this.#laterRun = claim.generation;
      this.#parts.actions.laterRun(claim);
      return;
    }
    this.#hearOfDeath(claim);
    if (compareClaims(claim, this.#self) > 0) {
      if (claim.health !== "alive") this.#parts.awareness.note(1);
      this.changeSelf({}, nowMs, claim.incarnation);
    }
  }

  /**
   * It may have heard of no more than a doubt, from somebody between, and refuted that: all who have buried it tell it so,
   * with an answer to no probe. When a cut heals, it is half of the swarm that comes back: they are told bit by bit.
   */
  #hasComeBack({ member, before }: MemberChange): void {
    if (before === undefined || isGone(member) || before.generation !== member.generation) return;
    if (!isGone(before) || before.role === "left") return;
    this.#untold.set(member.id, before);
    this.#tellSome();
  }

  /** To be called at each probe: more may be told. */
  tellMore(): void {
    this.#mayTell = toldPerProbe;
    this.#tellSome();
  }

  #tellSome(): void {
    for (const [id, death] of this.#untold) {
      if (this.#mayTell === 0) return;
      this.#untold.delete(id);
      const member = this.#table.get(id);
      if (!member || isGone(member)) continue;
      this.#mayTell -= 1;
      const tableHash = this.#table.hash;
      this.#parts.actions.send(id, { kind: "ack", sequence: 0, tableHash, claims: [death] });
    }
  }

  /** A claim of its death may come when it has refuted a doubt already; each death counts once. */
  #hearOfDeath({ generation, incarnation, health }: Member): void {
    const isDead = health === "dead" && generation === this.#self.generation;
    if (!isDead || incarnation <= this.#buriedAt) return;
    this.#buriedAt = incarnation;
    this.#parts.actions.buried();
  }

  /** Says something new of itself, later than what was heard. */
  changeSelf(
    change: Partial<Pick<Member, "addresses" | "weight" | "role">>,
    nowMs: Millis,
    heardIncarnation = this.#self.incarnation,
  ): void {
    const { generation } = this.#self;
    const exhausted = heardIncarnation >= incarnationMax;
    const said = exhausted
      ? { generation: generation + 1, incarnation: 0 }
      : { generation, incarnation: heardIncarnation + 1 };
    this.#become({ ...this.#self, ...change, ...said }, nowMs);
  }

  /** Goes on as a later run than one of this member that somebody speaks of, and that is not there. */
  outbid(generation: Millis, nowMs: Millis): void {
    if (generation < this.#self.generation) return;
    this.#become({ ...this.#self, generation: generation + 1, incarnation: 0 }, nowMs);
  }

  #become(self: Member, nowMs: Millis): void {
    const before = this.#self;
    this.#self = self;
    this.#table.merge(this.#self, nowMs);
    this.#parts.actions.changed({ member: this.#self, before });
    this.#parts.announcer.changed(nowMs);
  }

  #isAlive(id: MemberId): boolean {
    return this.#table.get(id)?.health === "alive";
  }
}
