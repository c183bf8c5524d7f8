import { forgetOldest } from "../forget-oldest.ts";
import type { IpAddress, Millis, OriginName } from "../units.ts";
import type { FetchFailure } from "./retry-table.ts";

/** How attempts end where our own network or name server is down. A refused connection is a sign of life. */
const silences: ReadonlySet<FetchFailure> = new Set<FetchFailure>([
  "connect-timeout",
  "connect-unreachable",
  "dns-error",
  "dns-timeout",
]);

/** So many attempts in vain, and so long without any sign of life, call for a look at those who have answered before. */
const silentAttemptsMin = 3;
const quietMsMin: Millis = 10_000;

/** Between two looks: while dead hosts are all that is left of a crawl, those who have answered are not knocked at all day. */
const lookRestMs: Millis = 60_000;

/** Origins that a look takes. Fewer that are silent together may be one server's end: they leave such a crawl without help. */
const lookOriginsMax = 5;
const lookOriginsMin = 3;

/** Origins of which it is remembered that they have answered; each has its turn in an hour or two of looks. */
const answeredMax = 500;

/** An outage that lasts longer is none, but the end of those hosts. */
const outageMsMax: Millis = 86_400_000;

/** Where an attempt went. */
interface Place {
  readonly origin: OriginName;
  readonly address: IpAddress;
}

/** How it ended. */
export interface AttemptEnd {
  readonly startedAtMs: Millis;
  /** Undefined where there was an answer. */
  readonly failure: FetchFailure | undefined;
}

/**
 * Tells an outage of our own network or name server from hosts that are gone. Attempts alone do not: dead hosts are often all
 * that is left of a crawl, and in an outage there may be none but new ones. So where nobody answers, some of those who did are
 * looked at: a sign of life of one tells of dead hosts, and of none at all of an outage.
 */
export class OutageWatch {
  /** By address, or by themselves where that is not known; who is to be looked at next stands last. */
  #answered = new Map<IpAddress | OriginName, OriginName>();
  /** Attempts in vain that began since the last sign of life. */
  #silentAttempts = 0;
  #signAtMs: Millis = -Infinity;
  #lookedAtMs: Millis = -Infinity;
  #sinceMs: Millis | undefined;

  /** Since when our own network has been down, as far as anyone can tell. */
  sinceMs(nowMs: Millis): Millis | undefined {
    const sinceMs = this.#sinceMs;
    return sinceMs !== undefined && nowMs - sinceMs < outageMsMax ? sinceMs : undefined;
  }

  /** Whether enough are known that have answered. */
  get knowsEnough(): boolean {
    return this.#answered.size >= lookOriginsMin;
  }

  /** Takes in origins that have answered in an earlier run, or others' questions. */
  learn(origins: readonly OriginName[]): void {
    for (const origin of origins) this.#remember(origin, origin);
  }

  /** Takes in how an attempt ended. Whether that is the outage's doing, and says nothing of the host. */
  hear({ origin, address }: Place, { failure, startedAtMs }: AttemptEnd, nowMs: Millis): boolean {
    if (failure === undefined) {
      this.#remember(address, origin);
      this.#hearSign(nowMs);
    } else if (!silences.has(failure)) return false;
    // Those that wait for long end together, amid the answers of others.
    else if (startedAtMs >= this.#signAtMs) this.#silentAttempts += 1;
    return this.sinceMs(nowMs) !== undefined;
  }

  /** Whether a look is due. */
  wantsLook(nowMs: Millis): boolean {
    if (this.#silentAttempts < silentAttemptsMin) return false;
    return nowMs >= Math.max(this.#signAtMs + quietMsMin, this.#lookedAtMs + lookRestMs);
  }

  /** A look begins: {@link hearLook} is to be told what came of it. */
  beginLook(nowMs: Millis): void {
    this.#lookedAtMs = nowMs;
  }

  /** Who is to be looked at now; they come again when all others have had their turn. */
  takeOrigins(): readonly OriginName[] {
    const answered = [...this.#answered];
    const taken = answered.splice(-lookOriginsMax);
    this.#answered = new Map([...taken, ...answered]);
    return taken.map(([, origin]) => origin);
  }

  /** Takes in how many were looked at in the look that began last, and whether one of them has given a sign of life. */
  hearLook(look: { readonly origins: number; readonly isAlive: boolean }, nowMs: Millis): void {
    if (look.isAlive) this.#hearSign(nowMs);
    else if (look.origins < lookOriginsMin) return;
    // Unless somebody has answered meanwhile.
    else if (this.#signAtMs < this.#lookedAtMs) this.#sinceMs ??= nowMs;
  }

  #hearSign(nowMs: Millis): void {
    this.#signAtMs = nowMs;
    this.#silentAttempts = 0;
    this.#sinceMs = undefined;
  }

  #remember(key: IpAddress | OriginName, origin: OriginName): void {
    this.#answered.delete(key);
    this.#answered.set(key, origin);
    forgetOldest(this.#answered, answeredMax);
  }
}
