import { describeReason } from "../../core/answers/reason-text.ts";
import type { OutageReason } from "../../core/answers/url-status.ts";
import { lookRestMs, OutageWatch, type LookEnd } from "../../core/politeness/outage-watch.ts";
import type { Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";

interface OutageParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** What may be down. */
  readonly name: "name-server" | "network";
  /** Looks at some of those who have answered before. */
  readonly look: () => Promise<LookEnd>;
  /** Is told when it is over, as a sign of life has shown. */
  readonly onEnd: () => void;
  /** Is told when a look could not be made. */
  readonly onFailure: (error: unknown) => void;
  /** Ends the looks. */
  readonly signal: AbortSignal;
}

/**
 * One kind of outage of our own: looks while there may be one, and tells of its beginning and its end. Nothing is told of one
 * that may be the end of one server.
 */
export class Outage {
  readonly #parts: OutageParts;
  readonly #watch = new OutageWatch();
  /** From the look that is called for until the end of what it has found. */
  #isWatching = false;
  /** The look that was called for last. */
  #looking: Promise<void> | undefined;
  #saidSinceMs: Millis | undefined;

  constructor(parts: OutageParts) {
    this.#parts = parts;
  }

  get reason(): OutageReason {
    return `${this.#parts.name}-down`;
  }

  /** Since when it has lasted, as far as anyone can tell. */
  get sinceMs(): Millis | undefined {
    return this.#watch.sinceMs(this.#parts.clock.nowMs());
  }

  /** Whether it is down, and that is no one server's end. */
  isDown(): boolean {
    return this.#toldSinceMs !== undefined;
  }

  get #toldSinceMs(): Millis | undefined {
    return this.#watch.isOfFew ? undefined : this.sinceMs;
  }

  hearSign(): void {
    this.#take(true, (nowMs) => this.#watch.hearSign(nowMs));
  }

  /**
   * An attempt that began then was in vain. Resolves when it is known whether that tells of an outage: where a look is called
   * for, behind it.
   */
  async hearSilence(startedAtMs: Millis): Promise<void> {
    this.#watch.hearSilence(startedAtMs);
    if (!this.#isWatching && this.#watch.wantsLook(this.#parts.clock.nowMs())) {
      this.#isWatching = true;
      this.#looking = this.#look();
      void this.#lookOn().finally(() => (this.#isWatching = false));
    }
    await this.#looking;
  }

  /**
   * Looks on while it is down, so that its end is seen also where nobody is asked any more. A few are looked at behind
   * attempts in vain only: each is an attempt too, and they rest the longer, the longer it lasts.
   */
  async #lookOn(): Promise<void> {
    const { clock, signal } = this.#parts;
    await this.#looking;
    while (this.isDown() && !signal.aborted) {
      await clock.sleep(lookRestMs, signal);
      this.#say(false);
      if (this.isDown()) await this.#look();
    }
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const { clock, look, onFailure, signal } = this.#parts;
    this.#watch.beginLook(clock.nowMs());
    try {
      const end = await look();
      if (signal.aborted) return;
      this.#take(end.isAlive, (nowMs) => this.#watch.hearLook(end, nowMs));
    } catch (error) {
      // What it still reads at the end fails as the database closes, and nobody wants it any more.
      if (!signal.aborted) onFailure(error);
    }
  }

  #take(isSign: boolean, take: (nowMs: Millis) => void): void {
    const beforeMs = this.sinceMs;
    take(this.#parts.clock.nowMs());
    this.#say(isSign);
    const { sinceMs } = this;
    if (beforeMs !== undefined && sinceMs === undefined) this.#parts.onEnd();
  }

  #say(isSign: boolean): void {
    const { clock, logger, name } = this.#parts;
    const { reason } = this;
    const sinceMs = this.#toldSinceMs;
    const saidMs = this.#saidSinceMs;
    if (sinceMs === saidMs) return;
    this.#saidSinceMs = sinceMs;
    if (sinceMs !== undefined) {
      logger.warn(reason, { why: describeReason(reason) });
    } else if (saidMs !== undefined) {
      const afterSeconds = Math.round((clock.nowMs() - saidMs) / 1_000);
      if (isSign) logger.info(`${name}-up`, { afterSeconds });
      else logger.warn(`${name}-given-up`, { why: "it is waited for no longer", afterSeconds });
    }
  }
}
