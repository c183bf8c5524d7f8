import type { Millis } from "../../src/core/units.ts";
import type { ChronicleEvent, Life, Window } from "../checkers/chronicle.ts";
import type { RunView, SeenHit } from "../checkers/checker.ts";
import type { DuplicateReason } from "../checkers/duplicates.ts";
import type { JobEnd } from "../checkers/termination.ts";
import type { CheckerName, Violation } from "../checkers/violation.ts";
import type { Plan } from "../scenarios/plan.ts";
import { trafficKinds, type Traffic, type TrafficCount } from "../world/traffic-counter.ts";

/** One moment of a run, for its pictures. */
export interface Sample {
  readonly atMs: Millis;
  /** Requests answered so far, robots.txt apart, by machine. */
  readonly answered: readonly number[];
  /** Messages and bytes sent so far, by kind. */
  readonly traffic: Readonly<Record<Traffic, TrafficCount>>;
}

/** Who holds what: bounds of arcs as shares of the circle, by machine. */
export interface Holdings {
  readonly machine: number;
  readonly arcs: readonly (readonly [from: number, to: number])[];
}

/** What the checkers have counted besides their violations. */
export interface CheckerCounts {
  readonly coverage: { readonly must: number; readonly done: number };
  readonly duplicates: Readonly<Record<DuplicateReason, number>>;
  readonly queues: Readonly<Record<string, number>>;
  readonly shortestSlackMs: Millis;
  /** Requests that were held against the delays, and how many of them no peer could have known better of. */
  readonly delays: { readonly requests: number; readonly excused: number };
  readonly statusAnswers: number;
  /** Messages with forwarded URLs, and the URLs in them. */
  readonly forwarded: { readonly messages: number; readonly urls: number };
}

/** Everything about a run. */
export interface RunReport extends CheckerCounts {
  readonly plan: Plan;
  readonly passed: boolean;
  readonly violations: readonly Violation[];
  readonly violationCounts: ReadonlyMap<CheckerName, number>;
  /** The one command that replays the run. */
  readonly replay: string;
  readonly traceHash: string;
  /** Virtual time of the whole run. */
  readonly virtualMs: Millis;
  /** From the founding of the swarm until the job was told over, or until the run was given up. */
  readonly crawlMs: Millis;
  /** When the last fault that was carried out began or ended; absent where there was none. */
  readonly lastFaultAtMs: Millis | undefined;
  /** From then until the swarm was one again; absent where it never was, and where there was no fault. */
  readonly convergedAfterMs: Millis | undefined;
  /** From the last answer of the web, or since something was last queued, until the job was told over. */
  readonly finishedAfterMs: Millis | undefined;
  /** Those for pages, robots.txt apart. */
  readonly requests: number;
  /** Those of them that an answer came to, whatever its status. */
  readonly answered: number;
  readonly fetchedBytes: number;
  readonly traffic: Readonly<Record<Traffic, TrafficCount>>;
  readonly falseDeaths: number;
  readonly machines: number;
  readonly samples: readonly Sample[];
  readonly events: readonly ChronicleEvent[];
  readonly lives: readonly Life[];
  readonly splits: readonly Window[];
  readonly thins: readonly Window[];
  readonly holdingsBefore: readonly Holdings[];
  readonly holdingsAfter: readonly Holdings[];
}

/** Samples kept; when there are more, every other one is dropped. */
const samplesMax = 600;

/** Writes down what reports show. */
export class RunLog {
  readonly #view: RunView;
  readonly #answered: number[] = [];
  #requests = 0;
  #fetchedBytes = 0;
  #samples: Sample[] = [];
  /** Looks of which one is kept. */
  #stride = 1;
  #looks = 0;
  #before: Holdings[] = [];
  #beganAtMs: Millis = 0;
  #convergedAfterMs: Millis | undefined;
  #after: Holdings[] = [];
  jobEnd: JobEnd | undefined;

  constructor(view: RunView) {
    this.#view = view;
  }

  seeHit({ isRobots, machine, status, bytes }: SeenHit): void {
    this.#fetchedBytes += bytes;
    if (isRobots) return;
    this.#requests += 1;
    if (status > 0) this.#answered[machine] = (this.#answered[machine] ?? 0) + 1;
  }

  /** The swarm is founded, and the seeds begin to come. */
  began(): void {
    this.#beganAtMs = this.#view.chronicle.nowMs;
    this.#before = this.#holdings();
  }

  /** All faults are over, and the swarm has been one since then. */
  converged(calmSinceMs: Millis): void {
    const { chronicle } = this.#view;
    const { lastFaultAtMs } = chronicle;
    // It stays calm where a fault broke nothing.
    if (lastFaultAtMs !== undefined) {
      this.#convergedAfterMs = Math.max(0, calmSinceMs - lastFaultAtMs);
    }
    chronicle.note({ kind: "calm" });
  }

  finished(): void {
    this.#after = this.#holdings();
  }

  look(): void {
    this.#looks += 1;
    if (this.#looks % this.#stride !== 0) return;
    const { chronicle, world } = this.#view;
    const { machines } = world;
    this.#samples.push({
      atMs: chronicle.nowMs,
      answered: machines.map((_, machine) => this.#answered[machine] ?? 0),
      traffic: world.network.traffic.totals(),
    });
    if (this.#samples.length < samplesMax) return;
    this.#samples = this.#samples.filter((_, at) => at % 2 === 1);
    this.#stride *= 2;
  }

  report(counts: CheckerCounts): RunReport {
    const { chronicle, findings, plan, world } = this.#view;
    return {
      ...counts,
      plan,
      passed: findings.total === 0,
      violations: findings.violations,
      violationCounts: findings.counts,
      replay: replayOf(plan),
      traceHash: BigInt.asUintN(64, world.trace.value).toString(16).padStart(16, "0"),
      virtualMs: chronicle.nowMs,
      crawlMs: (this.jobEnd?.toldAtMs ?? chronicle.nowMs) - this.#beganAtMs,
      lastFaultAtMs: chronicle.lastFaultAtMs,
      convergedAfterMs: this.#convergedAfterMs,
      finishedAfterMs: this.jobEnd?.afterMs,
      requests: this.#requests,
      answered: this.#answered.reduce((sum, answered) => sum + answered, 0),
      fetchedBytes: this.#fetchedBytes,
      traffic: world.network.traffic.totals(),
      falseDeaths: chronicle.falseDeaths,
      machines: world.machines.length,
      samples: this.#samples,
      events: chronicle.events,
      lives: chronicle.lives,
      splits: chronicle.splits,
      thins: chronicle.thins,
      holdingsBefore: this.#before,
      holdingsAfter: this.#after,
    };
  }

  #holdings(): Holdings[] {
    return this.#view.world.running.map(({ index, peer }) => {
      const arcs: [number, number][] = [];
      peer.swarm?.territory.held.forEachArc((from, to) => arcs.push([from / circle, to / circle]));
      return { machine: index, arcs };
    });
  }
}

/** Length of the circle that positions are counted on. */
const circle = 2 ** 52;

export function replayOf({ scenario, size }: Plan): string {
  const { seed, peers, sites, pages } = size;
  return `peer sim ${scenario} --seed ${seed} --peers ${peers} --sites ${sites} --pages ${pages}`;
}

/** For how long peers ran in that time, all together. */
export function ranMs(lives: readonly Life[], fromMs: Millis, toMs: Millis): Millis {
  return lives.reduce(
    (sum, life) => sum + Math.max(0, Math.min(life.toMs, toMs) - Math.max(life.fromMs, fromMs)),
    0,
  );
}

/** Sum over all kinds of traffic. */
export function totalOf(traffic: Readonly<Record<Traffic, TrafficCount>>): TrafficCount {
  let [messages, bytes] = [0, 0];
  for (const kind of trafficKinds) {
    messages += traffic[kind].messages;
    bytes += traffic[kind].bytes;
  }
  return { messages, bytes };
}
