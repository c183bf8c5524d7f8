import { clocksApartMaxMs } from "../../../core/membership/read-member.ts";
import type { MemberId, Millis } from "../../../core/units.ts";
import type { Logger } from "../../../ports/logger.ts";

/** Members that are told of, at most: where it is this peer's clock that is wrong, all of them are as far from it. */
const toldMax = 8;

const minuteMs: Millis = 60_000;
const hourMs: Millis = 60 * minuteMs;

const consequence =
  "members do not take each other in whose clocks are more than a day apart; set the clock that is wrong";

/**
 * Tells of members whose clocks are so far from this peer's that one of the two does not believe in the other's run, each once:
 * nothing else shows why such a peer finds no swarm, or stays out of the one that it has found.
 */
export class FarClocks {
  readonly #logger: Pick<Logger, "warn">;
  readonly #told = new Set<MemberId>();

  constructor(logger: Pick<Logger, "warn">) {
    this.#logger = logger;
  }

  /** A member, or one that would be, has said what time it is. */
  heard(member: MemberId, sentAtMs: Millis | undefined, nowMs: Millis): void {
    if (sentAtMs === undefined || Math.abs(sentAtMs - nowMs) <= clocksApartMaxMs) return;
    if (this.#told.has(member) || this.#told.size >= toldMax) return;
    this.#told.add(member);
    const here = timeOf(nowMs);
    const there = timeOf(sentAtMs);
    const by = Math.round(Math.abs(sentAtMs - nowMs) / hourMs);
    const apart = `its clock is ${by} hours ${sentAtMs > nowMs ? "ahead of" : "behind"} this one`;
    this.#logger.warn("clocks-differ", { member, here, there, apart, consequence });
  }
}

/** To the minute; a time that no calendar has as its number. */
function timeOf(ms: Millis): string {
  const date = new Date(Math.floor(ms / minuteMs) * minuteMs);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}
