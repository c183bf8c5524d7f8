import { CrawlError } from "../../core/errors.ts";
import { reportedDefinition } from "../../core/answers/reported-definition.ts";
import type { ExclusionReason } from "../../core/jobs/exclusion.ts";
import {
  jobsMax,
  needsCounts,
  patternCharacters,
  patternCharactersOfAllMax,
  revisionMax,
} from "../../core/jobs/job-definition.ts";
import type { JobDefinition, JobOptions } from "../../core/jobs/job-definition.ts";
import { addsToJobDefinition, mergeJobDefinitions } from "../../core/jobs/merge-job-definition.ts";
import { digestOfDefinition } from "../../core/jobs/read-job-definition.ts";
import { optionChanges } from "../../core/jobs/option-changes.ts";
import type { PastPageCount } from "../../core/messages/claim.ts";
import { jobIdOf, validateJobOptions } from "../../core/jobs/validate-job-options.ts";
import { jobSpace } from "../../core/record/url-keys.ts";
import { namedKey } from "../../core/record/named-keys.ts";
import { tagRange } from "../../core/record/key-ranges.ts";
import type { JobId, MemberId } from "../../core/units.ts";
import type { Store, StoreOp } from "../../ports/store.ts";
import { JobCounter } from "./job-counter.ts";
import type { JobChanger, JobLog } from "./job-log.ts";
import { nextRevision, refuseCancelled, refuseOtherUrls, tooManyPatterns } from "./job-refusals.ts";
import { PagesHeard } from "./pages-heard.ts";
import { readStoredDefinition, storedDefinitionOp } from "./stored-definition.ts";
import { UnheardQueues } from "./unheard-queues.ts";
import type { JobChange, JobCounts, JobReport } from "../../ports/peer-control.ts";

/** A job as this peer runs it; the object stays the same when its definition changes. */
export interface Job {
  definition: JobDefinition;
  /** Number of the job inside database keys and in the sieve. */
  readonly space: number;
  readonly counter: JobCounter;
  /** URLs of it that are leased: being fetched, parsed, or on their way to the journal. */
  leases: number;
  /** Pages that other members have told of, where the job's number of pages is limited. */
  pagesElsewhere: number;
}

/**
 * The jobs that this peer knows, with their running totals.
 *
 * Invariant: totals are written by the same commit as the changes that they count.
 */
export class JobRegistry {
  readonly #jobs = new Map<JobId, Job>();
  readonly #bySpace = new Map<number, Job>();
  /** Characters of the patterns of all jobs. */
  #patternCharacters = 0;
  #digest = 0n;
  #hasLeftOut = false;
  readonly #heard = new PagesHeard();
  readonly #unheard = new UnheardQueues();
  #hasFoundQueued = false;
  #changes = 0;
  /** Changes that the next commit has to carry. */
  #unsaved: StoreOp[] = [];
  readonly #onChange: JobLog["changed"];

  /** @param onChange called with each job that is made or changed */
  constructor(onChange: JobLog["changed"] = () => undefined) {
    this.#onChange = onChange;
  }

  async load(store: Store): Promise<void> {
    for await (const { value } of store.scan(tagRange("job"))) {
      const definition = readStoredDefinition(value);
      const counts = await store.get(namedKey("counts", definition.id));
      this.#install(definition, new JobCounter(counts));
    }
    await this.#heard.load(store);
    for (const { job, pages } of this.pagesElsewhere()) {
      const known = this.#jobs.get(job);
      if (known) known.pagesElsewhere += pages;
    }
    for (const job of this.#jobs.values()) this.#forgetNeedless(job);
  }

  /** Rows for the next commit; see {@link Journal.contribute}. */
  takeUnsaved(): readonly StoreOp[] {
    const ops = [...this.#unsaved, ...this.#heard.takeUnsaved()];
    this.#unsaved = [];
    for (const job of this.#jobs.values()) {
      const value = job.counter.takeChanged();
      if (value) ops.push({ type: "put", key: namedKey("counts", job.definition.id), value });
    }
    return ops;
  }

  /**
   * The job with this id, created or changed as `options` say. What it takes for one URL stays: its records, its queue and the
   * sieve know its URLs by that. Errors: `CONFIG_INVALID`, `JOB_CANCELLED`.
   */
  define(id: string, options: Partial<JobOptions> = {}): Job {
    const jobId = jobIdOf(id);
    const known = this.#jobs.get(jobId);
    const draft = this.draft(jobId, options);
    return known?.definition === draft ? known : this.#change(draft, "here");
  }

  /** What {@link define} makes of a job, without making it. Errors: `CONFIG_INVALID`, `JOB_CANCELLED`. */
  draft(jobId: JobId, options: Partial<JobOptions>): JobDefinition {
    const known = this.#jobs.get(jobId);
    if (known) refuseCancelled(known.definition);
    if (known && this.isAs(jobId, options)) return known.definition;
    if (!known && this.#jobs.size >= jobsMax) {
      const problem = `there are ${jobsMax} jobs already, the most there may be; inject under the name of one of them`;
      throw new CrawlError("CONFIG_INVALID", problem, { job: jobId });
    }
    const definition: JobDefinition = {
      ...known?.definition,
      id: jobId,
      revision: known ? nextRevision(jobId, known.definition.revision) : 1,
      stateRevision: known?.definition.stateRevision ?? 1,
      state: known?.definition.state ?? "running",
      options: validateJobOptions({
        ...known?.definition.options,
        ...options,
      }),
    };
    if (known) refuseOtherUrls(known.definition, definition);
    if (!this.#hasRoomFor(definition)) throw tooManyPatterns(jobId);
    return definition;
  }

  /** Whether {@link define} would change nothing. Errors: `CONFIG_INVALID`. */
  isAs(id: JobId, options: Partial<JobOptions>): boolean {
    const now = this.#jobs.get(id)?.definition.options;
    if (!now || Object.keys(options).length === 0) return now !== undefined;
    return optionChanges(now, validateJobOptions({ ...now, ...options })).length === 0;
  }

  /** Pauses, resumes or cancels a job. A cancelled job stays so. Errors: `CONFIG_INVALID`, `JOB_CANCELLED`, `JOB_UNKNOWN`. */
  changeState(id: JobId, change: JobChange): Job {
    const job = this.get(id);
    const { definition } = job;
    if (change === "cancel" && definition.state === "cancelled") return job;
    refuseCancelled(definition);
    const state = { pause: "paused", resume: "running", cancel: "cancelled" } as const;
    // Being final, a cancelled definition holds without a higher revision too.
    const isLast = change === "cancel" && definition.stateRevision === revisionMax;
    const stateRevision = isLast ? revisionMax : nextRevision(id, definition.stateRevision);
    return this.#change({ ...definition, stateRevision, state: state[change] }, "here");
  }

  /** Whether something of another member's definitions was not taken, for want of room. */
  get hasLeftOut(): boolean {
    return this.#hasLeftOut;
  }

  /**
   * Takes in another member's definition; whether it changes anything here. One that looks like another job is not taken, nor
   * a new one where there are too many, nor options whose patterns are longer where there is no room for them.
   */
  merge(definition: JobDefinition): boolean {
    const alike = this.#bySpace.get(jobSpace(definition.id));
    if (alike && alike.definition.id !== definition.id) return false;
    const known = this.#jobs.get(definition.id)?.definition;
    const latest = known ? mergeJobDefinitions(known, definition) : definition;
    if (known && !addsToJobDefinition(latest, known)) return false;
    if (this.#hasRoomFor(latest)) {
      this.#change(latest, "another-member");
      return true;
    }
    this.#hasLeftOut = true;
    if (!known) return false;
    // What it is to do, run or rest, takes no room.
    const { revision, options } = known;
    const rest = { ...latest, revision, options };
    if (!addsToJobDefinition(rest, known)) return false;
    this.#change(rest, "another-member");
    return true;
  }

  /**
   * Takes in how many pages of a job that is known here another member has fetched; whether they are more than before. Of a
   * cancelled one, which nothing brings back, nothing is taken, nor of one that is known to be at its limit without them.
   */
  countElsewhere(count: PastPageCount): boolean {
    const job = this.get(count.job);
    if (!needsCounts(job.definition)) return false;
    const more = this.#heard.take(count);
    job.pagesElsewhere += more;
    return more > 0;
  }

  /** What {@link countElsewhere} has taken in of these members, in this run or an earlier one. */
  pagesElsewhere(
    isOne: (member: MemberId) => boolean = () => true,
  ): Generator<PastPageCount, void, undefined> {
    return this.#heard.of(isOne);
  }

  /**
   * Where there is little room for further counts, those of jobs at their limit are forgotten, the oldest jobs first: that
   * it is reached is enough to know. Whether there is room now.
   */
  makeRoomForCounts(): boolean {
    for (const job of this.#jobs.values()) {
      if (!this.#heard.isFull) return true;
      if (job.pagesElsewhere === 0 || !reachedPageLimit(job)) continue;
      const { definition } = job;
      this.#change({ ...definition, limitReached: definition.options.pagesMax }, "here");
    }
    return !this.#heard.isFull;
  }

  /** Counts URLs that are queued here, or are no more; those of a job that is unknown count when it becomes known. */
  addQueued(space: number, by: number): void {
    const job = this.#bySpace.get(space);
    if (job) job.counter.add("queued", by);
    else this.#unheard.add(space, by);
  }

  /** URLs that are queued here of a job that is unknown still; 1 where there may be some. */
  queuedUnheard(space: number): number {
    return this.#unheard.countOf(space);
  }

  /** Whether what is queued of a job counts here, by its number. */
  countsQueued(space: number): boolean {
    return this.#bySpace.has(space) || this.#unheard.has(space);
  }

  /** Whether what is queued here of a job that may become known has to be counted before, by {@link setUnheard}. */
  isUncounted(job: Pick<JobDefinition, "id"> & Partial<JobDefinition>): boolean {
    const space = jobSpace(job.id);
    return !this.#bySpace.has(space) && !this.#unheard.knows(space) && this.#hasRoomFor(job);
  }

  setUnheard(space: number, count: number): void {
    if (!this.#bySpace.has(space)) this.#unheard.set(space, count);
  }

  /** Whether the database has queued URLs that nobody has looked for, as their job was unknown. */
  get hasUnread(): boolean {
    return !this.#unheard.isEmpty || this.#hasFoundQueued;
  }

  /** Whether a job has become known since the last call of which URLs were queued here already. */
  takeFoundQueued(): boolean {
    const hasFound = this.#hasFoundQueued;
    this.#hasFoundQueued = false;
    return hasFound;
  }

  /** Nothing counts as queued: in a swarm it counts when the arcs are taken in which it is. */
  forgetQueued(): void {
    for (const { counter } of this.#jobs.values()) counter.add("queued", -counter.queued);
  }

  /** Errors: `JOB_UNKNOWN`. */
  get(id: JobId): Job {
    const job = this.#jobs.get(id);
    if (!job) throw new CrawlError("JOB_UNKNOWN", `no job is named "${id}"`, { job: id });
    return job;
  }

  find(id: JobId): Job | undefined {
    return this.#jobs.get(id);
  }

  bySpace(space: number): Job | undefined {
    return this.#bySpace.get(space);
  }

  /** How many jobs have been made or changed, so that who has looked at all need not look again before. */
  get changes(): number {
    return this.#changes;
  }

  /** Equal at two peers that know the same definitions. */
  get digest(): bigint {
    return this.#digest;
  }

  get size(): number {
    return this.#jobs.size;
  }

  all(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  /** Of all jobs. */
  get pages(): number {
    return this.all().reduce((sum, { counter }) => sum + counter.pages, 0);
  }

  /** The job of this name, or all of them. Errors: `JOB_UNKNOWN`. */
  named(id: JobId | undefined): readonly Job[] {
    return id === undefined ? this.all() : [this.get(id)];
  }

  /** Whether there may be one more, and its patterns are no longer than before or fit beside those of the other jobs. */
  #hasRoomFor({ id, options }: Pick<JobDefinition, "id"> & Partial<JobDefinition>): boolean {
    const known = this.#jobs.get(id)?.definition;
    if (!known && this.#jobs.size >= jobsMax) return false;
    const more = patternCharacters(options) - patternCharacters(known?.options);
    return more <= 0 || this.#patternCharacters + more <= patternCharactersOfAllMax;
  }

  #change(definition: JobDefinition, by: JobChanger): Job {
    const known = this.#jobs.get(definition.id);
    const before = known?.definition;
    const job = this.#install(definition, known?.counter ?? new JobCounter(undefined));
    this.#countUnheard(job);
    this.#changes += 1;
    this.#unsaved.push(storedDefinitionOp(definition));
    this.#forgetNeedless(job);
    this.#onChange(before, definition, by);
    return job;
  }

  #forgetNeedless(job: Job): void {
    if (job.pagesElsewhere === 0 || needsCounts(job.definition)) return;
    this.#heard.forget(job.definition.id);
    job.pagesElsewhere = 0;
  }

  #countUnheard({ space, counter }: Job): void {
    const count = this.#unheard.take(space);
    if (count === 0) return;
    this.#hasFoundQueued = true;
    counter.add("queued", count);
  }

  #install(definition: JobDefinition, counter: JobCounter): Job {
    const space = jobSpace(definition.id);
    const holder = this.#bySpace.get(space);
    if (holder && holder.definition.id !== definition.id) {
      const problem = `job "${definition.id}" and "${holder.definition.id}" look alike; choose another name`;
      throw new CrawlError("CONFIG_INVALID", problem, { job: definition.id });
    }
    const before = patternCharacters(holder?.definition.options);
    this.#patternCharacters += patternCharacters(definition.options) - before;
    this.#digest ^= digestOfDefinition(definition) ^ digestOfDefinition(holder?.definition);
    const job: Job = holder ?? {
      definition,
      space,
      counter,
      leases: 0,
      pagesElsewhere: 0,
    };
    job.definition = definition;
    this.#jobs.set(definition.id, job);
    this.#bySpace.set(space, job);
    return job;
  }
}

/** Whether the job may have another request now. */
export function isRunnable(job: Job): boolean {
  if (job.definition.state !== "running") return false;
  const { pagesMax } = job.definition.options;
  return pagesMax === 0 || pagesOf(job) + job.leases < pagesMax;
}

/** Whether nothing of the job will be fetched any more unless somebody asks for it. */
export function isFinished(job: Job): boolean {
  if (job.leases > 0) return false;
  if (job.definition.state === "cancelled" || job.counter.queued === 0) return true;
  return reachedPageLimit(job);
}

export function reachedPageLimit(job: Job): boolean {
  const { pagesMax } = job.definition.options;
  return pagesMax > 0 && pagesOf(job) >= pagesMax;
}

/** Pages of the job that all have fetched, as far as is known here. */
function pagesOf({ counter, definition, pagesElsewhere }: Job): number {
  return Math.max(definition.limitReached ?? 0, counter.pages + pagesElsewhere);
}

export function reportOf(job: Job): JobReport {
  const counts = job.counter.counts();
  const finished = isFinished(job);
  return {
    definition: reportedDefinition(job.definition, finished),
    counts: job.definition.state === "cancelled" ? dropQueued(counts, job.leases) : counts,
    finished,
  };
}

/** The totals of a cancelled job: what is queued, apart from what is leased, is kept out for that reason. */
function dropQueued(counts: JobCounts, leases: number): JobCounts {
  const cancelled = Math.max(counts.queued - leases, 0);
  const skipped = cancelled > 0 ? { ...counts.skipped, cancelled } : counts.skipped;
  return { ...counts, skipped, queued: counts.queued - cancelled };
}

/** Why a queued URL of the job is not going to be fetched, where the job itself is the reason. */
export function jobHold(job: Job): ExclusionReason | "job-paused" | undefined {
  if (job.definition.state === "cancelled") return "cancelled";
  if (job.definition.state === "paused") return "job-paused";
  return reachedPageLimit(job) ? "page-limit" : undefined;
}
