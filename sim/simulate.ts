import type { JobId, Millis } from "../src/core/units.ts";
import { Archived } from "./checkers/archived.ts";
import { BoundedQueues } from "./checkers/bounded-queues.ts";
import type { Checker, RunView, SeenHit } from "./checkers/checker.ts";
import { Chronicle } from "./checkers/chronicle.ts";
import { Convergence } from "./checkers/convergence.ts";
import { Copies } from "./checkers/copies.ts";
import { Coverage } from "./checkers/coverage.ts";
import { Duplicates } from "./checkers/duplicates.ts";
import { FailedWrites } from "./checkers/failed-writes.ts";
import { JobStates } from "./checkers/job-states.ts";
import { OneOwner } from "./checkers/one-owner.ts";
import { PageLedger } from "./checkers/page-ledger.ts";
import { Politeness } from "./checkers/politeness.ts";
import { Robots } from "./checkers/robots.ts";
import { StatusOrder } from "./checkers/status-order.ts";
import { Termination } from "./checkers/termination.ts";
import { UrlLists } from "./checkers/url-lists.ts";
import { Findings } from "./checkers/violation.ts";
import { PageProgress } from "./report/page-progress.ts";
import { RunLog, type RunReport } from "./report/run-log.ts";
import { TrueGraph } from "./sample-web/true-graph.ts";
import { FaultPlayer } from "./scenarios/fault-player.ts";
import { JobChanger } from "./scenarios/job-changer.ts";
import type { Plan, SimulationSize } from "./scenarios/plan.ts";
import { planOf, startersOf, type ScenarioName } from "./scenarios/scenarios.ts";
import { Questioner } from "./scenarios/questioner.ts";
import { SeedGiver } from "./scenarios/seed-giver.ts";
import { VirtualSwarm, type Tampering } from "./scenarios/virtual-swarm.ts";
import type { VirtualLogLine } from "./world/virtual-machine.ts";
import type { VirtualHit } from "./world/virtual-web.ts";

export interface SimulateOptions {
  readonly tampering?: Tampering;
  readonly onLog?: (line: VirtualLogLine, atMs: Millis) => void;
  /** Called at every look: each virtual second, with more than 25 members each second for every 25 of them. */
  readonly onProgress?: (progress: RunProgress) => void;
}

/** How far a run is. */
export interface RunProgress {
  readonly phase: "founding" | "faults" | "healing" | "finishing";
  readonly virtualMs: Millis;
  /** Peers that run now. */
  readonly running: number;
  /** Pages done so far, and all that have to be done. */
  readonly pages: number;
  readonly pagesMax: number;
}

const job = "sim" as JobId;

/** Time in which the first members must have become a swarm, and more of it for each of them. */
const foundWithinMs: Millis = 60_000;
const foundWithinMsEach: Millis = 100;
const lookMs: Millis = 1_000;
/** Looks cost time in proportion to the members. */
const membersPerLook = 25;
/** Time after which the longest run is given up. */
const runWithinMs: Millis = 24 * 3_600_000;
/** Peers that are asked for the end of the job, at most. */
const listenersMax = 3;
/** What is fetched so long after the end was told is seen, and what was done is swept by then. */
const afterEndMs: Millis = 3_000;
/** Pages that are named where a run does not end. */
const undoneMax = 4;

/** Runs one scenario with one seed, and tells everything about it. The same arguments give the same run. */
export function simulate(
  scenario: ScenarioName,
  size: SimulationSize,
  options: SimulateOptions = {},
): Promise<RunReport> {
  return new Simulation(planOf(scenario, size), options).run();
}

/**
 * One run: the swarm is founded, crawls through the faults of its plan (the safety phase), is healed, and has to come to
 * the end within a time (the liveness phase); then the disks are read.
 */
export class Simulation {
  readonly #plan: Plan;
  readonly #swarm: VirtualSwarm;
  readonly #chronicle: Chronicle;
  readonly #findings = new Findings();
  readonly #view: RunView;
  readonly #player: FaultPlayer;
  readonly #seeds: SeedGiver;
  readonly #changer: JobChanger;
  readonly #questioner: Questioner;
  readonly #log: RunLog;
  readonly #convergence: Convergence;
  readonly #coverage: Coverage;
  readonly #duplicates: Duplicates;
  readonly #politeness: Politeness;
  readonly #queues: BoundedQueues;
  readonly #status: StatusOrder;
  readonly #failedWrites: FailedWrites;
  readonly #termination: Termination;
  readonly #checkers: readonly Checker[];
  readonly #over = new AbortController();
  /** Since when the swarm has been calm without a break. */
  #calmSinceMs: Millis | undefined;
  #isFinished = false;
  #phase: RunProgress["phase"] = "founding";
  readonly #onProgress: SimulateOptions["onProgress"];
  /** Counted only where somebody watches: it walks the whole web. */
  readonly #pages: PageProgress | undefined;

  constructor(plan: Plan, { tampering = {}, onLog, onProgress }: SimulateOptions = {}) {
    this.#plan = plan;
    this.#onProgress = onProgress;
    this.#swarm = new VirtualSwarm(
      plan,
      () => this.#chronicle,
      {
        metricsOf: (id) => this.#queues.metricsOf(id),
        onAcknowledged: (by, urls) => this.#failedWrites.acknowledged(by, urls),
        ...(onLog && { onLog: (line) => onLog(line, line.atMs - startedAtMs) }),
      },
      tampering,
    );
    const { world } = this.#swarm;
    const startedAtMs = world.clock.nowMs();
    this.#chronicle = new Chronicle(
      () => world.clock.nowMs() - startedAtMs,
      plan.settings.replicas,
    );
    const [chronicle, findings] = [this.#chronicle, this.#findings];
    const pages = new PageLedger(world.sampleWeb.layout.pageCount);
    this.#view = { plan, world, chronicle, findings, pages, startedAtMs };
    const dice = world.dice.fork("simulation");
    this.#player = new FaultPlayer(this.#swarm, chronicle, plan, dice.fork("faults"));
    const { jobLimits, jobScope: scope, jobDelayMs: delayMs } = plan.settings;
    this.#seeds = new SeedGiver(
      this.#swarm,
      chronicle,
      plan,
      dice.fork("seeds"),
      { id: job, options: { ...jobLimits, scope, delayMs } },
      (pages) => this.#coverage.acknowledged(pages),
    );
    const states = new JobStates(this.#view, job);
    this.#changer = new JobChanger(this.#swarm, this.#view, states, dice.fork("changes"), job);
    this.#log = new RunLog(this.#view);
    this.#convergence = new Convergence(this.#view);
    this.#coverage = new Coverage(this.#view, job);
    this.#duplicates = new Duplicates(this.#view);
    this.#politeness = new Politeness(this.#view);
    this.#queues = new BoundedQueues(this.#view);
    this.#status = new StatusOrder(this.#view);
    const lists = new UrlLists(this.#view, job, this.#duplicates);
    this.#questioner = new Questioner(
      this.#swarm,
      this.#view,
      { lists, status: this.#status },
      world.dice.fork("questions"),
      tampering.answers,
    );
    this.#failedWrites = new FailedWrites(this.#view, job);
    this.#termination = new Termination(this.#view);
    this.#checkers = [
      this.#convergence,
      this.#coverage,
      this.#duplicates,
      this.#politeness,
      this.#queues,
      this.#termination,
      this.#failedWrites,
      states,
      new Robots(this.#view),
      new OneOwner(this.#view),
      new Copies(this.#view),
      new Archived(this.#view),
    ];
    const planned = plan.injections.flatMap(({ pages }) => pages);
    this.#pages = onProgress && new PageProgress(this.#trueGraph(planned));
    world.web.onHit((hit) => this.#seeHit(hit, startedAtMs));
  }

  async run(): Promise<RunReport> {
    const { world } = this.#swarm;
    try {
      await world.run(this.#course(), runWithinMs);
    } catch (error) {
      this.#fail(error);
    }
    this.#over.abort();
    for (const { atMs, peer, generation, reason } of world.failures) {
      const text = `${peer} gave up: ${textOf(reason)}`;
      this.#findings.add("failures", atMs - this.#view.startedAtMs, text, { generation });
    }
    return this.#log.report({
      coverage: this.#coverage.counts,
      duplicates: this.#duplicates.counts,
      queues: this.#queues.highest,
      shortestSlackMs: this.#politeness.shortestSlackMs,
      delays: this.#politeness.counts,
      statusAnswers: this.#status.compared,
      forwarded: this.#swarm.forwarded,
    });
  }

  async #course(): Promise<void> {
    const { clock } = this.#swarm.world;
    for (let left = startersOf(this.#plan.scenario, this.#plan.size); left > 0; left -= 1) {
      this.#swarm.add();
    }
    void this.#watch();
    const patienceMs = foundWithinMs + foundWithinMsEach * this.#plan.size.peers;
    if (!(await this.#isCalmWithin(patienceMs))) return;
    const zeroMs = clock.nowMs();
    this.#log.began();
    void this.#questioner.run(this.#over.signal);
    const seeded = this.#seeds.giveAll(zeroMs);
    void seeded.then(() => this.#listenForEnd());
    const changed = this.#changer.play(zeroMs);
    this.#phase = "faults";
    await this.#player.play(zeroMs);
    await changed;
    this.#phase = "healing";
    await this.#player.heal();
    const converged = await this.#isCalmWithin(this.#plan.convergeWithinMs);
    if (converged) this.#log.converged(this.#calmSinceMs ?? this.#chronicle.nowMs);
    await this.#changer.goOn();
    this.#phase = "finishing";
    await this.#finish(seeded);
    await clock.sleep(afterEndMs);
    this.#over.abort();
    this.#look();
    const graph = this.#trueGraph();
    const { acknowledged } = this.#seeds;
    for (const checker of this.#checkers) {
      checker.finish?.({ graph, acknowledged, isFinished: this.#isFinished });
    }
    this.#log.finished();
  }

  /** Waits for the end of the job, as all peers see it. */
  async #finish(seeded: Promise<void>): Promise<void> {
    const { clock } = this.#swarm.world;
    const askedAtMs = this.#chronicle.nowMs;
    const inTime = new AbortController();
    const { dice, running } = this.#swarm.world;
    const listeners = dice.fork("listeners").shuffled(running).slice(0, listenersMax);
    const told = seeded.then(() =>
      Promise.all(
        // Each of them asks all members again and again.
        listeners.map(async (machine) => {
          await machine.peer.jobFinished(job, inTime.signal);
          if (!inTime.signal.aborted) this.#termination.toldOver(machine.index);
        }),
      ),
    );
    const isLate = await Promise.race([
      told.then(() => false),
      clock.sleep(this.#plan.finishWithinMs, inTime.signal).then(() => true),
    ]);
    this.#isFinished = !isLate;
    if (isLate) {
      const text = `the job is not over ${this.#plan.finishWithinMs / 1_000} s after all was healed`;
      const details = { ...this.#termination.whyNotOver(), ...(await this.#undone()) };
      this.#findings.add("termination", this.#chronicle.nowMs, text, details);
    } else {
      this.#chronicle.note({ kind: "finished" });
      const seededAtMs = Math.max(0, ...this.#seeds.acknowledged.values());
      const sinceMs = Math.max(this.#calmSinceMs ?? 0, seededAtMs, askedAtMs);
      this.#log.jobEnd = this.#termination.ended(sinceMs, askedAtMs);
    }
    inTime.abort();
  }

  /** Asks some peer for the end of the job while the faults go on: it must not be told too early. */
  async #listenForEnd(): Promise<void> {
    const { clock, dice } = this.#swarm.world;
    const chosen = dice.fork("listener");
    while (!this.#over.signal.aborted) {
      const machine = chosen.pick(this.#swarm.steady);
      if (machine !== undefined && machine.peer.jobs().length > 0) {
        const patience = new AbortController();
        const end = machine.peer.jobFinished(job, patience.signal).then(
          () => !patience.signal.aborted,
          // A peer that breaks says nothing of the job.
          () => false,
        );
        const isOver = await Promise.race([end, clock.sleep(lookMs * 5).then(() => false)]);
        patience.abort();
        // A peer that stops tells everybody who waits that there is nothing to wait for.
        if (isOver && machine.isUp && !this.#swarm.isBusy(machine.index)) {
          this.#termination.toldOver(machine.index);
          return;
        }
      }
      await clock.sleep(lookMs, this.#over.signal);
    }
  }

  /** Looks at the swarm again and again. */
  async #watch(): Promise<void> {
    const { clock, machines } = this.#swarm.world;
    while (!this.#over.signal.aborted) {
      this.#look();
      await clock.sleep(
        lookMs * Math.max(1, Math.ceil(machines.length / membersPerLook)),
        this.#over.signal,
      );
    }
  }

  #look(): void {
    const weather = this.#swarm.look();
    this.#chronicle.look(weather);
    if (!weather.calm) this.#calmSinceMs = undefined;
    else this.#calmSinceMs ??= this.#chronicle.nowMs;
    for (const checker of this.#checkers) checker.onLook?.();
    this.#log.look();
    this.#tellProgress();
  }

  #tellProgress(): void {
    this.#onProgress?.({
      phase: this.#phase,
      virtualMs: this.#chronicle.nowMs,
      running: this.#swarm.world.running.length,
      pages: this.#pages?.done ?? 0,
      pagesMax: this.#pages?.total ?? 0,
    });
  }

  async #isCalmWithin(withinMs: Millis): Promise<boolean> {
    const { clock } = this.#swarm.world;
    const untilMs = clock.nowMs() + withinMs;
    while (clock.nowMs() < untilMs) {
      const weather = this.#swarm.look();
      this.#tellProgress();
      if (weather.calm) {
        this.#chronicle.look(weather);
        this.#calmSinceMs ??= this.#chronicle.nowMs;
        return true;
      }
      this.#calmSinceMs = undefined;
      await clock.sleep(lookMs / 2);
    }
    this.#convergence.late(withinMs);
    return false;
  }

  #seeHit(hit: VirtualHit, startedAtMs: Millis): void {
    const seen: SeenHit = {
      ...hit,
      sentAtMs: hit.sentAtMs - startedAtMs,
      atMs: hit.atMs - startedAtMs,
      endMs: hit.endMs - startedAtMs,
      machine: Number(hit.peer.slice("peer-".length)),
    };
    const wasAnswered = this.#duplicates.isAnswered(hit.page);
    this.#view.pages.add(seen);
    for (const checker of this.#checkers) checker.onHit?.(seen);
    this.#log.seeHit(seen);
    if (!wasAnswered && this.#duplicates.isAnswered(hit.page)) this.#pages?.add(hit.page);
  }

  #trueGraph(given: Iterable<number> = this.#seeds.given): TrueGraph {
    const { sampleWeb } = this.#swarm.world;
    const seeds = [...given].map((page) => sampleWeb.urlOf(page));
    return new TrueGraph(sampleWeb, { seeds, scope: this.#plan.settings.jobScope });
  }

  /** Some of the pages that are not done, and what their holders say of them. */
  async #undone(): Promise<Record<string, string>> {
    const told: Record<string, string> = {};
    for (const { url, holder } of this.#coverage.undone(this.#trueGraph(), undoneMax)) {
      const [status] = (await holder?.peer.status([url])) ?? [];
      told[url] =
        `${holder?.id ?? "nobody"} says ${status?.state ?? "nothing"}: ${status?.reason ?? ""}`;
    }
    return told;
  }

  #fail(error: unknown): void {
    this.#findings.add("failures", this.#chronicle.nowMs, `the run broke: ${textOf(error)}`);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
