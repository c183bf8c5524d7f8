import { formatDuration } from "../../src/core/text/human.ts";
import type { Millis } from "../../src/core/units.ts";
import { inFlightMs } from "../auditor/audit-rules.ts";
import type { Checker, RunView, SeenHit } from "./checker.ts";

/** Why a page was fetched again although it had been answered. */
export type DuplicateReason = "crash" | "partition" | "copies-down" | "unexplained";

interface Answer {
  readonly machine: number;
  readonly generation: number;
  readonly atMs: Millis;
  /** When the web had answered. */
  readonly endMs: Millis;
}

interface Again {
  readonly url: string;
  readonly first: Answer;
  readonly second: Answer;
}

/** The same ({@link inFlightMs}) where a disk or the network was disturbed while the answer became durable. */
const disturbedInFlightMs = 60_000;
/** Requests for a page that has no good answer, at most: see the retry table. */
const attemptsMax = 5;

/**
 * Every page that is fetched again after its answer must have lost that answer in a way that the design admits: in flight
 * at a crash, out of sight in a partition, or out of reach since as many members were down as there are copies.
 */
export class Duplicates implements Checker {
  readonly #view: RunView;
  readonly #answers: Answers;
  /** Requests of each process for a page, without a final answer. */
  readonly #attempts = new Map<string, number>();
  readonly #again: Again[] = [];
  readonly counts: Record<DuplicateReason, number> = {
    crash: 0,
    partition: 0,
    "copies-down": 0,
    unexplained: 0,
  };

  constructor(view: RunView) {
    this.#view = view;
    this.#answers = new Answers(view.world.sampleWeb.layout.pageCount);
  }

  readonly onHit = (hit: SeenHit): void => {
    if (hit.page < 0) return;
    const { machine, generation, atMs, endMs } = hit;
    const first = this.#answers.get(hit.page);
    const second = { machine, generation, atMs, endMs };
    if (first !== undefined) this.#again.push({ url: hit.url, first, second });
    if (isFinal(hit)) {
      this.#answers.set(hit.page, second);
      return;
    }
    const run = `${hit.page} ${machine} ${generation}`;
    const attempts = (this.#attempts.get(run) ?? 0) + 1;
    this.#attempts.set(run, attempts);
    // After its last attempt a page is done, whatever it answered.
    if (attempts >= attemptsMax) this.#answers.set(hit.page, second);
  };

  /** The last answer after which the page is done. */
  answerOf(page: number): Answer | undefined {
    return this.#answers.get(page);
  }

  /** Whether the page has had an answer after which it is done. */
  isAnswered(page: number): boolean {
    return this.#answers.has(page);
  }

  readonly finish = (): void => {
    for (const again of this.#again) {
      const reason = this.#reasonOf(again);
      this.counts[reason] += 1;
      if (reason !== "unexplained") continue;
      const { url, first, second } = again;
      this.#view.findings.add(
        "duplicates",
        second.atMs,
        `${url} was fetched again by peer-${second.machine}, ${formatDuration(second.atMs - first.atMs)} after its answer to peer-${first.machine}`,
        {
          url,
          firstPeer: first.machine,
          firstGeneration: first.generation,
          firstAtMs: first.atMs,
          secondPeer: second.machine,
          secondGeneration: second.generation,
        },
      );
    }
  };

  #reasonOf({ first, second }: Again): DuplicateReason {
    const { chronicle } = this.#view;
    const { machine, generation, atMs, endMs } = first;
    const restMs = endMs + inFlightMs;
    const isDisturbed = chronicle.isSplit(atMs, restMs) || chronicle.isSlow(atMs, restMs);
    const durableMs = isDisturbed ? disturbedInFlightMs : inFlightMs;
    const inDoubtMs = endMs - atMs + chronicle.durableWithin(machine, endMs, durableMs);
    // A crash explains only what was fetched after it.
    const withinMs = Math.min(inDoubtMs, second.atMs - atMs);
    if (chronicle.vanishedAfter(machine, generation, atMs, withinMs)) return "crash";
    // Whoever has fetched it, and has run since, knows of it, whomever it sees.
    if (machine === second.machine && generation === second.generation) return "unexplained";
    if (chronicle.isSplit(second.atMs)) return "partition";
    if (chronicle.isThin(second.atMs)) return "copies-down";
    return "unexplained";
  }
}

/** Whether a page is done with that answer. */
export function isFinal({ status }: Pick<SeenHit, "status">): boolean {
  return status > 0 && status !== 429 && status < 500;
}

/** The last final answer of each page: columns, since a run may have a million pages. */
class Answers {
  readonly #machine: Uint32Array;
  /** Counted from 1: 0 where there is no answer. */
  readonly #generation: Uint32Array;
  readonly #atMs: Float64Array;
  readonly #endMs: Float64Array;

  constructor(pages: number) {
    this.#machine = new Uint32Array(pages);
    this.#generation = new Uint32Array(pages);
    this.#atMs = new Float64Array(pages);
    this.#endMs = new Float64Array(pages);
  }

  has(page: number): boolean {
    return (this.#generation[page] ?? 0) > 0;
  }

  get(page: number): Answer | undefined {
    if (!this.has(page)) return undefined;
    return {
      machine: this.#machine[page] ?? 0,
      generation: this.#generation[page] ?? 0,
      atMs: this.#atMs[page] ?? 0,
      endMs: this.#endMs[page] ?? 0,
    };
  }

  set(page: number, { machine, generation, atMs, endMs }: Answer): void {
    this.#machine[page] = machine;
    this.#generation[page] = generation;
    this.#atMs[page] = atMs;
    this.#endMs[page] = endMs;
  }
}
