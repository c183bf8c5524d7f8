import type { Millis } from "../../src/core/units.ts";
import { Pace } from "../../src/core/answers/pace.ts";
import { progressView, type ProgressFigures, type ProgressView } from "./progress-view.ts";

/**
 * Watches a job, or all jobs, of a swarm, from outside.
 *
 * The time and the mean are those since the watch began. No member knows when a job began, and the time that each has spent
 * on it says nothing of all: they crawl side by side, begin late and end early. The rate of one job is taken from its pages
 * as they come, since members tell that of all their jobs only.
 */
export class ProgressWatch {
  readonly #id: string | undefined;
  readonly #title: string;
  readonly #beganAtMs: Millis;
  readonly #pagesBefore: number;
  readonly #pace: Pace;
  #last: ProgressView;

  /** `id`: the job; absent for all of them. `figures`: how it stands at the beginning. */
  constructor(figures: ProgressFigures, id: string | undefined, title: string, nowMs: Millis) {
    this.#id = id;
    this.#title = title;
    this.#beganAtMs = nowMs;
    const view = progressView(figures, id, title);
    this.#pagesBefore = view.pages;
    this.#pace = new Pace(view.pages, nowMs);
    this.#last = { ...view, meanRate: 0, elapsedMs: 0 };
  }

  /** What was seen last. */
  get last(): ProgressView {
    return this.#last;
  }

  /** Takes in how things stand at this moment. */
  observe(figures: ProgressFigures, nowMs: Millis): ProgressView {
    const view = progressView(figures, this.#id, this.#title);
    const elapsedMs = nowMs - this.#beganAtMs;
    this.#pace.observe(view.pages, nowMs);
    this.#last = {
      ...view,
      ...(this.#id !== undefined && { currentRate: this.#pace.perSecond }),
      meanRate: elapsedMs > 0 ? (view.pages - this.#pagesBefore) / (elapsedMs / 1_000) : 0,
      elapsedMs,
    };
    return this.#last;
  }
}
