import type { RingPosition } from "../../../core/ring/ring-position.ts";
import type { MemberId, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Territory } from "../ownership/territory.ts";

/** How long an answer is looked for: longer than a member that is gone silently takes to be missed. */
const searchMs: Millis = 5_000;

/** Rest before those are asked again who did not know, or did not answer. */
const retryMs: Millis = 250;

/** One way to an answer. */
export interface Attempt {
  readonly member: MemberId;
  /** Not as the holder: what its copy says will do. */
  readonly fromCopy: boolean;
}

/** What came of asking about one thing: an answer, a word on who holds it, or nothing. */
export type Finding<T> =
  | { readonly kind: "answer"; readonly answer: T }
  | { readonly kind: "elsewhere"; readonly holder: MemberId | undefined }
  /** It may be asked in the same way again at once. */
  | { readonly kind: "again" }
  | undefined;

/** A thing that is asked about, and where its site stands. */
interface Search<T> {
  readonly index: number;
  readonly position: RingPosition;
  readonly tried: Set<string>;
  hint: MemberId | undefined;
  answer: T | undefined;
}

/**
 * Finds who can tell of a site: the member that holds it, as far as anybody knows; where that one does not answer, the
 * members that the ring prefers for it, from their copies. While arcs are on their way nobody may know; then it tries again
 * until its time is over.
 */
export class HolderSearch {
  readonly #clock: Clock;
  readonly #view: SwarmView;
  readonly #territory: Territory;
  readonly #replicas: number;
  readonly #signal: AbortSignal;

  constructor(
    clock: Clock,
    parts: { readonly view: SwarmView; readonly territory: Territory },
    replicas: number,
    signal: AbortSignal,
  ) {
    this.#clock = clock;
    this.#view = parts.view;
    this.#territory = parts.territory;
    this.#replicas = replicas;
    this.#signal = signal;
  }

  /**
   * Answers in the order of the positions. `ask` is called with the indices of those that one member may know of, for
   * several members at once, and finds something for each of them.
   */
  async run<T>(
    positions: readonly RingPosition[],
    ask: (attempt: Attempt, indices: readonly number[]) => Promise<readonly Finding<T>[]>,
  ): Promise<(T | undefined)[]> {
    const searches = positions.map((position, index): Search<T> => ({
      index,
      position,
      tried: new Set(),
      hint: undefined,
      answer: undefined,
    }));
    const end = this.#clock.nowMs() + searchMs;
    let open = searches;
    while (open.length > 0 && this.#clock.nowMs() < end && !this.#signal.aborted) {
      const groups = this.#grouped(open);
      if (groups.length === 0) {
        await this.#clock.sleep(retryMs, this.#signal);
        for (const search of open) {
          search.tried.clear();
          search.hint = undefined;
        }
        continue;
      }
      await Promise.all(
        groups.map(async ({ attempt, group }) => {
          const findings = await ask(
            attempt,
            group.map(({ index }) => index),
          );
          group.forEach((search, at) => note(search, attempt, findings[at]));
        }),
      );
      open = open.filter(({ answer }) => answer === undefined);
    }
    return searches.map(({ answer }) => answer);
  }

  /** Who holds the site, as far as is known here. */
  holderOf(position: RingPosition): MemberId | undefined {
    const { self, ring } = this.#view;
    if (this.#territory.holds(position)) return self;
    const noted = this.#territory.runningHolderAt(position, this.#view);
    return noted?.member ?? ring.ownerOf(position);
  }

  #grouped<T>(open: readonly Search<T>[]): { attempt: Attempt; group: Search<T>[] }[] {
    const groups = new Map<string, { attempt: Attempt; group: Search<T>[] }>();
    for (const search of open) {
      const attempt = this.#next(search);
      if (!attempt) continue;
      const name = nameOf(attempt);
      const known = groups.get(name);
      if (known) known.group.push(search);
      else groups.set(name, { attempt, group: [search] });
    }
    return [...groups.values()];
  }

  #next<T>(search: Search<T>): Attempt | undefined {
    for (const attempt of this.#ways(search)) {
      if (this.#view.generationOf(attempt.member) === undefined) continue;
      if (!search.tried.has(nameOf(attempt))) return attempt;
    }
    return undefined;
  }

  /** Ways to an answer, the likeliest first; nearly always that one is taken, and the others are not worked out. */
  *#ways<T>({ position, hint }: Search<T>): Generator<Attempt, void, undefined> {
    const { ring, self } = this.#view;
    const holders = [this.holderOf(position), hint, ring.ownerOf(position)];
    for (const member of holders) {
      if (member !== undefined) yield { member, fromCopy: false };
    }
    yield { member: self, fromCopy: true };
    for (const member of ring.preferenceOf(position, this.#replicas)) {
      yield { member, fromCopy: true };
    }
  }
}

function note<T>(search: Search<T>, attempt: Attempt, finding: Finding<T>): void {
  if (finding?.kind === "again") return;
  search.tried.add(nameOf(attempt));
  if (finding?.kind === "answer") search.answer = finding.answer;
  else if (finding) search.hint = finding.holder;
  // A holder that does not answer would not answer from a copy either.
  else search.tried.add(nameOf({ ...attempt, fromCopy: true }));
}

function nameOf({ member, fromCopy }: Attempt): string {
  return `${fromCopy ? "copy" : "held"} ${member}`;
}
