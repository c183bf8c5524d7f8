import { decodeActivity, encodeActivityReply, noJob } from "../../core/messages/activity.ts";
import { decodeForward, encodeForwardReply } from "../../core/messages/forward.ts";
import {
  decodeArcNotice,
  encodeAnswer,
  encodeWhoHoldsReply,
  knownHoldersMax,
  type ArcNotice,
  type KnownHolder,
} from "../../core/messages/holding.ts";
import { decodeJobs, encodeJobs } from "../../core/messages/jobs.ts";
import {
  decodePullRows,
  decodeRangeDigests,
  encodePullRowsReply,
  encodeRangeDigestsReply,
} from "../../core/messages/reconciliation.ts";
import { decodeRows, type Row } from "../../core/messages/rows.ts";
import { idOf } from "../../core/record/id-of.ts";
import { ArcSet } from "../../core/ring/arc-set.ts";
import type { MemberId, Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { Overlay } from "../../ports/overlay.ts";
import type { Store } from "../../ports/store.ts";
import type { Journal } from "../durability/journal.ts";
import type { JobRegistry } from "../jobs/job-registry.ts";
import { agedRows } from "../robots/aged-rows.ts";
import type { MissedTime } from "../robots/missed-time.ts";
import type { ForwardDesk } from "./exchange/forward-desk.ts";
import type { JobSpread } from "./jobs/job-spread.ts";
import { mayClaim } from "./ownership/arc-claim.ts";
import { differencesFrom, unknownRows } from "./replication/range-sections.ts";
import type { CountedOverlaps } from "./replication/overlaps.ts";
import { partsOfRows } from "./replication/parts-of-rows.ts";
import type { ReplicaKeeper } from "./replication/replica-keeper.ts";
import type { Replicator } from "./replication/replicator.ts";
import type { SwarmView } from "./members/swarm-view.ts";
import type { Termination } from "./jobs/termination.ts";
import type { Holder, Territory } from "./ownership/territory.ts";
import { memberSlots, reply, serve, turnMs, type Answer } from "./serve.ts";

interface HandlerParts {
  readonly desk: ForwardDesk;
  readonly jobs: JobRegistry;
  readonly journal: Pick<Journal, "flushed">;
  readonly keeper: ReplicaKeeper;
  readonly missed: MissedTime;
  readonly replicator: Pick<Replicator, "full">;
  readonly spread: JobSpread;
  readonly termination: Termination;
  readonly territory: Territory;
  readonly view: SwarmView;
  /** The arcs of which the member has a complete copy that is kept up to date. */
  readonly keptAt: (member: MemberId) => ArcSet;
  /** Begins to hold arcs that their holder passes on. */
  readonly accept: (from: MemberId, arcs: ArcSet, doubtAgeMs: Millis | undefined) => Promise<void>;
  /** Called when it has become known who holds something. */
  readonly onNoted: () => void;
}

const nothing = new Uint8Array(0);

/** Who asks where there is no room is to come again after a while. */
const busy: Answer = Object.freeze({ kind: "busy", retryAfterMs: 200 });

/** Arcs of all these, so that their part of the answer is below 2 MiB: 14 bytes each. */
const knownArcsMax = 128 * 1_024;

/**
 * Ranges that are read for other members at once, twice what the database reads at once. Forty bytes ask for a mebibyte of
 * rows, which are in memory until they are all there; whoever opens all streams that it may has seven hundred such questions
 * under way.
 */
const readsMax = 8;

/**
 * A reading is not begun after so long: whoever asks gives up after five seconds, and asks anew. Where many members ask more
 * than can be read, all that is read would be for those who wait no more, and none would ever be answered.
 */
const readWithinMs: Millis = 2_000;

/** What other members ask of this peer. */
export class PeerHandlers {
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #store: Store;
  readonly #parts: HandlerParts;
  readonly #reads = memberSlots(readsMax);
  readonly #exchanges = memberSlots(1);

  constructor(
    ports: { readonly clock: Clock; readonly metrics: Metrics; readonly store: Store },
    parts: HandlerParts,
  ) {
    this.#clock = ports.clock;
    this.#metrics = ports.metrics;
    this.#store = ports.store;
    this.#parts = parts;
  }

  serve(overlay: Overlay): void {
    serve(overlay, "forward", (from, payload) => this.#forward(from, payload));
    serve(overlay, "rows", (_, payload) => this.#rows(payload, "superseded"));
    serve(overlay, "homeRows", (_, payload) => this.#homeRows(payload));
    serve(overlay, "rangeDigests", (from, payload) => this.#rangeDigests(from, payload));
    serve(overlay, "pullRows", (from, payload) => this.#pullRows(from, payload));
    serve(overlay, "synced", (from, payload) => this.#synced(from, payload));
    serve(overlay, "released", (from, payload) => this.#released(from, payload));
    serve(overlay, "transfer", (from, payload) => this.#transfer(from, payload));
    serve(overlay, "whoHolds", (from, payload) => this.#whoHolds(from, payload));
    serve(overlay, "activity", (from, payload) => this.#activity(from, payload));
    serve(overlay, "jobs", (from, payload) => this.#jobs(from, payload));
  }

  async #forward(from: MemberId, payload: Uint8Array): Promise<Answer | undefined> {
    const entries = decodeForward(payload);
    if (!entries) return undefined;
    const delivery = await this.#parts.desk.receive(from, entries);
    return delivery.kind === "later"
      ? { kind: "busy", retryAfterMs: delivery.afterMs }
      : reply(encodeForwardReply(delivery.results));
  }

  async #rows(payload: Uint8Array, overlaps: CountedOverlaps): Promise<Answer | undefined> {
    const message = decodeRows(payload);
    if (!message) return undefined;
    const behindMs = this.#clock.nowMs() - message.nowMs;
    const { keeper, territory } = this.#parts;
    const parts = partsOfRows(message.rows, territory);
    // Asked for at once, so that no other rows come between them.
    await Promise.all(parts.map((rows) => keeper.take(rows, behindMs, overlaps)));
    return reply(nothing);
  }

  /**
   * What comes home goes on to the replicas, and may come from many members faster than those take it. A copy's rows have to
   * be taken whatever is on its way from here: two members that send each other some would wait for each other.
   */
  #homeRows(payload: Uint8Array): Promise<Answer | undefined> | Answer {
    if (this.#parts.replicator.full) return busy;
    return this.#rows(payload, "all");
  }

  async #rangeDigests(from: MemberId, payload: Uint8Array): Promise<Answer | undefined> {
    const message = decodeRangeDigests(payload);
    if (!message) return undefined;
    return this.#read(from, async () =>
      reply(encodeRangeDigestsReply(await differencesFrom(this.#store, message))),
    );
  }

  async #pullRows(from: MemberId, payload: Uint8Array): Promise<Answer | undefined> {
    const asked = decodePullRows(payload);
    if (!asked) return undefined;
    return this.#read(from, async () => {
      const answer = await unknownRows(this.#store, asked);
      await this.#durable(answer.rows);
      const rows = agedRows(answer.rows, this.#parts.missed);
      return reply(encodePullRowsReply({ nowMs: this.#clock.nowMs(), ...answer, rows }));
    });
  }

  /** What can be read may not be on the disk yet: another member must not have a page's end that this one loses. */
  async #durable(rows: readonly Row[]): Promise<void> {
    const underWay = this.#parts.keeper.underWay();
    if (rows.some(({ key }) => underWay.has(idOf(key)))) await this.#parts.journal.flushed();
  }

  /** Reads when the member's turn comes, unless that has taken too long. */
  async #read(from: MemberId, read: () => Promise<Answer>): Promise<Answer> {
    if (this.#reads.isFull(from)) return busy;
    const untilMs = this.#clock.nowMs() + readWithinMs;
    return this.#reads.run(from, () =>
      this.#clock.nowMs() > untilMs ? Promise.resolve(busy) : read(),
    );
  }

  #synced(from: MemberId, payload: Uint8Array): Answer | undefined {
    const message = this.#noticeOf(from, payload);
    if (!message) return undefined;
    const { arcs, generation } = message;
    this.#parts.territory.note(arcs, { member: from, generation, synced: true });
    this.#parts.onNoted();
    return reply(encodeAnswer(true));
  }

  #released(from: MemberId, payload: Uint8Array): Answer | undefined {
    const message = this.#noticeOf(from, payload);
    if (!message) return undefined;
    const { territory, view } = this.#parts;
    territory.release(message.arcs, from, message.generation, (member, generation) =>
      view.isRunning(member, generation),
    );
    return reply(encodeAnswer(true));
  }

  /**
   * What a member says of copies; nothing where it does not run so, as far as is known here, or there is no room for it: it
   * says so again.
   */
  #noticeOf(from: MemberId, payload: Uint8Array): ArcNotice | undefined {
    const { territory, view } = this.#parts;
    const notice = decodeArcNotice(payload);
    if (!notice || !view.isRunning(from, notice.generation)) return undefined;
    if (territory.makeRoomFor(notice.arcs, from, view.others.length + 1)) return notice;
    this.#metrics.count("queue_full_total", 1, { queue: "holders" });
    return undefined;
  }

  async #transfer(from: MemberId, payload: Uint8Array): Promise<Answer | undefined> {
    const message = decodeArcNotice(payload);
    if (!message) return undefined;
    const { keeper, territory, view } = this.#parts;
    // What it has taken already, or is about to take, is asked again where the answer was lost or late.
    const isTaken = (): Promise<boolean> =>
      keeper.alone(() => Promise.resolve(territory.held.covers(message.arcs)));
    if (view.role !== "active" && !(await isTaken())) return reply(encodeAnswer(false));
    await this.#parts.accept(from, message.arcs, message.doubtAgeMs);
    return reply(encodeAnswer(true));
  }

  #whoHolds(from: MemberId, payload: Uint8Array): Answer | undefined {
    const message = decodeArcNotice(payload);
    if (!message) return undefined;
    const { arcs } = message;
    const { territory, view } = this.#parts;
    // A member that is joining claims nothing; whoever does gets its rows when it makes a copy there.
    const claimable = mayClaim(view.role) ? arcs : ArcSet.empty;
    const copied = territory.bereft(view, claimable);
    const answer = encodeWhoHoldsReply({
      generation: view.generation,
      held: territory.held.intersect(arcs),
      kept: this.#parts.keptAt(from).intersect(arcs),
      copied,
      former: territory.notedWhere((holder) => holder.former === true, copied),
      known: this.#knownWithin(arcs),
    });
    return reply(answer);
  }

  #knownWithin(arcs: ArcSet): KnownHolder[] {
    const { territory, view } = this.#parts;
    const runs = new Map<string, Holder>();
    for (const { value: holder } of territory.notes(arcs)) {
      if (!view.isRunning(holder.member, holder.generation)) continue;
      if (runs.size < knownHoldersMax) runs.set(`${holder.generation} ${holder.member}`, holder);
    }
    const known: KnownHolder[] = [];
    let room = knownArcsMax;
    for (const { member, generation } of runs.values()) {
      const noted = territory.notedWhere(
        (holder) => holder.member === member && holder.generation === generation,
        arcs,
      );
      if (noted.size > room) continue;
      room -= noted.size;
      known.push({ arcs: noted, holder: member, generation });
    }
    return known;
  }

  #activity(from: MemberId, payload: Uint8Array): Answer | undefined {
    const id = decodeActivity(payload);
    if (id === undefined) return undefined;
    const report = this.#parts.termination.report(id);
    const isUnheard = id !== noJob && this.#parts.jobs.find(id) === undefined;
    // Whoever asks about a job has heard of it.
    if (isUnheard && report.busy !== undefined) void this.#parts.spread.learn(from);
    return reply(encodeActivityReply(report));
  }

  /** One in a turn of the event loop: nine bytes may ask for a megabyte of ten thousand definitions. */
  async #jobs(from: MemberId, payload: Uint8Array): Promise<Answer | undefined> {
    const news = decodeJobs(payload);
    if (!news) return undefined;
    if (this.#exchanges.isFull(from)) return busy;
    return this.#exchanges.run(from, async () => {
      const answer = reply(encodeJobs(this.#parts.spread.answer(from, news)));
      await this.#clock.sleep(turnMs);
      return answer;
    });
  }
}
