import type { JobCounts } from "../../../core/answers/job-counts.ts";
import { stateOf } from "../../../core/membership/member.ts";
import { totalsMax } from "../../../core/messages/stats-message.ts";
import type {
  PastTotals,
  StatsQuestion,
  StatsReply,
} from "../../../core/messages/stats-message.ts";
import { jobSpace } from "../../../core/record/url-keys.ts";
import type { Ring } from "../../../core/ring/ring.ts";
import { roundFigure } from "../../../core/round-figure.ts";
import type { MemberId, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { MemberReport, SwarmStats } from "../../../ports/peer-control.ts";
import type { JobRegistry } from "../../jobs/job-registry.ts";
import { ownFigures, type DeskParts } from "../../answers/question-desk.ts";
import { Slots } from "../../slots.ts";
import { sumFigures, type MemberFigures } from "../../answers/sum-figures.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { JobSpread } from "../jobs/job-spread.ts";
import type { MemberView } from "../members/member-view.ts";
import type { PastTotalsBook } from "../members/past-totals.ts";
import type { Homecoming } from "../ownership/homecoming.ts";
import type { PeerCalls } from "../peer-calls.ts";

/** Members that are asked at once. */
const askedMax = 64;

/** Members that a peer hands its totals to when it stops: should one be lost, another has them. */
const heirsMax = 2;

const heirTimeoutMs: Millis = 1_000;

/** The swarm in figures: who is there, and what all have done together. */
export class SwarmFigures {
  readonly #clock: Clock;
  readonly #desk: DeskParts;
  readonly #exchange: Pick<Exchange, "pendingOf">;
  readonly #homecoming: Pick<Homecoming, "isDone">;
  readonly #calls: PeerCalls;
  readonly #jobs: JobRegistry;
  readonly #spread: JobSpread;
  readonly #view: MemberView;
  readonly #past: PastTotalsBook;
  /** What each member owns, for as long as the ring is this one. */
  #shares: { readonly ring: Ring; readonly of: ReadonlyMap<MemberId, number> } | undefined;

  constructor(
    clock: Clock,
    desk: DeskParts,
    parts: {
      readonly calls: PeerCalls;
      readonly exchange: Pick<Exchange, "pendingOf">;
      readonly homecoming: Pick<Homecoming, "isDone">;
      readonly past: PastTotalsBook;
      readonly spread: JobSpread;
      readonly view: MemberView;
    },
  ) {
    this.#clock = clock;
    this.#desk = desk;
    this.#jobs = desk.jobs;
    this.#calls = parts.calls;
    this.#exchange = parts.exchange;
    this.#homecoming = parts.homecoming;
    this.#past = parts.past;
    this.#spread = parts.spread;
    this.#view = parts.view;
  }

  members(): readonly MemberReport[] {
    const shares = this.#sharesNow();
    const [self, ...others] = this.#view.members();
    const rows = [...(self ? [self] : []), ...others.sort((a, b) => (a.id < b.id ? -1 : 1))];
    return rows.map((member) => {
      const { id, addresses, weight, generation, version } = member;
      const share = roundFigure(shares.get(id) ?? 0);
      return { id, addresses, state: stateOf(member), weight, share, generation, version };
    });
  }

  /** To look at every arc takes some time, and members are asked for every second. */
  #sharesNow(): ReadonlyMap<MemberId, number> {
    const { ring } = this.#view;
    if (this.#shares?.ring !== ring) this.#shares = { ring, of: ring.sharesOf() };
    return this.#shares.of;
  }

  /** Asks all members at once, and remembers what they say for the time when they are gone. */
  async stats(): Promise<SwarmStats> {
    const { others, self } = this.#view;
    const slots = new Slots(askedMax);
    const asked = await Promise.all(
      others.map(async (member) => {
        const answer = await slots.run(() => this.#ask(member));
        return { member, answer };
      }),
    );
    const answers: MemberFigures[] = [{ member: self, reply: this.#own(), lagMs: 0 }];
    const silent: MemberId[] = [];
    for (const { member, answer } of asked) {
      if (answer) answers.push(answer);
      else silent.push(member);
    }
    await this.#learnJobs(answers);
    const present = new Set(answers.map(({ member }) => member));
    for (const { member, reply } of answers.slice(1)) {
      this.#past.take([totalsOf(member, reply)], present);
      this.#past.take(reply.past, present);
    }
    const past = this.#past.all().filter(({ member }) => !present.has(member));
    return sumFigures(this.#jobs.all(), answers, { past, silent });
  }

  /** What another member asks for; it may have brought what this one shall remember. */
  answer({ past }: StatsQuestion): StatsReply {
    const { others, self } = this.#view;
    const ofOthers = past.filter(({ member }) => member !== self);
    this.#past.take(ofOthers, new Set(others));
    const own = fittingOf(this.#own());
    return { ...own, past: this.#past.latest(own.jobs.length) };
  }

  /** Tells others what this peer has done, and remembers of others, before it goes. */
  async handOver(): Promise<void> {
    const { others, self } = this.#view;
    const own = totalsOf(self, fittingOf(this.#own()));
    const past = [own, ...this.#past.latest(own.jobs.length)];
    const heirs = this.#thoseWhoStayFirst(others).slice(0, heirsMax);
    await Promise.all(heirs.map((member) => this.#calls.stats(member, { past }, heirTimeoutMs)));
  }

  /** Members that leave as well have told others what they know, perhaps, and then forget what they are told now. */
  #thoseWhoStayFirst(others: readonly MemberId[]): readonly MemberId[] {
    const leaving = this.#view.members().filter(({ role }) => role === "leaving");
    const going = new Set(leaving.map(({ id }) => id));
    return others.toSorted((one, other) => Number(going.has(one)) - Number(going.has(other)));
  }

  /** Nothing, when it does not answer in time. */
  async #ask(member: MemberId): Promise<MemberFigures | undefined> {
    const askedAtMs = this.#clock.nowMs();
    const reply = await this.#calls.stats(member, { past: [] });
    return reply && { member, reply, lagMs: Math.round(this.#clock.nowMs() - askedAtMs) };
  }

  /**
   * What is queued counts when its arc is held: until a holder has all that is here, more may be left than is known of. What is
   * on its way to its owner counts nowhere else.
   */
  #own(): StatsReply {
    const own = ownFigures(this.#desk, this.#view.generation);
    const isHome = this.#homecoming.isDone;
    const jobs = own.jobs.map((totals) => {
      const isSent = this.#exchange.pendingOf(jobSpace(totals.job)) === 0;
      return { ...totals, finished: totals.finished && isHome && isSent };
    });
    return { ...own, jobs };
  }

  /** Totals of a job can be told only with its definition. */
  async #learnJobs(answers: readonly MemberFigures[]): Promise<void> {
    for (const { member, reply } of answers) {
      if (reply.jobs.some(({ job }) => !this.#jobs.find(job))) await this.#spread.exchange(member);
    }
  }
}

/**
 * As many jobs as a message has room for. Who is not told of a job takes it for finished here with nothing done: so those
 * that are not come first, and last those of which nothing has been counted. A peer that is not home yet calls none finished:
 * there those of which it has URLs come first.
 */
function fittingOf(own: StatsReply): StatsReply {
  if (own.jobs.length <= totalsMax) return own;
  const {
    open = [],
    done = [],
    idle = [],
  } = Object.groupBy(own.jobs, ({ counts, finished }) => {
    if (!finished && counts.queued > 0) return "open";
    return isNothing(counts) ? "idle" : "done";
  });
  return { ...own, jobs: [...open, ...done, ...idle].slice(0, totalsMax) };
}

function isNothing({ skipped, letIn = {}, statuses, ...counts }: JobCounts): boolean {
  const all = [counts, skipped, letIn, statuses].flatMap<number>(Object.values);
  return all.every((count) => count === 0);
}

function totalsOf(member: MemberId, { generation, upMs, jobs }: StatsReply): PastTotals {
  return { member, generation, upMs, jobs: jobs.map(({ job, counts }) => ({ job, counts })) };
}
