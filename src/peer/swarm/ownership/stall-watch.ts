import type { KnownHolder } from "../../../core/messages/holding.ts";
import type { Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import type { Journal } from "../../durability/journal.ts";
import { askAllMax } from "./arc-claim.ts";
import type { PeerCalls } from "../peer-calls.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { Territory } from "./territory.ts";

/**
 * A process that has not run for so long may have been taken for dead: less than others wait before they claim what it
 * holds, and more than a busy machine makes a timer late.
 */
const stallMs: Millis = 2_500;

/** How often the watch looks at the clock when nobody asks. */
const beatMs: Millis = 1_000;

/** Time for an answer, and rest before all are asked again. */
const timeoutMs: Millis = 1_000;
const retryMs: Millis = 200;

/** Never is anything held back for longer, but for the time in which this peer's own disk hangs. */
const holdMsMax: Millis = 15_000;

/** A disk that takes longer hangs; a slower one is only slow. */
const hangMs: Millis = 1_000;

interface StallEvents {
  /** This process has stood still. */
  readonly onStall: () => void;
  /** Requests may go out again. */
  readonly onCleared: () => void;
}

/**
 * Holds requests back after this process has stood still: stopped, swapped out, its machine asleep.
 *
 * Time has passed that it knows nothing of; others may have claimed its arcs and may be crawling them. It waits until none
 * of them holds what it holds: what they claimed they pass back, as after a partition. While its own disk hangs they cannot:
 * it would ask again for what they have asked for.
 */
export class StallWatch {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #calls: Pick<PeerCalls, "whoHolds">;
  readonly #view: Pick<SwarmView, "others" | "self">;
  readonly #territory: Territory;
  readonly #journal: Pick<Journal, "flushed">;
  readonly #signal: AbortSignal;
  readonly #events: StallEvents;
  #lastMs: Millis;
  #lastWallMs: Millis;
  #count = 0;
  #goesOnSinceMs: Millis = 0;
  #holdUntilMs: Millis = 0;
  #clearing: Promise<void> | undefined;
  /** What waits for this peer's disk. */
  #flushing: Promise<void> | undefined;

  constructor(
    ports: {
      readonly clock: Clock;
      readonly logger: Logger;
      readonly calls: Pick<PeerCalls, "whoHolds">;
    },
    parts: {
      readonly view: Pick<SwarmView, "others" | "self">;
      readonly territory: Territory;
      readonly journal: Pick<Journal, "flushed">;
    },
    signal: AbortSignal,
    events: StallEvents,
  ) {
    this.#clock = ports.clock;
    this.#logger = ports.logger;
    this.#calls = ports.calls;
    this.#view = parts.view;
    this.#territory = parts.territory;
    this.#journal = parts.journal;
    this.#signal = signal;
    this.#events = events;
    this.#lastMs = ports.clock.nowMs();
    this.#lastWallMs = ports.clock.wallMs();
  }

  /** Whether no request may go out now; to be asked before each, as the first timer to fire after a stall may be theirs. */
  get isHolding(): boolean {
    this.#look();
    return this.#clearing !== undefined;
  }

  /** Stalls so far. */
  get count(): number {
    this.#look();
    return this.#count;
  }

  /** Stalls that had been seen when the clock was last looked at: what comes to light only now is not among them. */
  get seen(): number {
    return this.#count;
  }

  async run(): Promise<void> {
    this.#lastMs = this.#clock.nowMs();
    this.#lastWallMs = this.#clock.wallMs();
    while (!this.#signal.aborted) {
      this.#look();
      await this.#clock.sleep(beatMs, this.#signal);
    }
    await this.#clearing;
  }

  #look(): void {
    const nowMs = this.#clock.nowMs();
    const wallMs = this.#clock.wallMs();
    const stoodStillMs = Math.max(nowMs - this.#lastMs, wallMs - this.#lastWallMs);
    this.#lastMs = nowMs;
    this.#lastWallMs = wallMs;
    if (stoodStillMs < stallMs || this.#view.others.length === 0) return;
    this.#logger.warn("stood-still", { forMs: Math.round(stoodStillMs) });
    this.#count += 1;
    this.#territory.distrustCopies();
    this.#events.onStall();
    this.#goesOnSinceMs = nowMs;
    this.#holdUntilMs = nowMs + holdMsMax;
    this.#clearing ??= this.#clear().finally(() => {
      this.#clearing = undefined;
      this.#events.onCleared();
    });
  }

  async #clear(): Promise<void> {
    while (!this.#isOver) {
      this.#flushing ??= this.#flush();
      const { count } = this;
      // What was answered before it stood still once more is long past.
      if ((await this.#isSoleHolder()) && this.count === count) return;
      await this.#clock.sleep(retryMs, this.#signal);
    }
  }

  /** Where the disk hangs, the time that it takes does not count; what of it this process stood still is over. */
  async #flush(): Promise<void> {
    const sinceMs = this.#clock.nowMs();
    // The journal has reported a failure itself.
    await this.#journal.flushed().catch(() => undefined);
    const tookMs = this.#clock.nowMs() - Math.max(sinceMs, this.#goesOnSinceMs);
    if (tookMs > hangMs) this.#holdUntilMs += tookMs;
    this.#flushing = undefined;
  }

  /** Whether nothing is held back any longer, also where it has just stood still once more. */
  get #isOver(): boolean {
    this.#look();
    if (this.#signal.aborted) return true;
    return this.#flushing === undefined && this.#clock.nowMs() >= this.#holdUntilMs;
  }

  /** Whether somebody has answered, and nobody holds what this peer holds, by his own word or by that of others. */
  async #isSoleHolder(): Promise<boolean> {
    const { held } = this.#territory;
    const { others, self } = this.#view;
    // Of himself he knows best; of one who is silent, perhaps dead with what he had taken over, others do.
    const spoken = new Set([self]);
    const said: KnownHolder[] = [];
    for (let at = 0; at < others.length; at += askAllMax) {
      const asked = others.slice(at, at + askAllMax);
      const answers = await Promise.all(
        asked.map((member) => this.#calls.whoHolds(member, held, timeoutMs)),
      );
      const isShared = answers.some((answer) => answer?.held.intersect(held).isEmpty === false);
      if (isShared || this.#isOver) return false;
      for (const member of asked.filter((_, index) => answers[index])) spoken.add(member);
      said.push(...answers.flatMap((answer) => answer?.known ?? []));
    }
    const isFree = ({ arcs, holder }: KnownHolder): boolean =>
      spoken.has(holder) || arcs.intersect(held).isEmpty;
    return spoken.size > 1 && said.every(isFree);
  }
}
