import { ArcList, ArcSet } from "../../../core/ring/arc-set.ts";
import { preferredArcs } from "../../../core/ring/preferred-arcs.ts";
import type { WhoHoldsReply } from "../../../core/messages/holding.ts";
import { roundFigure } from "../../../core/round-figure.ts";
import type { MemberId } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import type { PeerCalls } from "../peer-calls.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Territory } from "./territory.ts";

/** Rest after a question that was not answered. */
const retryMs = 200;

/** In a swarm of so many all are asked; in a larger one that would be too many messages when a member dies. */
export const askAllMax = 64;

interface Answered {
  readonly member: MemberId;
  readonly answer: WhoHoldsReply;
}

/**
 * Claims arcs whose right was lost with its holder.
 *
 * Before it takes an arc, a peer asks those who may know better: the members that the ring prefers for it and, where it has
 * no copy itself, all others. If one of them holds the arc, or names a member that does, it is left alone. Of several
 * that have a copy the one that the ring prefers takes it, those that once held it themselves last, as theirs misses what has
 * come since; one without a copy only where nobody has one. Where two differ in
 * whether the holder is gone, neither claims until they agree.
 *
 * Invariant: members with the same view of the swarm never claim the same arc.
 */
export class ArcClaim {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #calls: Pick<PeerCalls, "whoHolds">;
  readonly #view: SwarmView;
  readonly #territory: Territory;
  readonly #replicas: number;
  readonly #take: (arcs: ArcSet, orphans: ArcSet) => Promise<void>;
  readonly #offer: (arcs: ArcSet) => void;

  constructor(
    ports: {
      readonly clock: Clock;
      readonly logger: Logger;
      readonly calls: Pick<PeerCalls, "whoHolds">;
    },
    parts: {
      readonly view: SwarmView;
      readonly territory: Territory;
      /** Begins to hold arcs of whose hosts it is unknown when they were last asked; of the `orphans` among them there is no copy. */
      readonly take: (arcs: ArcSet, orphans: ArcSet) => Promise<void>;
      /** Brings what is here of arcs to whoever holds them. */
      readonly offer: (arcs: ArcSet) => void;
    },
    replicas: number,
  ) {
    this.#clock = ports.clock;
    this.#logger = ports.logger;
    this.#calls = ports.calls;
    this.#view = parts.view;
    this.#territory = parts.territory;
    this.#take = parts.take;
    this.#offer = parts.offer;
    this.#replicas = replicas;
  }

  /** `orphans`: those of `arcs` of which this peer has no copy. */
  async run(arcs: ArcSet, orphans: ArcSet, signal: AbortSignal): Promise<void> {
    const { ring, futureRing } = this.#view;
    const answers = await this.#askAll(this.#whomToAsk(arcs, orphans), arcs, signal);
    // What was asked of another swarm says nothing about this one.
    const isStale = (): boolean =>
      signal.aborted || ring !== this.#view.ring || futureRing !== this.#view.futureRing;
    if (!answers || isStale()) return;
    const named = await this.#askAll(this.#namedIn(answers), arcs, signal);
    if (!named || isStale()) return;
    let free = arcs.subtract(this.#territory.held);
    for (const { member, answer } of [...answers, ...named]) {
      free = this.#heed(member, answer, free).subtract(this.#disputed(answer));
    }
    for (const { member, answer } of answers) {
      free = free.subtract(this.#precedence(member, answer, free, orphans));
    }
    if (free.isEmpty) {
      await this.#clock.sleep(retryMs, signal);
      return;
    }
    const copied = free.subtract(orphans);
    const shares = { share: roundFigure(free.share), copied: roundFigure(copied.share) };
    this.#logger.info("arcs-claimed", shares);
    await this.#take(free, free.subtract(copied));
  }

  #whomToAsk(arcs: ArcSet, orphans: ArcSet): readonly MemberId[] {
    const { others, ring, self } = this.#view;
    // An arc that is being passed on is held by a member that the ring does not name.
    if (!orphans.isEmpty || others.length <= askAllMax) return others;
    const preferred = preferredArcs(ring, this.#replicas + 1, arcs);
    return [...preferred.keys()].filter((member) => member !== self);
  }

  /** Members that an answer names as holders: what is said of others is asked of themselves, for it may be long past. */
  #namedIn(answers: readonly Answered[]): readonly MemberId[] {
    const asked = new Set<MemberId>([this.#view.self, ...answers.map(({ member }) => member)]);
    const named = answers.flatMap(({ answer }) => answer.known.map(({ holder }) => holder));
    return [...new Set(named)].filter(
      (member) => !asked.has(member) && this.#view.generationOf(member) !== undefined,
    );
  }

  /** Nothing when one of them is gone. */
  async #askAll(
    members: readonly MemberId[],
    arcs: ArcSet,
    signal: AbortSignal,
  ): Promise<Answered[] | undefined> {
    const answers = await Promise.all(
      members.map(async (member) => ({ member, answer: await this.#ask(member, arcs, signal) })),
    );
    const given = answers.flatMap(({ member, answer }) => (answer ? [{ member, answer }] : []));
    return given.length === members.length ? given : undefined;
  }

  /** Asks until there is an answer; nothing when the member is gone. */
  async #ask(
    member: MemberId,
    arcs: ArcSet,
    signal: AbortSignal,
  ): Promise<WhoHoldsReply | undefined> {
    const generation = this.#view.generationOf(member);
    if (generation === undefined) return undefined;
    while (!signal.aborted && this.#view.isRunning(member, generation)) {
      const answer = await this.#calls.whoHolds(member, arcs);
      if (answer) return answer;
      await this.#clock.sleep(retryMs, signal);
    }
    return undefined;
  }

  /**
   * Takes what the member holds out of `free`. Where this peer's copy is of another one that is gone, both held the arc, on the
   * two sides of a split, and what only the other one knew is nowhere but here.
   */
  #heed(member: MemberId, { held, kept, generation }: WhoHoldsReply, free: ArcSet): ArcSet {
    const known = held.intersect(free);
    const bereft = this.#territory.bereft(this.#view, known.subtract(kept));
    if (!bereft.isEmpty) this.#offer(bereft);
    const said = { generation, held: known, kept: kept.intersect(known) };
    this.#territory.heard(member, said, this.#view.others.length + 1);
    return free.subtract(known);
  }

  /**
   * Arcs whose holder the other member takes for running and this one for gone: one of them has not heard the latest, and
   * whether the other has a copy that should come before this one's is not told yet.
   */
  #disputed({ known }: WhoHoldsReply): ArcSet {
    const gone = known.filter(
      ({ holder, generation }) => !this.#view.isRunning(holder, generation),
    );
    return ArcSet.unionOf(gone.map(({ arcs }) => arcs));
  }

  /** Arcs that the other member should claim rather than this one. */
  #precedence(member: MemberId, answer: WhoHoldsReply, free: ArcSet, orphans: ArcSet): ArcSet {
    const { ring, self } = this.#view;
    const formerHere = this.#territory.notedWhere((holder) => holder.former === true, free);
    const copiedThere = answer.copied.intersect(free);
    // Who has no copy is behind all that have one, and who has a former one behind those that are up to date.
    const onlyThere = copiedThere
      .intersect(orphans)
      .union(copiedThere.subtract(answer.former).intersect(formerHere));
    const onlyHere = answer.former.subtract(formerHere);
    const both = copiedThere.subtract(orphans).subtract(onlyThere).subtract(onlyHere);
    const before = new ArcList();
    ring.forEachPreference(
      this.#replicas + 1,
      (from, to, members) => {
        const rank = members.indexOf(member);
        const own = members.indexOf(self);
        const isBefore = rank >= 0 && (own < 0 || rank < own);
        const isTied = rank < 0 && own < 0 && member < self;
        if (isBefore || isTied) before.append(from, to);
      },
      both,
    );
    return before.toSet().union(onlyThere);
  }
}

/** A leaving member claims what only it has a copy of, and passes it on. */
export function mayClaim(role: SwarmView["role"]): boolean {
  return role === "active" || role === "leaving";
}
