import { forgetOldest } from "../../core/forget-oldest.ts";
import type { MemberId, Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";

/** How long a member may leave a request unanswered that is made again and again, before the log tells of it. */
const patienceMs: Millis = 30_000;

/** Members and kinds of requests remembered; the oldest give way. */
const entriesMax = 4_096;

interface Silence {
  readonly sinceMs: Millis;
  lastMs: Millis;
  isTold: boolean;
}

/**
 * Tells of members that run and yet do not answer what the swarm cannot do without. Whoever asks goes on asking, so without
 * a word here a crawl would stand still and nobody know why.
 */
export class Unanswered {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #logger: Pick<Logger, "info" | "warn">;
  readonly #silences = new Map<string, Silence>();

  constructor(ports: {
    readonly clock: Pick<Clock, "nowMs">;
    readonly logger: Pick<Logger, "info" | "warn">;
  }) {
    this.#clock = ports.clock;
    this.#logger = ports.logger;
  }

  answered(member: MemberId, request: string): void {
    const id = `${request} ${member}`;
    const silence = this.#silences.get(id);
    if (!silence) return;
    this.#silences.delete(id);
    if (silence.isTold) this.#logger.info("member-takes-again", { member, request });
  }

  failed(member: MemberId, request: string): void {
    const nowMs = this.#clock.nowMs();
    const silence = this.#silenceOf(`${request} ${member}`, nowMs);
    silence.lastMs = nowMs;
    const forMs = nowMs - silence.sinceMs;
    if (silence.isTold || forMs < patienceMs) return;
    silence.isTold = true;
    const forSeconds = Math.round(forMs / 1_000);
    this.#logger.warn("member-takes-nothing", { member, request, forSeconds });
  }

  /** That of requests made in a row: what has not been asked for a while begins anew. */
  #silenceOf(id: string, nowMs: Millis): Silence {
    const known = this.#silences.get(id);
    if (known && nowMs - known.lastMs <= patienceMs) return known;
    const silence = { sinceMs: nowMs, lastMs: nowMs, isTold: false };
    this.#silences.delete(id);
    this.#silences.set(id, silence);
    forgetOldest(this.#silences, entriesMax);
    return silence;
  }
}
