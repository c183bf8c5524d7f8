import { invariant } from "../errors.ts";
import { LazyMap } from "../lazy-collections.ts";
import type { JobId } from "../units.ts";
import { JobQueue } from "./job-queue.ts";
import type { RefillTicket } from "./job-queue.ts";
import type { QueuedUrl } from "./queued-row.ts";

const noJobs: readonly JobId[] = Object.freeze([]);

const priorityMax = 9;

/**
 * The queue of one host: for each job a bounded head in memory of what stands in the database.
 *
 * Jobs are served in rotation, so that one with a million URLs cannot starve one with ten; one of a priority that is a
 * step higher has twice as many turns (Waldspurger & Weihl 1995, "Stride Scheduling"). Within a job the order is that of
 * the keys: priority, then arrival.
 *
 * The caller keeps two promises. A scan sees every entry that was added before its {@link
 * HostQueue.beginRefill}: what is still on its way to the database then is flushed before the scan. And
 * {@link HostQueue.add} comes before any scan can see the entry, {@link HostQueue.committed} when none can any more.
 *
 * Invariant: no entry of the database is ever forgotten, and none is handed out again once it is settled
 * ({@link JobQueue}).
 */
export class HostQueue {
  #headMax = 0;
  /** In the order of rotation: the job that waited longest stands first. */
  readonly #jobs = new LazyMap<JobId, JobQueue>();
  /** The turn that was had last, and of jobs that share the host the one that is theirs next. */
  #turn = 0;
  #nextTurns: Map<JobId, number> | undefined;

  /** `headMax` entries of each job are held in memory, at most. */
  constructor(headMax: number) {
    this.setHeadMax(headMax);
  }

  /** Holds so many entries of each job in memory from now on; those beyond are read again when their turn comes. */
  setHeadMax(headMax: number): void {
    invariant(Number.isInteger(headMax) && headMax > 0, "a queue's head holds an entry at least");
    this.#headMax = headMax;
    for (const queue of this.#jobs.values()) queue.setHeadMax(headMax);
  }

  /** Whether there is something to take, now or after a refill; leased entries do not count. */
  get hasWork(): boolean {
    for (const queue of this.#jobs.values()) {
      if (queue.heldCount > 0 || queue.moreOnDisk) return true;
    }
    return false;
  }

  /** Entries that are not settled, leased ones included; more than any number where some may be on disk alone. */
  get liveCount(): number {
    let count = 0;
    for (const queue of this.#jobs.values()) count += queue.liveCount;
    return count;
  }

  /** Whether the job has entries here, leased and unread ones included, or may have. */
  mayHave(job: JobId): boolean {
    return this.#jobs.has(job);
  }

  /** Entries held in memory, leased ones apart. */
  get heldCount(): number {
    let count = 0;
    for (const queue of this.#jobs.values()) count += queue.heldCount;
    return count;
  }

  /**
   * Leases, removals that are not durable yet and refills under way: only a queue without any may be dropped
   * from memory.
   */
  get pendingCount(): number {
    let count = 0;
    for (const queue of this.#jobs.values()) count += queue.pendingCount;
    return count;
  }

  /**
   * An entry is in the database, or on its way: kept if it belongs to the head, else left for a refill.
   * Idempotent.
   */
  add(url: QueuedUrl): void {
    this.#queueOf(url.job).add(url);
  }

  /** Whether {@link add} would leave the entries of a row with this key to a refill, so that nothing need be made of them. */
  isLeft(job: JobId, key: Uint8Array): boolean {
    return this.#jobs.get(job)?.isLeft(key) ?? false;
  }

  /** At start: the database has entries of this job, or may have. */
  expectOnDisk(job: JobId): void {
    this.#queueOf(job).expectOnDisk();
  }

  /** The job is held back: its entries are read again when it may run, and take no memory until then. */
  unload(job: JobId): void {
    const queue = this.#jobs.get(job);
    if (queue && queue.heldCount > 0) queue.expectOnDisk();
  }

  /** No entry of the job is wanted any more, in memory or on disk; false while something of it is under way. */
  drop(job: JobId): boolean {
    const queue = this.#jobs.get(job);
    if (queue && queue.pendingCount > 0) return false;
    this.#jobs.delete(job);
    this.#nextTurns?.delete(job);
    return true;
  }

  /** The database may have entries of any of the jobs that are known here. */
  expectAllOnDisk(): void {
    for (const queue of this.#jobs.values()) queue.expectOnDisk();
  }

  /**
   * Leases the first entry of the next job in turn that may run. It is not handed out again until it is put
   * back; a lease ends with {@link putBack} or {@link settle}. Without `priorityOf`, all jobs are alike.
   */
  take(
    runnable: (job: JobId) => boolean,
    priorityOf: (job: JobId) => number = () => priorityMax,
  ): QueuedUrl | undefined {
    const next = this.#nextJob(runnable);
    const queue = next && this.#jobs.get(next.job);
    if (!next || !queue) return undefined;
    const { job, turn } = next;
    this.#jobs.delete(job);
    this.#jobs.set(job, queue);
    this.#turn = turn;
    // One that is alone goes on counting where another has had turns in advance, which pass by that.
    if (this.#jobs.size > 1 || this.#nextTurns) {
      this.#nextTurns ??= new Map();
      this.#nextTurns.set(job, turn + 2 ** (priorityMax - priorityOf(job)));
    }
    return queue.take();
  }

  /** The job whose turn comes first; one that had nothing to take for a while has no turns to make up for. */
  #nextJob(
    runnable: (job: JobId) => boolean,
  ): { readonly job: JobId; readonly turn: number } | undefined {
    let next: { readonly job: JobId; readonly turn: number } | undefined;
    for (const [job, queue] of this.#jobs) {
      if (queue.heldCount === 0 || !runnable(job)) continue;
      const turn = Math.max(this.#turn, this.#nextTurns?.get(job) ?? 0);
      if (!next || turn < next.turn) next = { job, turn };
    }
    return next;
  }

  /** Whether {@link take} would find something. */
  hasReady(runnable: (job: JobId) => boolean): boolean {
    for (const [job, queue] of this.#jobs) {
      if (queue.heldCount > 0 && runnable(job)) return true;
    }
    return false;
  }

  /** Ends a lease without a result: the entry waits again where it was. */
  putBack(url: QueuedUrl): void {
    this.#queueOf(url.job).putBack(url);
  }

  /** Ends a lease for good: the caller has the entry's removal in a batch on its way. */
  settle(url: QueuedUrl): void {
    this.#queueOf(url.job).settle(url);
  }

  /** The removal of a settled entry is durable: no later scan can find it. */
  committed(url: QueuedUrl): void {
    this.#queueOf(url.job).committed(url);
    this.#dropIfIdle(url.job);
  }

  /**
   * Jobs whose head is empty or low while the database has more, without those whose refill is under way, and those that do
   * not want one.
   */
  refillsNeeded(wants: (job: JobId) => boolean = () => true): readonly JobId[] {
    let needed: JobId[] | undefined;
    for (const [job, queue] of this.#jobs) {
      if (queue.needsRefill && wants(job)) (needed ??= []).push(job);
    }
    return needed ?? noJobs;
  }

  /** Announces a range scan that begins after this call. One at a time for each job. */
  beginRefill(job: JobId): RefillTicket {
    return this.#queueOf(job).beginRefill(job);
  }

  /**
   * Takes in what a scan found: the URLs of rows from that of `ticket.after` on, in key order and without gaps; `complete`
   * when there were no more. A scan that failed ends with no URLs and `complete` false, and is needed again.
   */
  refill(ticket: RefillTicket, urls: readonly QueuedUrl[], complete: boolean): void {
    this.#queueOf(ticket.job).endRefill(ticket, urls, complete);
    this.#dropIfIdle(ticket.job);
  }

  #queueOf(job: JobId): JobQueue {
    const known = this.#jobs.get(job);
    if (known !== undefined) return known;
    const queue = new JobQueue(this.#headMax);
    this.#jobs.set(job, queue);
    return queue;
  }

  #dropIfIdle(job: JobId): void {
    const queue = this.#jobs.get(job);
    if (queue === undefined || queue.heldCount > 0 || queue.moreOnDisk || queue.pendingCount > 0) {
      return;
    }
    this.#jobs.delete(job);
    // What it has had in advance counts when it comes back.
    if ((this.#nextTurns?.get(job) ?? 0) <= this.#turn) this.#nextTurns?.delete(job);
  }
}
