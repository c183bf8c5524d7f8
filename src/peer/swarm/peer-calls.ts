import {
  decodeActivityReply,
  encodeActivity,
  type noJob,
  type ActivityReply,
} from "../../core/messages/activity.ts";
import {
  decodeContentChunk,
  encodeContentQuestion,
  type ContentChunk,
  type ContentQuestion,
} from "../../core/messages/content-message.ts";
import { decodeForwardReply, encodeForward } from "../../core/messages/forward.ts";
import {
  arcsPerQuestionMax,
  decodeAnswer,
  decodeWhoHoldsReply,
  encodeArcNotice,
  joinWhoHolds,
  type ArcNotice,
  type WhoHoldsReply,
} from "../../core/messages/holding.ts";
import {
  decodeHostReply,
  encodeHostQuestion,
  type HostQuestion,
  type KnownHost,
} from "../../core/messages/host-message.ts";
import { decodeJobs, encodeJobs, type JobNews } from "../../core/messages/jobs.ts";
import {
  decodeListReply,
  encodeListQuestion,
  type ListQuestion,
  type ListReply,
} from "../../core/messages/list-message.ts";
import { messageKinds, type MessageKind } from "../../core/messages/message-kinds.ts";
import {
  decodePullRowsReply,
  decodeRangeDigestsReply,
  encodePullRows,
  encodeRangeDigests,
  type PullRows,
  type PullRowsReply,
  type RangeDigests,
} from "../../core/messages/reconciliation.ts";
import { encodeRows, type Row } from "../../core/messages/rows.ts";
import {
  decodeStatsReply,
  encodeStatsQuestion,
  type StatsQuestion,
  type StatsReply,
} from "../../core/messages/stats-message.ts";
import {
  decodeStatusReply,
  encodeStatusQuestion,
  type Refusal,
  type StatusQuestion,
  type StatusReply,
} from "../../core/messages/status-message.ts";
import type { OutboxEntry } from "../../core/record/record.pb.ts";
import type { RangeDifference } from "../../core/replication/range-digest.ts";
import type { ArcSet } from "../../core/ring/arc-set.ts";
import type { JobId, MemberId, Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Overlay, OverlayClass, OverlayOutcome } from "../../ports/overlay.ts";
import { agedRows } from "../robots/aged-rows.ts";
import type { MissedTime } from "../robots/missed-time.ts";
import type { Delivery } from "./exchange/parcel.ts";
import type { SwarmView } from "./members/swarm-view.ts";
import { Unanswered } from "./unanswered.ts";

/** How a request is made. */
interface Manner {
  readonly class: OverlayClass;
  /** Without an answer after so long it counts as not answered. */
  readonly timeoutMs: Millis;
  /** It is made until it is answered, and the swarm does not go on without that. */
  readonly isVital: boolean;
}

/** What moves rows, or the right to them; a message that is not acknowledged in time is sent again. */
const moving: Manner = { class: "transfer", timeoutMs: 5_000, isVital: true };

const asking: Manner = { class: "control", timeoutMs: 2_000, isVital: false };

const manners = {
  forward: { ...moving, class: "forwarding" },
  rows: moving,
  rangeDigests: moving,
  pullRows: moving,
  synced: moving,
  released: moving,
  homeRows: moving,
  transfer: moving,
  whoHolds: asking,
  activity: asking,
  // The member may wait a second until its copies have what it says.
  status: asking,
  stats: asking,
  host: asking,
  jobs: { ...asking, timeoutMs: 3_000 },
  // A body is bulk, and nothing that a swarm lives by may wait for it.
  content: { class: "transfer", timeoutMs: 10_000, isVital: false },
  list: { ...asking, class: "transfer" },
} satisfies Partial<Record<MessageKind, Manner>>;

type AskedKind = keyof typeof manners;

/** Rest after a batch that did not arrive. */
const forwardRetryMs: Millis = 300;

/**
 * Longest rest that a member may ask for: it is asked again then, and whoever waits for several members waits no longer for
 * one of them.
 */
const restMaxMs: Millis = 5_000;

/** What this peer asks other members, as typed calls. A call that was not answered, or with nonsense, returns nothing. */
export class PeerCalls {
  readonly #clock: Clock;
  readonly #missed: MissedTime;
  readonly #overlay: Overlay;
  readonly #view: SwarmView;
  readonly #signal: AbortSignal;
  readonly #unanswered: Unanswered;

  constructor(
    ports: {
      readonly clock: Clock;
      readonly logger: Logger;
      readonly missed: MissedTime;
      readonly overlay: Overlay;
    },
    view: SwarmView,
    signal: AbortSignal,
  ) {
    this.#clock = ports.clock;
    this.#missed = ports.missed;
    this.#overlay = ports.overlay;
    this.#view = view;
    this.#signal = signal;
    this.#unanswered = new Unanswered(ports);
  }

  /** Discovered URLs for the member that holds their sites. */
  async forward(to: MemberId, entries: readonly OutboxEntry[]): Promise<Delivery> {
    const outcome = await this.#request(to, "forward", encodeForward(entries));
    if (outcome.kind === "busy") return { kind: "later", afterMs: outcome.retryAfterMs };
    const results =
      outcome.kind === "reply" ? decodeForwardReply(outcome.payload, entries.length) : undefined;
    return results ? { kind: "received", results } : { kind: "later", afterMs: forwardRetryMs };
  }

  /** Rows for a copy; acknowledged when they are durable there. */
  rows(to: MemberId, rows: readonly Row[]): Promise<OverlayOutcome> {
    return this.#sendRows(to, "rows", rows);
  }

  /** Rows of an earlier run for the member that holds their arcs; acknowledged when they are durable there. */
  homeRows(to: MemberId, rows: readonly Row[]): Promise<OverlayOutcome> {
    return this.#sendRows(to, "homeRows", rows);
  }

  /** The buckets in which the member's rows differ. */
  digests(to: MemberId, digests: RangeDigests): Promise<readonly RangeDifference[] | undefined> {
    return this.#ask(to, "rangeDigests", encodeRangeDigests(digests), (reply) =>
      decodeRangeDigestsReply(reply, digests.buckets.length),
    );
  }

  /** Rows of the member, and how far its clock is behind this peer's, the way taken into account as if it took no time. */
  async pull(
    to: MemberId,
    asked: PullRows,
  ): Promise<(Omit<PullRowsReply, "nowMs"> & { readonly behindMs: Millis }) | undefined> {
    const reply = await this.#ask(to, "pullRows", encodePullRows(asked), (payload) =>
      decodePullRowsReply(payload, asked),
    );
    if (!reply) return undefined;
    const { nowMs, ...answer } = reply;
    return { ...answer, behindMs: this.#clock.nowMs() - nowMs };
  }

  /** Tells the member that its copy of these arcs is complete; whether it has heard it. */
  synced(to: MemberId, arcs: ArcSet): Promise<boolean> {
    return this.#tell(to, "synced", arcs);
  }

  /** Tells the member that its copy of these arcs is kept up to date no more; whether it has heard it. */
  released(to: MemberId, arcs: ArcSet): Promise<boolean> {
    return this.#tell(to, "released", arcs);
  }

  /** Offers the right to arcs, with the doubt about their hosts; whether it was accepted. */
  transfer(to: MemberId, offer: Omit<ArcNotice, "generation">): Promise<boolean | undefined> {
    return this.#ask(to, "transfer", this.#notice(offer), decodeAnswer);
  }

  /** In as many questions as the arcs take; `timeoutMs` is for each. */
  async whoHolds(
    to: MemberId,
    arcs: ArcSet,
    timeoutMs?: Millis,
  ): Promise<WhoHoldsReply | undefined> {
    const replies: WhoHoldsReply[] = [];
    for (const part of arcs.inParts(arcsPerQuestionMax)) {
      const notice = this.#notice({ arcs: part });
      const reply = await this.#ask(to, "whoHolds", notice, decodeWhoHoldsReply, timeoutMs);
      if (!reply) return undefined;
      replies.push(reply);
    }
    return joinWhoHolds(replies);
  }

  activity(to: MemberId, job: JobId | typeof noJob): Promise<ActivityReply | undefined> {
    return this.#ask(to, "activity", encodeActivity(job), decodeActivityReply);
  }

  /** Sends all definitions; returns those that the member has in a later form. */
  jobs(to: MemberId, news: JobNews): Promise<JobNews | undefined> {
    return this.#ask(to, "jobs", encodeJobs(news), decodeJobs);
  }

  /** What the member knows of URLs. */
  status(to: MemberId, question: StatusQuestion): Promise<StatusReply | undefined> {
    return this.#ask(to, "status", encodeStatusQuestion(question), (reply) =>
      decodeStatusReply(reply, question.urls.length),
    );
  }

  /** What the member knows of a host. */
  host(to: MemberId, question: HostQuestion): Promise<KnownHost | Refusal | undefined> {
    return this.#ask(to, "host", encodeHostQuestion(question), decodeHostReply);
  }

  /** URLs of a job at sites that the member holds. */
  list(to: MemberId, question: ListQuestion): Promise<ListReply | undefined> {
    return this.#ask(to, "list", encodeListQuestion(question), (reply) =>
      decodeListReply(reply, question),
    );
  }

  /** The member's own figures; it remembers what it is told of others. */
  stats(
    to: MemberId,
    question: StatsQuestion,
    timeoutMs?: Millis,
  ): Promise<StatsReply | undefined> {
    return this.#ask(to, "stats", encodeStatsQuestion(question), decodeStatsReply, timeoutMs);
  }

  /** A part of a response in the member's archive. */
  content(to: MemberId, question: ContentQuestion): Promise<ContentChunk | undefined> {
    return this.#ask(to, "content", encodeContentQuestion(question), decodeContentChunk);
  }

  #sendRows(
    to: MemberId,
    kind: "homeRows" | "rows",
    rows: readonly Row[],
  ): Promise<OverlayOutcome> {
    const { generation } = this.#view;
    const aged = agedRows(rows, this.#missed);
    const payload = encodeRows({ generation, nowMs: this.#clock.nowMs(), rows: aged });
    return this.#request(to, kind, payload);
  }

  async #tell(to: MemberId, kind: "released" | "synced", arcs: ArcSet): Promise<boolean> {
    return (await this.#request(to, kind, this.#notice({ arcs }))).kind === "reply";
  }

  #notice(notice: Omit<ArcNotice, "generation">): Uint8Array {
    return encodeArcNotice({ generation: this.#view.generation, ...notice });
  }

  async #ask<T>(
    to: MemberId,
    kind: AskedKind,
    payload: Uint8Array,
    decode: (reply: Uint8Array) => T | undefined,
    timeoutMs?: Millis,
  ): Promise<T | undefined> {
    const outcome = await this.#request(to, kind, payload, timeoutMs);
    return outcome.kind === "reply" ? decode(outcome.payload) : undefined;
  }

  async #request(
    to: MemberId,
    kind: AskedKind,
    payload: Uint8Array,
    timeoutMs: Millis = manners[kind].timeoutMs,
  ): Promise<OverlayOutcome> {
    const { class: traffic, isVital } = manners[kind];
    const request = { to, class: traffic, kind: messageKinds[kind], payload, timeoutMs };
    const outcome = bounded(await this.#overlay.request(request, this.#signal));
    if (!isVital) return outcome;
    if (outcome.kind === "reply") this.#unanswered.answered(to, kind);
    else if (!this.#signal.aborted) this.#unanswered.failed(to, kind);
    return outcome;
  }
}

function bounded(outcome: OverlayOutcome): OverlayOutcome {
  if (outcome.kind !== "busy") return outcome;
  return { kind: "busy", retryAfterMs: Math.min(outcome.retryAfterMs, restMaxMs) };
}
