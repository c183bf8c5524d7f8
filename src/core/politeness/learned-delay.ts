import type { Millis } from "../units.ts";
import type { VerdictKind } from "./retry-table.ts";

/** A host that says that it is asked too often is asked half as often. */
const growth = 2;
/** Each good answer takes so much of it away again, in case the host has more to spare by now. */
const decay = 1 / 32;
/** Good answers from one refusal to the next, from which on the pace is right: the breaker opens where they are fewer. */
const answersInRowMax = 10;
/**
 * Six requests a minute, fewer than which hardly any server wants. A host that refuses every tenth request whatever its pace
 * gets here, too: about as slow as the breaker makes it.
 */
const learnedMaxMs: Millis = 10_000;

/**
 * The delay that a host is found to need by what it refuses. One that limits its rate would else answer every other request
 * with a 429 for ever, and URLs would lose all of their attempts by that.
 *
 * The rate is halved and grows again bit by bit (additive increase, multiplicative decrease, nearly: Chiu and Jain 1989).
 * What is refused in a row tells nothing of the delay: the host may be out of order, for which there is the backoff. The
 * delay is a multiple of the one in use, so that there is none where that is 0.
 */
export class LearnedDelay {
  #ms: Millis;
  #answersInRow = 0;

  constructor(ms: Millis = 0) {
    this.#ms = ms;
  }

  get ms(): Millis {
    return this.#ms;
  }

  /** A request ended, at the delay in use. Whether {@link ms} has changed by that. */
  record(kind: VerdictKind, delayMs: Millis): boolean {
    const before = this.#ms;
    if (kind === "ok") {
      this.#answersInRow += 1;
      this.#ms = before < 1 ? 0 : before * (1 - decay);
    } else if (kind !== "neutral") {
      const isTooFast = this.#answersInRow > 0 && this.#answersInRow < answersInRowMax;
      if (kind === "overloaded" && isTooFast) {
        this.#ms = Math.max(before, Math.min(delayMs * growth, learnedMaxMs));
      }
      this.#answersInRow = 0;
    }
    return this.#ms !== before;
  }
}
