import { forgetOldest } from "../forget-oldest.ts";
import type { HostName, IpAddress, Millis } from "../units.ts";
import type { FetchFailure } from "./retry-table.ts";

/** How attempts end where our own network or name server is down. A refused connection is a sign of life. */
const silences: ReadonlySet<FetchFailure> = new Set<FetchFailure>([
  "connect-timeout",
  "connect-unreachable",
  "dns-error",
  "dns-timeout",
]);

/** Machines that have fallen silent together. More leave a crawl of few hosts without help. */
const silentMin = 3;

/** A host that has answered within so long before the last answer of all was well then; time of outages apart. */
const wellMs: Millis = 600_000;

/** Hosts of which it is remembered that they have answered. */
const answeredMax = 1_000;

/** An outage that lasts longer is none, but the end of those hosts. */
const outageMsMax: Millis = 86_400_000;

/** Where a host's attempt went. */
interface Place {
  readonly host: HostName;
  readonly address: IpAddress;
}

/** How it ended. */
export interface AttemptEnd {
  readonly startedAtMs: Millis;
  /** Undefined where there was an answer. */
  readonly failure: FetchFailure | undefined;
}

/**
 * Tells an outage of our own network or name server from hosts that are gone: several that were well, at addresses of their
 * own, give no sign of life, and since the first of them was asked in vain no other host has answered either.
 *
 * Hosts that have never answered are no evidence, however many: often they are all that is left of a crawl.
 */
export class OutageWatch {
  /** What answered last stands last. */
  readonly #answered = new Map<HostName, { readonly atMs: Millis; readonly address: IpAddress }>();
  /** Addresses of hosts that have been asked in vain since the last answer of any. */
  readonly #silent = new Set<IpAddress>();
  #lastAnswerMs: Millis = 0;
  #sinceMs: Millis | undefined;
  /** What all outages before have lasted: the next one may begin before those have had a turn who were well. */
  #downMs: Millis = 0;

  /** Since when our own network has been down, as far as anyone can tell. */
  sinceMs(nowMs: Millis): Millis | undefined {
    const sinceMs = this.#sinceMs;
    return sinceMs !== undefined && nowMs - sinceMs < outageMsMax ? sinceMs : undefined;
  }

  /** Takes in how an attempt ended. Whether that is the outage's doing, and says nothing of the host. */
  hear(place: Place, { failure, startedAtMs }: AttemptEnd, nowMs: Millis): boolean {
    if (failure === undefined) this.#hearAnswer(place, nowMs);
    else if (silences.has(failure)) this.#hearNothing(place.host, startedAtMs, nowMs);
    else return false;
    return this.sinceMs(nowMs) !== undefined;
  }

  #hearAnswer({ host, address }: Place, nowMs: Millis): void {
    this.#downMs += nowMs - (this.sinceMs(nowMs) ?? nowMs);
    const atMs = nowMs - this.#downMs;
    this.#answered.delete(host);
    this.#answered.set(host, { atMs, address });
    forgetOldest(this.#answered, answeredMax);
    this.#lastAnswerMs = atMs;
    this.#silent.clear();
    this.#sinceMs = undefined;
  }

  /** One that began before the last answer is no evidence: those that wait for long end together, amid the answers of others. */
  #hearNothing(host: HostName, startedAtMs: Millis, nowMs: Millis): void {
    if (startedAtMs - this.#downMs < this.#lastAnswerMs) return;
    const answer = this.#answered.get(host);
    if (answer === undefined || answer.atMs < this.#lastAnswerMs - wellMs) return;
    this.#silent.add(answer.address);
    if (this.#silent.size >= silentMin) this.#sinceMs ??= nowMs;
  }
}
