import { tagRange } from "../../../core/record/key-ranges.ts";
import type { TerritorialTag } from "../../../core/record/key-tags.ts";
import type { Row } from "../../../core/messages/rows.ts";
import { ArcMap } from "../../../core/ring/arc-map.ts";
import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { MemberId, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import type { Store } from "../../../ports/store.ts";
import { askAllMax } from "./arc-claim.ts";
import type { PeerCalls } from "../peer-calls.ts";
import { Pulse } from "../../pulse.ts";
import { differingSpans, readSpan, sectionsOfParts } from "../replication/range-sections.ts";
import type { Section } from "../replication/range-sections.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Territory } from "./territory.ts";

/** Rest between two looks at who holds what is left. */
const lookMs: Millis = 500;

/** Rest after a message that did not arrive. */
const retryMs: Millis = 300;

const timeoutMs: Millis = 5_000;

/** A message that has not arrived after so long waits for the next visit: others have to be brought home what is theirs. */
const patienceMs: Millis = 15_000;

/** Rows of one message. */
const rowsPerMessage = 500;

/** Members that are brought home what they hold with one reading of the disk: each has thousands of arcs, of all sizes. */
const visitsAtOnce = 64;

/**
 * What is brought home, in this order: a page's end comes behind the links that it led to, and a record behind its place in
 * the queue. Hosts and robots.txt files are of the day, and whoever holds them knows them better.
 */
const broughtTags: readonly TerritorialTag[] = ["exclusion", "queue", "outbox", "url"];

/** Who holds some of the arcs that are left. */
interface Visit {
  readonly member: MemberId;
  readonly arcs: ArcSet;
  /** Whether the run of the member goes on, and this one. */
  readonly isThere: () => boolean;
  /** Not everything has come there: it is visited again. */
  isInVain: boolean;
}

/**
 * Brings home what this peer's disk has from an earlier run, from before it stood still, or of a holder that is gone while another
 * one goes on.
 *
 * A member that comes back is given copies of the arcs that the ring names it for, and what it has of those is merged with
 * what their holder has ({@link RangeSync}). Of the other arcs its disk may have the only copy that is left: all others
 * may have been lost together, and somebody who had none has claimed the arcs. So it offers the holder of each of them what it
 * has, of which only what differs is sent.
 *
 * Invariant: until an arc's holder has everything, the swarm does not call itself settled, nor a job finished.
 */
export class Homecoming {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #store: Store;
  readonly #calls: PeerCalls;
  readonly #view: SwarmView;
  readonly #territory: Territory;
  /** What is on the disk of these arcs may be unknown to their holders. */
  #rest = ArcSet.whole;
  /** What has come to the rest since the visit under way began, or the disk was looked at: none of that need be done by it. */
  #offered = ArcSet.empty;
  /** Whether who gave this peer a copy is known to hold the same still. */
  #trustsCopies = true;
  /** Members that were visited in vain last time: others that hold the same are asked before them. */
  readonly #inVain = new Set<MemberId>();
  #rows = 0;
  #hadRows: Promise<boolean> | undefined;
  readonly #pulse = new Pulse();

  constructor(
    ports: {
      readonly clock: Clock;
      readonly logger: Logger;
      readonly store: Store;
      readonly calls: PeerCalls;
    },
    parts: { readonly view: SwarmView; readonly territory: Territory },
  ) {
    this.#clock = ports.clock;
    this.#logger = ports.logger;
    this.#store = ports.store;
    this.#calls = ports.calls;
    this.#view = parts.view;
    this.#territory = parts.territory;
  }

  get isDone(): boolean {
    return this.#rest.isEmpty;
  }

  /** Whether this peer's disk had anything of an earlier run when it was first looked at. */
  hadRows(): Promise<boolean> {
    this.#hadRows ??= this.#hasRows();
    return this.#hadRows;
  }

  /**
   * This process has stood still: those whose arcs it has copies of may have been lost meanwhile, and others have claimed
   * the arcs who had none.
   */
  again(): void {
    this.#trustsCopies = false;
    this.offer(ArcSet.whole);
  }

  /** Whoever holds these arcs may not know what is here of them: this peer has it from another one, which is gone. */
  offer(arcs: ArcSet): void {
    this.#rest = this.#rest.union(arcs);
    this.#offered = this.#offered.union(arcs);
    this.#pulse.fire();
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#pulse.fire());
    if (!(await this.hadRows())) this.#rest = this.#offered;
    while (!signal.aborted) {
      await this.#pulse.until(() => !this.isDone || signal.aborted);
      await this.#bringAll(signal);
    }
  }

  async #bringAll(signal: AbortSignal): Promise<void> {
    this.#rows = 0;
    this.#inVain.clear();
    while (!this.isDone && !signal.aborted) {
      await this.#clock.sleep(lookMs, signal);
      if (this.#view.role !== "joining") await this.#visitAll(signal);
    }
    if (this.#rows > 0) this.#logger.info("rows-brought-home", { rows: this.#rows });
  }

  async #hasRows(): Promise<boolean> {
    for (const tag of broughtTags) {
      if ((await this.#store.range(tagRange(tag), 1)).length > 0) return true;
    }
    return false;
  }

  async #visitAll(signal: AbortSignal): Promise<void> {
    this.#forgetKnown();
    const [visited, inVain] = [this.#whomToAsk(), this.#inVain];
    const members = visited.toSorted((a, b) => Number(inVain.has(a)) - Number(inVain.has(b)));
    for (let at = 0; at < members.length; at += visitsAtOnce) {
      if (this.#rest.isEmpty || signal.aborted) return;
      await this.#visit(members.slice(at, at + visitsAtOnce), signal);
    }
  }

  async #visit(members: readonly MemberId[], signal: AbortSignal): Promise<void> {
    this.#offered = ArcSet.empty;
    const visits = new ArcMap<Visit>();
    const all: Visit[] = [];
    let rest = this.#rest;
    for (const member of members) {
      if (rest.isEmpty || signal.aborted) break;
      const generation = this.#view.generationOf(member);
      if (generation === undefined) continue;
      const arcs = await this.#heldBy(member, rest);
      if (arcs.isEmpty) continue;
      // Of two that hold an arc one is enough: it tells the other.
      rest = rest.subtract(arcs);
      const isThere = (): boolean => !signal.aborted && this.#view.isRunning(member, generation);
      const visit = { member, arcs, isThere, isInVain: false };
      visits.set(arcs, visit);
      all.push(visit);
    }
    await this.#bring(visits, all, signal);
    for (const { member, arcs, isThere, isInVain } of all) {
      this.#inVain.delete(member);
      if (isInVain) this.#inVain.add(member);
      if (isInVain || !isThere()) continue;
      // What was passed on meanwhile may have come too late for whoever holds it now.
      const brought = await this.#heldBy(member, arcs);
      this.#rest = this.#rest.subtract(brought.subtract(this.#offered));
    }
  }

  /** What is held here, or was compared with what its holder has when this peer got its copy. */
  #forgetKnown(): void {
    this.#rest = this.#rest.subtract(this.#territory.held);
    if (!this.#trustsCopies) return;
    this.#rest = this.#rest.subtract(this.#territory.liveCopies(this.#view));
  }

  #whomToAsk(): readonly MemberId[] {
    const { others, ring } = this.#view;
    if (others.length <= askAllMax) return others;
    const likely = new Set(ring.ownersIn(this.#rest));
    for (const { value } of this.#territory.notes(this.#rest)) likely.add(value.member);
    likely.delete(this.#view.self);
    return [...likely];
  }

  async #heldBy(member: MemberId, arcs: ArcSet): Promise<ArcSet> {
    const answer = await this.#calls.whoHolds(member, arcs, timeoutMs);
    return answer ? answer.held.intersect(arcs) : ArcSet.empty;
  }

  /** Resolves when each of the members has everything, or is visited in vain. */
  async #bring(visits: ArcMap<Visit>, all: readonly Visit[], signal: AbortSignal): Promise<void> {
    for (const tag of broughtTags) {
      const sections = sectionsOfParts(this.#store, tag, visits, signal);
      for await (const { part: visit, section } of sections) {
        if (visit.isInVain) continue;
        visit.isInVain = !(await this.#bringSection(visit, section, signal));
        if (all.every(({ isInVain }) => isInVain)) return;
      }
    }
  }

  async #bringSection(
    { member, isThere }: Visit,
    section: Section,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (section.buckets.every(({ count }) => count === 0)) return true;
    const differences = await this.#calls.digests(member, section);
    if (!differences) return false;
    const filled = differences.filter(({ index }) => section.buckets[index]?.count !== 0);
    for (const { span } of differingSpans(section, filled)) {
      for await (const rows of readSpan(this.#store, span, rowsPerMessage)) {
        if (!(await this.#send(member, rows, isThere, signal))) return false;
      }
    }
    return true;
  }

  async #send(
    member: MemberId,
    rows: readonly Row[],
    isThere: () => boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    const untilMs = this.#clock.nowMs() + patienceMs;
    while (isThere() && this.#clock.nowMs() < untilMs) {
      const outcome = await this.#calls.homeRows(member, rows);
      if (outcome.kind === "reply") {
        this.#rows += rows.length;
        return true;
      }
      await this.#clock.sleep(outcome.kind === "busy" ? outcome.retryAfterMs : retryMs, signal);
    }
    return false;
  }
}
