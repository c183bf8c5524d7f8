import { CrawlError } from "../../src/core/errors.ts";
import type { JobId, Millis } from "../../src/core/units.ts";
import type { RunView } from "../checkers/checker.ts";
import type { JobStates } from "../checkers/job-states.ts";
import type { Dice } from "../world/dice.ts";
import type { PlannedJobChange } from "./plan.ts";
import type { VirtualSwarm } from "./virtual-swarm.ts";

/** A change that is not acknowledged by then has died with its peer. */
const answerWithinMs: Millis = 40_000;
const againMs: Millis = 500;
/** Time in which all members hear of a change. */
const agreeMs: Millis = 15_000;

/** Pauses the job and lets it go on as the plan says, each time at a random running peer, and in the end lets it go on for good. */
export class JobChanger {
  readonly #swarm: VirtualSwarm;
  readonly #view: Pick<RunView, "chronicle" | "plan">;
  readonly #states: JobStates;
  readonly #dice: Dice;
  readonly #job: JobId;

  constructor(
    swarm: VirtualSwarm,
    view: Pick<RunView, "chronicle" | "plan">,
    states: JobStates,
    dice: Dice,
    job: JobId,
  ) {
    this.#swarm = swarm;
    this.#view = view;
    this.#states = states;
    this.#dice = dice;
    this.#job = job;
  }

  /** Resolves when all changes have been made, as far as they could be. */
  async play(zeroMs: Millis): Promise<void> {
    const { clock } = this.#swarm.world;
    for (const { atMs, change } of this.#view.plan.jobChanges) {
      await clock.sleep(zeroMs + atMs - clock.nowMs());
      await this.#change(change);
    }
  }

  /** Lets the job go on, if it was ever changed: all members are to know by then what holds, and so afterwards. */
  async goOn(): Promise<void> {
    const { clock } = this.#swarm.world;
    if (this.#view.plan.jobChanges.length === 0) return;
    await clock.sleep(agreeMs);
    this.#states.settled();
    while (!(await this.#change("resume"))) await clock.sleep(againMs);
    await clock.sleep(agreeMs);
    this.#states.settled();
  }

  async #change(change: PlannedJobChange["change"]): Promise<boolean> {
    const { clock } = this.#swarm.world;
    const machine = this.#dice.pick(this.#swarm.steady);
    if (machine === undefined) return false;
    const state = change === "pause" ? "paused" : "running";
    this.#states.asked(state);
    const over = new AbortController();
    const answered = machine.peer.changeJob(this.#job, change).then(
      () => "made" as const,
      (error: unknown) => (isRefused(error) ? ("refused" as const) : ("lost" as const)),
    );
    const late = clock.sleep(answerWithinMs, over.signal).then(() => "lost" as const);
    const outcome = await Promise.race([answered, late]);
    over.abort();
    this.#states.answered();
    if (outcome === "made") this.#states.acknowledged(state, machine.index);
    else if (outcome === "lost") this.#states.lost();
    this.#view.chronicle.note({
      kind: change,
      machine: machine.index,
      ...(outcome !== "made" && { detail: outcome }),
    });
    return outcome === "made";
  }
}

/** Nothing was changed: nobody has heard of the job yet, or the peer has not found its swarm. */
function isRefused(error: unknown): boolean {
  return error instanceof CrawlError && ["JOB_UNKNOWN", "SWARM_BUSY"].includes(error.code);
}
