import type { JobDefinition, JobState } from "../../core/jobs/job-definition.ts";
import { optionChanges } from "../../core/jobs/option-changes.ts";
import type { Millis } from "../../core/units.ts";
import type { Logger } from "../../ports/logger.ts";
import { isFinished } from "./job-registry.ts";
import type { Job } from "./job-registry.ts";

/** Who changed a job: somebody who asked this peer, or another member. */
export type JobChanger = "here" | "another-member";

/** URLs of a job come from other members one by one: only a job that has had none for so long is told as finished. */
const restMsInSwarm: Millis = 5_000;

const events: Readonly<Record<JobState, string>> = {
  running: "job-resumed",
  paused: "job-paused",
  cancelled: "job-cancelled",
};

/**
 * Tells the log what becomes of jobs. Figures are this peer's own; in a swarm others may have work left, and pass some of it
 * on to this one, so there the word is `job-finished-here`.
 */
export class JobLog {
  readonly #logger: Pick<Logger, "info">;
  readonly #restMs: Millis;
  readonly #finishedEvent: string;
  /** Jobs that came to their end and have not been told of, and when they did. */
  readonly #ended = new Map<Job, Millis>();

  constructor(logger: Pick<Logger, "info">, isAlone: boolean) {
    this.#logger = logger;
    this.#restMs = isAlone ? 0 : restMsInSwarm;
    this.#finishedEvent = isAlone ? "job-finished" : "job-finished-here";
  }

  /** A job was made or changed. */
  changed(before: JobDefinition | undefined, after: JobDefinition, by: JobChanger): void {
    const { id: job, options, state } = after;
    if (before === undefined) {
      if (by === "here") this.#logger.info("job-started", { job, by, scope: options.scope, state });
      else this.#heard(after);
      return;
    }
    if (before.state !== state) this.#logger.info(events[state], { job, by });
    const changes = optionChanges(before.options, options).map(
      ({ option, after: value }) => `${option}=${JSON.stringify(value)}`,
    );
    if (changes.length > 0) this.#logger.info("job-changed", { job, by, now: changes.join(" ") });
  }

  /** Called now and then, with the jobs that have come to their end since. */
  observe(ended: readonly Job[], nowMs: Millis): void {
    for (const job of ended) this.#ended.set(job, nowMs);
    for (const [job, sinceMs] of this.#ended) {
      const isOver = isFinished(job);
      if (isOver && nowMs - sinceMs < this.#restMsOf(job)) continue;
      this.#ended.delete(job);
      if (isOver) this.#finished(job);
    }
  }

  /** A job that was cancelled takes no more URLs, wherever they come from. */
  #restMsOf({ definition }: Job): Millis {
    return definition.state === "cancelled" ? 0 : this.#restMs;
  }

  /**
   * Another member's job has become known. It may be an old one: only a newcomer has not heard of it, and whether anything of it
   * is left nobody has said. Of one that was cancelled nothing is.
   */
  #heard({ id: job, options: { scope }, state }: JobDefinition): void {
    if (state === "cancelled") return;
    this.#logger.info("job-heard", { job, scope, ...(state === "paused" && { state }) });
  }

  #finished({ counter, definition }: Job): void {
    const { pages, fetched, failed, activeMs } = counter.counts();
    const seconds = Math.round(activeMs / 1_000);
    this.#logger.info(this.#finishedEvent, { job: definition.id, pages, fetched, failed, seconds });
  }
}
