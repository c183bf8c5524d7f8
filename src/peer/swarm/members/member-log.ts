import type { MemberId, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";

/** Changes that are told in one window: hundreds of members that a cut parts, and that find together again. */
const changesMax = 2_000;
const changesWindowMs: Millis = 60_000;

/** One line in so long about runs of this peer that others have made up. */
const outbidEveryMs: Millis = 10_000;

/**
 * Tells the log what becomes of members.
 *
 * Invariant: a bounded number of lines in a minute. Any member can claim of others what it likes, hundreds of times a second,
 * and of such that there are not.
 */
export class MemberLog {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #logger: Pick<Logger, "info" | "warn">;
  #changes = 0;
  #changesFromMs: Millis = -Infinity;
  #outbidAtMs: Millis = -Infinity;

  constructor(ports: {
    readonly clock: Pick<Clock, "nowMs">;
    readonly logger: Pick<Logger, "info" | "warn">;
  }) {
    this.#clock = ports.clock;
    this.#logger = ports.logger;
  }

  /** A member is new, or runs anew, or its state is another one. */
  changed(member: MemberId, state: string): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#changesFromMs >= changesWindowMs) {
      this.#changes = 0;
      this.#changesFromMs = nowMs;
    }
    this.#changes += 1;
    if (this.#changes <= changesMax) {
      this.#logger.info("member-changed", { member, state });
    } else if (this.#changes === changesMax + 1) {
      const untoldSeconds = Math.ceil((this.#changesFromMs + changesWindowMs - nowMs) / 1_000);
      this.#logger.warn("members-change-too-often", { told: changesMax, untoldSeconds });
    }
  }

  /** Somebody has claimed a later run of this peer, and it is not there. */
  outbid(generation: Millis, addresses: readonly string[]): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#outbidAtMs < outbidEveryMs) return;
    this.#outbidAtMs = nowMs;
    this.#logger.warn("later-run-outbid", { generation, addresses: addresses.join(" ") });
  }
}
