import type { JobOptions } from "../../src/core/jobs/job-definition.ts";
import type { JobId, Millis } from "../../src/core/units.ts";
import type { Peer } from "../../src/peer/peer.ts";
import type { Chronicle } from "../checkers/chronicle.ts";
import type { Dice } from "../world/dice.ts";
import type { VirtualMachine } from "../world/virtual-machine.ts";
import type { Plan, PlannedInjection } from "./plan.ts";
import type { VirtualSwarm } from "./virtual-swarm.ts";

/** URLs of one call. */
const callMax = 1_000;
/** Pause before seeds that were not acknowledged are given to another peer. */
const againMs: Millis = 500;
/** An injection that is not answered by then is made again: its peer has died. */
const answerWithinMs: Millis = 40_000;

/** Gives the plan's seeds to the peers that it names, or to random running ones, again and again until each call is acknowledged. */
export class SeedGiver {
  readonly #swarm: VirtualSwarm;
  readonly #chronicle: Chronicle;
  readonly #plan: Plan;
  readonly #dice: Dice;
  readonly #job: JobId;
  readonly #options: Partial<JobOptions>;
  readonly #onAcknowledged: (pages: readonly number[]) => void;
  /** Pages whose injection was acknowledged, with the time. */
  readonly acknowledged = new Map<number, Millis>();
  /** Pages that some peer was given, acknowledged or not. */
  readonly given = new Set<number>();

  constructor(
    swarm: VirtualSwarm,
    chronicle: Chronicle,
    plan: Plan,
    dice: Dice,
    job: { readonly id: JobId; readonly options: Partial<JobOptions> },
    /** Called at the moment of each acknowledgement. */
    onAcknowledged: (pages: readonly number[]) => void,
  ) {
    this.#swarm = swarm;
    this.#chronicle = chronicle;
    this.#plan = plan;
    this.#dice = dice;
    this.#job = job.id;
    this.#options = job.options;
    this.#onAcknowledged = onAcknowledged;
  }

  /** Resolves when every seed has been acknowledged. */
  async giveAll(zeroMs: Millis): Promise<void> {
    await Promise.all(this.#plan.injections.map((injection) => this.#give(injection, zeroMs)));
  }

  async #give({ atMs, machine, pages, priority }: PlannedInjection, zeroMs: Millis): Promise<void> {
    const { clock } = this.#swarm.world;
    await clock.sleep(zeroMs + atMs - clock.nowMs());
    const options = { ...this.#options, ...(priority !== undefined && { priority }) };
    let wanted = machine === undefined ? undefined : this.#swarm.machine(machine);
    for (let from = 0; from < pages.length; from += callMax) {
      const some = pages.slice(from, from + callMax);
      while (!(await this.#call(some, options, wanted))) {
        wanted = undefined;
        await clock.sleep(againMs);
      }
      for (const page of some) this.acknowledged.set(page, this.#chronicle.nowMs);
    }
  }

  async #call(
    pages: readonly number[],
    options: Partial<JobOptions>,
    wanted: VirtualMachine<Peer> | undefined,
  ): Promise<boolean> {
    const { world, steady } = this.#swarm;
    const machine = wanted?.isUp === true ? wanted : this.#dice.pick(steady);
    if (machine === undefined) return false;
    for (const page of pages) this.given.add(page);
    const urls = pages.map((page) => world.sampleWeb.urlOf(page));
    const given = new AbortController();
    const answered = machine.peer
      .inject(this.#job, urls, options)
      .then(() => {
        this.#onAcknowledged(pages);
        return true;
      })
      // SWARM_BUSY asks for another try; the peer may be stopping.
      .catch(() => false);
    const late = world.clock.sleep(answerWithinMs, given.signal).then(() => false);
    const ok = await Promise.race([answered, late]);
    given.abort();
    this.#chronicle.note({
      kind: "inject",
      machine: machine.index,
      detail: `${pages.length} seeds${ok ? "" : ", not acknowledged"}`,
    });
    return ok;
  }
}
