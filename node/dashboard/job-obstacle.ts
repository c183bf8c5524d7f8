import type { JobId, Millis } from "../../src/core/units.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { JobReport, PeerStats } from "../../src/ports/peer-control.ts";
import { resumeText } from "../text/job-text.ts";
import { answeredUrls, Standstill, type QueueAnswers } from "./standstill.ts";

/** How much longer than a look took nothing is asked: where there are ten thousand jobs, a host's queues take a second. */
const restShare = 9;

interface Told {
  readonly fetched: number;
  readonly isAsked: boolean;
  readonly text: string;
}

/**
 * Tells what keeps a job, or the first of all that run, back where it stands still, as seen from outside; of one that is paused,
 * where no other runs, what lets it go on.
 */
export class JobObstacle {
  readonly #answers: QueueAnswers;
  /** The one that is waited for; absent for all of them. */
  readonly #id: string | undefined;
  readonly #clock: Clock;
  #watched: { readonly id: JobId; readonly standstill: Standstill } | undefined;
  #told: Told | undefined;
  #lookAtMs: Millis = -Infinity;

  constructor(answers: QueueAnswers, id: string | undefined, clock: Clock) {
    this.#answers = answers;
    this.#id = id;
    this.#clock = clock;
  }

  /** Asks no more than it must: between two looks it tells what the last one found, unless that is over. */
  async text({
    jobs,
    openRequests,
  }: Pick<PeerStats, "jobs" | "openRequests">): Promise<string | undefined> {
    const awaited =
      this.#id === undefined ? jobs : jobs.filter((one) => one.definition.id === this.#id);
    const first = awaited.find(goesOn);
    if (first === undefined) {
      const paused = awaited.find(isPaused);
      return paused && resumeText(paused.definition.id);
    }
    const nowMs = this.#clock.nowMs();
    const fetched = awaited.reduce((sum, { counts }) => sum + answeredUrls(counts), 0);
    // Whose requests are open is not known: beside another job that runs, what holds the hosts says whether one is asked.
    const hasOthers = jobs.some((one) => goesOn(one) && !awaited.includes(one));
    const figures = { fetched, openRequests: hasOthers ? 0 : openRequests, isRunning: true };
    const standstill = this.#standstillOf(first, fetched);
    const isAsked = figures.openRequests > 0;
    if (this.#told?.fetched !== fetched || this.#told.isAsked !== isAsked) this.#told = undefined;
    if (nowMs < this.#lookAtMs) return this.#told?.text;
    const text = await standstill.text(figures);
    this.#told = text === undefined ? undefined : { fetched, isAsked, text };
    const endMs = this.#clock.nowMs();
    this.#lookAtMs = endMs + restShare * (endMs - nowMs);
    return text;
  }

  #standstillOf({ definition: { id } }: JobReport, fetchedBefore: number): Standstill {
    if (this.#watched?.id !== id) {
      const standstill = new Standstill(
        this.#answers,
        { job: id, urls: [], fetchedBefore },
        this.#clock,
      );
      this.#watched = { id, standstill };
      this.#told = undefined;
    }
    return this.#watched.standstill;
  }
}

function isPaused({ definition, finished }: JobReport): boolean {
  return definition.state === "paused" && !finished;
}

function goesOn({ definition, finished }: JobReport): boolean {
  return definition.state === "running" && !finished;
}
