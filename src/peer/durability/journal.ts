import { CrawlError } from "../../core/errors.ts";
import type { Millis } from "../../core/units.ts";
import type { Archive } from "../../ports/archive.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { Store, StoreBatch, StoreOp } from "../../ports/store.ts";
import { Alarm } from "../alarm.ts";
import { markOp } from "./start-archive.ts";

export interface JournalOptions {
  /**
   * Shortest time between the starts of two commits. Longer saves fsyncs and makes a page's links wait; shorter loses
   * less work in a crash. @default 20
   */
  readonly commitIntervalMs: Millis;
  /**
   * Operations that may wait for a commit; above it admission and dispatch pause. Bounds memory, and what the sieve's
   * cache must hold. @default 10_000
   */
  readonly pendingOpsMax: number;
}

export const defaultJournalOptions: JournalOptions = Object.freeze({
  commitIntervalMs: 20,
  pendingOpsMax: 10_000,
});

/** Reads along with what the journal takes in. */
export type Observer = (ops: readonly StoreOp[], durable: Promise<void>) => void;

interface Group {
  /** Absent while there is nothing in it. */
  batch?: StoreBatch;
  readonly durable: Promise<undefined>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: the changes of many pages become one atomic, synced batch every few tens of milliseconds.
 *
 * The archive is flushed before the batch that refers to it, and the batch carries the archive's mark; so after a crash
 * a record's location is always good, and what the archive holds beyond the mark belongs to pages that are not done.
 *
 * Invariant: the operations of one `append` are in one batch, and batches are written in the order of the appends.
 * Invariant: after a failure no further commit begins, and every waiting caller is told.
 */
export class Journal {
  readonly #store: Store;
  readonly #archive: Archive;
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #options: JournalOptions;
  readonly #contributors: (() => readonly StoreOp[])[] = [];
  readonly #observers: Observer[] = [];
  readonly #onFailure: (error: unknown) => void;
  #open = newGroup();
  #writing: Group | undefined;
  #running: Promise<void> | undefined;
  #lastStartMs = -Infinity;
  #failure: { readonly error: unknown } | undefined;
  /** What it says to those who come after it was closed. */
  #refusal: Promise<never> | undefined;
  readonly #alarm: Alarm;

  constructor(
    ports: {
      readonly store: Store;
      readonly archive: Archive;
      readonly clock: Clock;
      readonly metrics: Metrics;
    },
    options: JournalOptions,
    onFailure: (error: unknown) => void,
  ) {
    this.#store = ports.store;
    this.#archive = ports.archive;
    this.#clock = ports.clock;
    this.#alarm = new Alarm(ports.clock);
    this.#metrics = ports.metrics;
    this.#options = options;
    this.#onFailure = onFailure;
  }

  /** Registers rows that are written with each commit, for instance counters that belong to what is committed. */
  contribute(contributor: () => readonly StoreOp[]): void {
    this.#contributors.push(contributor);
  }

  /** Calls `observer` with each atomic change, in their order, and what tells when it is durable. */
  observe(observer: Observer): void {
    this.#observers.push(observer);
  }

  /** True while as much waits as may wait; callers hold back until `flushed()`. */
  get full(): boolean {
    if (this.#archive.full) return true;
    return sizeOf(this.#open) + sizeOf(this.#writing) >= this.#options.pendingOpsMax;
  }

  /**
   * Begins no commit any more, as after one that failed: for a change that is half made where the journal's contributors
   * and the archive would tell of it.
   */
  fail(error: unknown): void {
    if (this.#failure) return;
    this.#failure = { error };
    this.#open.reject(error);
    this.#onFailure(error);
  }

  /**
   * Makes durable what was appended before the call, and takes nothing any more: what comes later, of whoever has not heard
   * yet that the peer stops, rejects with `PEER_STOPPED`. Where a commit fails, that has been reported.
   */
  async close(): Promise<void> {
    const durable = this.flushed();
    const error = peerStopped();
    this.#refusal = Promise.reject(error);
    this.#refusal.catch(() => undefined);
    await durable.catch(() => undefined);
    if (this.#failure) return;
    this.#failure = { error };
    this.#open.reject(error);
  }

  /** Adds one atomic change; resolves when it is durable, rejects when it cannot become so. */
  append(ops: readonly StoreOp[]): Promise<void> {
    const group = this.#open;
    // No commit comes of nothing: who reads along would wait for one.
    if (this.#failure || ops.length === 0) return group.durable;
    if (this.#refusal) return this.#refusal;
    group.batch ??= this.#store.batch();
    group.batch.add(ops);
    for (const observer of this.#observers) observer(ops, group.durable);
    this.#start();
    return group.durable;
  }

  /** Resolves when everything appended before the call is durable and visible to reads. */
  flushed(): Promise<void> {
    if (this.#failure) return this.#refused();
    if (this.#open.batch) {
      this.#alarm.rouse();
      return this.#open.durable;
    }
    return this.#writing?.durable ?? Promise.resolve();
  }

  #hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Rejects, as soon as no commit is under way any more. */
  async #refused(): Promise<void> {
    await this.#writing?.durable;
    await this.#open.durable;
  }

  #start(): void {
    this.#running ??= this.#commitAll().finally(() => {
      this.#running = undefined;
      if (this.#open.batch && !this.#failure) this.#start();
    });
  }

  async #commitAll(): Promise<void> {
    while (this.#open.batch && !this.#failure) {
      const waitMs = this.#lastStartMs + this.#options.commitIntervalMs - this.#clock.nowMs();
      await this.#alarm.sleep(waitMs);
      if (this.#hasFailed()) return;
      this.#lastStartMs = this.#clock.nowMs();
      const group = this.#open;
      const { batch } = group;
      this.#open = newGroup();
      this.#writing = group;
      try {
        if (batch) await this.#commit(batch);
        group.resolve();
      } catch (error) {
        group.reject(error);
        this.fail(error);
      } finally {
        this.#writing = undefined;
      }
    }
  }

  async #commit(batch: StoreBatch): Promise<void> {
    for (const contributor of this.#contributors) batch.add(contributor());
    batch.add([markOp(await this.#archive.flush())]);
    await this.#store.write(batch, { sync: true });
    this.#metrics.observe("commit_seconds", (this.#clock.nowMs() - this.#lastStartMs) / 1_000);
    this.#metrics.observe("commit_operations", batch.length);
  }
}

/** What those are told who want something durable of a peer that is on its way down. */
export function peerStopped(): CrawlError {
  return new CrawlError("PEER_STOPPED", "this peer stops, and takes nothing any more");
}

/** Whether it is what a closed journal says to those who have not heard yet that the peer stops. */
export function isOfClosedJournal(error: unknown): boolean {
  return error instanceof CrawlError && error.code === "PEER_STOPPED";
}

function sizeOf(group: Group | undefined): number {
  return group?.batch?.length ?? 0;
}

function newGroup(): Group {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  // A caller that does not wait for its own commit is told of a failure through `onFailure`.
  promise.catch(() => undefined);
  return { durable: promise, resolve: () => resolve(undefined), reject };
}
