import type { Millis } from "../../src/core/units.ts";

/** Every checker, with what it proves. */
export const checkers = {
  coverage: "every reachable page has its final record at the member that holds its site",
  injections:
    "every acknowledged seed was durable at its holder and its replicas by then, and was crawled",
  copies:
    "every record is the same at its holder and its replicas, and nothing is left in a queue or on its way",
  archived:
    "whatever a record says of an archive is there, but for archives that were lost with their disks",
  duplicates: "every page fetched again is explained by a crash, a partition or lost copies",
  politeness:
    "no host and no address was asked sooner than its delay, or while a request was open there, and no host before it had rested, by all peers together; excused are the sides of a split, which cannot know of each other, and requests after one whose sender was dead by then",
  robots: "nothing was fetched that robots.txt or the job's rules forbid",
  "one-owner": "no host was asked by two peers at once, and no arc was open at two",
  convergence: "all members came to agree on the ring, and hold together the whole of it",
  termination: "the job was told over neither early nor late",
  "job-state":
    "no page was asked for long after a member had said that the job is paused, and all members came to agree on the change that was made last",
  "bounded-queues": "no queue grew beyond its bound",
  "failed-writes":
    "a peer of which a write failed ended at once, and what a member acknowledged to another was on its disk by then",
  "status-order": "no answer about a URL went back",
  "url-lists": "a list of the job's URLs left out no page that was done",
  failures: "no peer gave up, and the run came to its end",
} as const;

export type CheckerName = keyof typeof checkers;

export const checkerNames = Object.keys(checkers) as CheckerName[];

/** Facts of a violation, for whoever looks for its cause. */
export type ViolationDetails = Readonly<Record<string, string | number>>;

/** Each fact by its name; times are told as exactly as they are of use. */
export function factsOf({ details }: Violation): [name: string, value: string][] {
  return Object.entries(details).map(([name, value]) => [
    name,
    typeof value === "string" || Number.isInteger(value) ? String(value) : formatFraction(value),
  ]);
}

function formatFraction(value: number): string {
  return Math.abs(value) < 1 ? String(Number(value.toPrecision(3))) : value.toFixed(1);
}

/** A rule of the system that did not hold. */
export interface Violation {
  readonly checker: CheckerName;
  /** Time since the beginning of the run. */
  readonly atMs: Millis;
  /** One plain sentence. */
  readonly text: string;
  readonly details: ViolationDetails;
}

/** Violations of each checker that are kept; the rest is counted. */
const keptMax = 20;

/** What the checkers have found. */
export class Findings {
  readonly #counts = new Map<CheckerName, number>();
  readonly #kept: Violation[] = [];

  /** How often each checker was violated. */
  get counts(): ReadonlyMap<CheckerName, number> {
    return this.#counts;
  }

  get total(): number {
    let total = 0;
    for (const count of this.#counts.values()) total += count;
    return total;
  }

  /** In the order of their times. */
  get violations(): readonly Violation[] {
    return this.#kept.toSorted((one, other) => one.atMs - other.atMs);
  }

  add(checker: CheckerName, atMs: Millis, text: string, details: ViolationDetails = {}): void {
    const count = (this.#counts.get(checker) ?? 0) + 1;
    this.#counts.set(checker, count);
    if (count <= keptMax) this.#kept.push({ checker, atMs, text, details });
  }
}
