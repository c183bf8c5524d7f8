import { isMinority } from "../../../core/membership/minority.ts";
import type { Member } from "../../../core/membership/member.ts";
import type { Logger } from "../../../ports/logger.ts";

/** What a peer does while it sees the smaller part of a swarm that has fallen apart. */
export type MinorityPolicy = "crawl" | "pause";

/**
 * Holds requests back while this peer is in the minority, where it is told to: the other part has claimed the same sites by
 * then, and what both crawl is asked of its hosts twice. What is discovered or injected meanwhile is kept.
 */
export class MinorityWatch {
  readonly #logger: Logger;
  readonly #policy: MinorityPolicy;
  readonly #onOver: () => void;
  #isHolding = false;

  constructor(
    logger: Logger,
    policy: MinorityPolicy,
    /** Called when requests may go out again. */
    onOver: () => void,
  ) {
    this.#logger = logger;
    this.#policy = policy;
    this.#onOver = onOver;
  }

  get isHolding(): boolean {
    return this.#isHolding;
  }

  /** To be called with all members that are remembered, when something has changed about one. */
  look(members: readonly Member[]): void {
    if (this.#policy === "crawl" || isMinority(members) === this.#isHolding) return;
    this.#isHolding = !this.#isHolding;
    if (this.#isHolding) {
      this.#logger.warn("minority-pauses", { members: members.length });
    } else {
      this.#logger.info("minority-over", { members: members.length });
      this.#onOver();
    }
  }
}
