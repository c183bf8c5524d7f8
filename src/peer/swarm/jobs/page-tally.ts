import { encodeClaim, pageCountsMax, pastPageCountsMax } from "../../../core/messages/claim.ts";
import type { PageCount, PageCounts, PastPageCount } from "../../../core/messages/claim.ts";
import { pagesMaxMax } from "../../../core/jobs/validate-job-options.ts";
import { Rounds } from "../../../core/rounds.ts";
import type { JobId, MemberId, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import type { Overlay } from "../../../ports/overlay.ts";
import type { Store } from "../../../ports/store.ts";
import type { JobRegistry } from "../../jobs/job-registry.ts";
import type { Journal } from "../../durability/journal.ts";
import { PastTotalsBook } from "../members/past-totals.ts";
import type { SwarmView } from "../members/swarm-view.ts";

/** How often the others are told of what has changed. */
const tellIntervalMs: Millis = 1_000;

/** Claims may be lost, so all is told again now and then. */
const tellAgainMs: Millis = 10_000;

/** Pages above a job's limit that may have been in flight where they were fetched: more of them are told to the log. */
const overshootMax = 10_000;

/** Members that the log is told of. */
const doubtedMax = 1_000;

/**
 * How many pages all members have fetched of the jobs whose number of pages is limited.
 *
 * Each member tells the others its own count, once a second where it or the limit has changed, again where a member is new,
 * and every few seconds in any case. A newcomer hears it with the definitions of the jobs already, before it is given
 * anything to fetch. Counts only grow, so the greatest one heard of a member holds, also when it is gone: each remembers it
 * in its database, and passes it on to those who were not there. Of a job that is given its limit later, those that are
 * gone by then are known from the totals that they handed over, where somebody has these.
 *
 * A count is believed when a member tells it, and no more of it than the job's limit, which a greater limit makes good. One
 * that no job can reach is not.
 */
export class PageTally {
  /** Of members that are gone: what is in it of a job counts when the job is given a limit. It is made durable here. */
  readonly past = new PastTotalsBook();
  readonly #clock: Clock;
  readonly #overlay: Pick<Overlay, "publish">;
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #jobs: JobRegistry;
  readonly #journal: Pick<Journal, "append">;
  readonly #view: Pick<SwarmView, "generationOf" | "others">;
  /** The count that was told of each job, and the job's limit then: who forgot it at that limit needs it at a higher one. */
  readonly #told = new Map<JobId, { readonly pages: number; readonly pagesMax: number }>();
  /** Runs of members that have been told everything, and the members of whom they are. */
  #acquainted: { readonly others: SwarmView["others"]; readonly runs: ReadonlySet<string> } = {
    others: [],
    runs: new Set(),
  };
  #toldAllAtMs: Millis = -Infinity;
  /**
   * The counts of those that are gone, others each time where they are too many for one message: those that all are told
   * of, and those that go to one member. Each of them has its own turn, or who asks often could keep all from some.
   */
  readonly #pastForAll = new Rounds(() => this.#past());
  readonly #pastForOne = new Rounds(() => this.#past());
  readonly #doubted = new Set<MemberId>();
  /** The log is told once. */
  #toldOfNoRoom = false;
  /** What decided which of the totals of those that are gone count, when they were last looked through. */
  #lookedAt: readonly unknown[] = [];

  constructor(
    ports: {
      readonly clock: Clock;
      readonly logger: Logger;
      readonly overlay: Pick<Overlay, "publish">;
      readonly store: Store;
    },
    parts: {
      readonly jobs: JobRegistry;
      readonly journal: Pick<Journal, "append">;
      readonly view: Pick<SwarmView, "generationOf" | "others">;
    },
  ) {
    this.#clock = ports.clock;
    this.#logger = ports.logger;
    this.#overlay = ports.overlay;
    this.#store = ports.store;
    this.#jobs = parts.jobs;
    this.#journal = parts.journal;
    this.#view = parts.view;
  }

  /** Takes in what another member has said of itself. */
  take(from: MemberId, counts: readonly PageCount[]): void {
    for (const count of counts) this.#count(from, { ...count, member: from });
  }

  /** Takes in what another member has said of those that are gone; one that runs speaks for itself. */
  takePast(from: MemberId, counts: readonly PastPageCount[]): void {
    for (const count of counts) if (this.#isGone(count.member)) this.#count(from, count);
  }

  /** What a member is told of with the definitions of the jobs, as much of it as fits a message: of the latest jobs first. */
  counts(): PageCounts {
    const pageCounts = this.#ownCounts().slice(-pageCountsMax);
    return { pageCounts, pastPageCounts: this.#pastForOne.next(pastPageCountsMax) };
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.past.load(this.#store);
    for (;;) {
      await this.#clock.sleep(tellIntervalMs, signal);
      if (signal.aborted) return;
      this.#tell();
    }
  }

  /** Makes durable what was heard when no commit has come by since; in the end too, for members seldom leave alone. */
  save(): void {
    const unsavedPast = this.past.takeUnsaved((member) => this.#isGone(member));
    void this.#journal.append([...this.#jobs.takeUnsaved(), ...unsavedPast]);
  }

  #count(from: MemberId, count: PastPageCount): void {
    const pagesMax = this.#pagesMaxOf(count.job);
    // Of a job or a limit that is not known yet, and by a member that is not, it will be told again.
    if (pagesMax === 0 || this.#isGone(from)) return;
    if (count.pages > pagesMax + overshootMax) this.#doubt(from, count);
    if (count.pages > pagesMaxMax + overshootMax) return;
    this.#jobs.countElsewhere({ ...count, pages: Math.min(count.pages, pagesMax) });
  }

  /** Once of each member. */
  #doubt(from: MemberId, { job, member, pages }: PastPageCount): void {
    if (this.#doubted.has(from) || this.#doubted.size >= doubtedMax) return;
    this.#doubted.add(from);
    this.#logger.warn("pages-beyond-limit", { from, job, member, pages });
  }

  /**
   * Takes in what members that are gone had fetched of jobs that had no limit then; whether there was any. There may be a
   * hundred thousand totals, so they are looked through only where a job, a member or they themselves have changed.
   */
  #countPast(): boolean {
    const now = [this.#jobs.changes, this.past.changes, this.#view.others];
    if (now.every((one, at) => one === this.#lookedAt[at])) return false;
    this.#lookedAt = now;
    let hasAny = false;
    for (const { member, jobs } of this.past.all()) {
      if (!this.#isGone(member)) continue;
      for (const { job, counts } of jobs) {
        const pages = Math.min(counts.pages, this.#pagesMaxOf(job));
        if (pages > 0 && this.#jobs.countElsewhere({ job, member, pages })) hasAny = true;
      }
    }
    return hasAny;
  }

  /** Without room a job's limit holds, at the worst, for each member by itself. */
  #makeRoom(): void {
    if (this.#jobs.makeRoomForCounts() || this.#toldOfNoRoom) return;
    this.#toldOfNoRoom = true;
    this.#logger.warn("page-counts-full", { jobs: this.#jobs.size });
  }

  #tell(): void {
    this.#makeRoom();
    const isDue = this.#clock.nowMs() >= this.#toldAllAtMs + tellAgainMs;
    const isForAll = [this.#countPast(), this.#hasNewcomers(), isDue].includes(true);
    if (isForAll) this.#toldAllAtMs = this.#clock.nowMs();
    const counts = this.#ownCounts().filter((count) => isForAll || this.#isNews(count));
    for (const { job, pages } of counts) {
      this.#told.set(job, { pages, pagesMax: this.#pagesMaxOf(job) });
    }
    for (let at = 0; at < counts.length; at += pageCountsMax) {
      const pageCounts = counts.slice(at, at + pageCountsMax);
      this.#overlay.publish(encodeClaim({ pageCounts }));
    }
    if (isForAll) this.#passOn();
  }

  #isNews({ job, pages }: PageCount): boolean {
    const told = this.#told.get(job);
    return told?.pages !== pages || told.pagesMax !== this.#pagesMaxOf(job);
  }

  #pagesMaxOf(job: JobId): number {
    return this.#jobs.find(job)?.definition.options.pagesMax ?? 0;
  }

  /** Tells of some that are gone, others each time. */
  #passOn(): void {
    this.save();
    const pastPageCounts = this.#pastForAll.next(pastPageCountsMax);
    if (pastPageCounts.length > 0) this.#overlay.publish(encodeClaim({ pastPageCounts }));
  }

  #ownCounts(): PageCount[] {
    return this.#jobs.all().flatMap(({ definition: { id, options, state }, counter }) => {
      const counts = options.pagesMax > 0 && state !== "cancelled" && counter.pages > 0;
      return counts ? [{ job: id, pages: counter.pages }] : [];
    });
  }

  *#past(): Generator<PastPageCount, void, undefined> {
    yield* this.#jobs.pagesElsewhere((member) => this.#isGone(member));
  }

  #isGone(member: MemberId): boolean {
    return this.#view.generationOf(member) === undefined;
  }

  #hasNewcomers(): boolean {
    const { others } = this.#view;
    const known = this.#acquainted;
    if (known.others === others) return false;
    const runs = new Set(others.map((one) => `${one} ${this.#view.generationOf(one)}`));
    this.#acquainted = { others, runs };
    return [...runs].some((run) => !known.runs.has(run));
  }
}
