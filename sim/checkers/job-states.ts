import type { JobState } from "../../src/core/jobs/job-definition.ts";
import type { JobId, Millis } from "../../src/core/units.ts";
import type { Checker, RunView, SeenHit } from "./checker.ts";

/** Time for the word to reach all members, and for what is under way to end. */
const wordMs: Millis = 15_000;

/** A member has said that the job is so from now on. */
interface Change {
  readonly state: JobState;
  readonly machine: number;
  readonly generation: number;
  readonly atMs: Millis;
}

/**
 * What a member says of the job's state holds for all: nothing is fetched while it is paused, and of changes that were made
 * one after the other the last one holds.
 *
 * A member that is asked to let the job go on does so before it has said so.
 *
 * In a split each side knows of its own changes alone; what was said to nobody, or by a member that went before it had told
 * the others, may come up later and stand against what was said meanwhile.
 */
export class JobStates implements Checker {
  readonly #view: RunView;
  readonly #job: JobId;
  readonly #changes: Change[] = [];
  /** Since when a member is being asked to let the job go on. */
  #resumesSinceMs: Millis = Infinity;
  #hasLostAny = false;
  #isReported = false;

  constructor(view: RunView, job: JobId) {
    this.#view = view;
    this.#job = job;
  }

  readonly onHit = (hit: SeenHit): void => {
    const last = this.#changes.at(-1);
    if (last?.state !== "paused" || this.#isReported) return;
    if (hit.sentAtMs <= last.atMs + wordMs || hit.sentAtMs >= this.#resumesSinceMs) return;
    if (this.#isUnsure(last)) return;
    this.#isReported = true;
    this.#view.findings.add(
      "job-state",
      hit.atMs,
      `${hit.url} was fetched while the job was paused, as peer-${last.machine} had said`,
      { pausedAtMs: last.atMs, peer: hit.machine },
    );
  };

  /** A member is being asked to make the job so, until it has answered or nobody waits for that any more. */
  asked(state: JobState): void {
    if (state === "running") this.#resumesSinceMs = this.#view.chronicle.nowMs;
  }

  answered(): void {
    this.#resumesSinceMs = Infinity;
  }

  acknowledged(state: JobState, machine: number): void {
    const { chronicle, world } = this.#view;
    const generation = world.machines[machine]?.generation ?? 0;
    this.#changes.push({ state, machine, generation, atMs: chronicle.nowMs });
  }

  /** A change was asked for, and may have been made without a word. */
  lost(): void {
    this.#hasLostAny = true;
  }

  /** The swarm is one again, and nobody has changed anything for a while. */
  settled(): void {
    const { chronicle, findings, world } = this.#view;
    const last = this.#changes.at(-1);
    if (last === undefined) return;
    const told = world.running.map(({ id, peer }): [string, string] => {
      const { state } = peer.job(this.#job).definition;
      // A member is done with its share of a job that runs.
      return [id, state === "finished" ? "running" : state];
    });
    const states = new Set(told.map(([, state]) => state));
    if (states.size > 1) {
      const text = "members do not agree on the job's state";
      findings.add("job-state", chronicle.nowMs, text, Object.fromEntries(told));
    } else if (!states.has(last.state) && !this.#isUnsure(last)) {
      const text = `the job is ${[...states].join()}, though peer-${last.machine} had it ${last.state} last`;
      findings.add("job-state", chronicle.nowMs, text, { saidAtMs: last.atMs });
    }
  }

  #isUnsure({ atMs }: Change): boolean {
    const { chronicle } = this.#view;
    const fromMs = atMs - wordMs;
    if (this.#hasLostAny || chronicle.isExcused(fromMs, chronicle.nowMs)) return true;
    return this.#changes.some((change) =>
      chronicle.vanishedAfter(change.machine, change.generation, change.atMs, wordMs),
    );
  }
}
