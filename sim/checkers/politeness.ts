import { effectiveDelayMs } from "../../src/core/politeness/effective-delay.ts";
import { defaultPolitenessOptions } from "../../src/core/politeness/politeness-options.ts";
import type { Millis } from "../../src/core/units.ts";
import { inFlightMs } from "../auditor/audit-rules.ts";
import type { Checker, RunView, SeenHit } from "./checker.ts";
import { isFinal } from "./duplicates.ts";

/** A host is asked again at that time at the earliest, by what became of one request. */
interface Rest {
  readonly after: SeenHit;
  readonly untilMs: Millis;
}

/** Peers count in whole milliseconds, and their clocks drift. */
const toleranceMs = 1;

/**
 * Gaps between the arrivals of two successive requests, at each host and at each address, whoever sent them; that neither
 * has two requests open at once; and that a host is left alone after its answer for as long as that took, and after a
 * failure for as long as it asks for, or for the first backoff.
 *
 * Both sides of a split crawl by themselves, so two peers may meet at a host then.
 */
export class Politeness implements Checker {
  readonly #view: RunView;
  readonly #lastOfHost = new Map<string, SeenHit>();
  readonly #lastOfAddress = new Map<string, SeenHit>();
  /** What each host rests after for longest. */
  readonly #rests = new Map<string, Rest>();
  /** The request to each address that ends last. */
  readonly #open = new Map<string, SeenHit>();
  /** Delay of each host: names cost time to look up. */
  readonly #delays = new Map<string, Millis>();
  /** The answer by which each host has told its Crawl-delay: nobody can know of one while robots.txt fails. */
  readonly #readings = new Map<string, SeenHit>();
  /** Requests that had one before them at their host or address, and those of them that are excused. */
  readonly counts = { requests: 0, excused: 0 };
  #shortestSlackMs = Infinity;

  constructor(view: RunView) {
    this.#view = view;
  }

  /** By how much the tightest gap was longer than it had to be. */
  get shortestSlackMs(): Millis {
    return this.#shortestSlackMs;
  }

  readonly onHit = (hit: SeenHit): void => {
    const ofHost = this.#lastOfHost.get(hit.host);
    this.#lastOfHost.set(hit.host, hit);
    const lastThere = this.#lastOfAddress.get(hit.address);
    this.#lastOfAddress.set(hit.address, hit);
    this.#check(hit, ofHost, lastThere);
    if (hit.isRobots && isFinal(hit) && !this.#isRead(hit.host)) this.#readings.set(hit.host, hit);
  };

  #check(hit: SeenHit, ofHost: SeenHit | undefined, lastThere: SeenHit | undefined): void {
    this.#checkRest(hit);
    this.#checkOpen(hit);
    // The delay of the host covers its address.
    const ofAddress = lastThere?.host === hit.host ? undefined : lastThere;
    if (!ofHost && !ofAddress) return;
    this.counts.requests += 1;
    const isHostExcused = ofHost !== undefined && this.#isExcused(ofHost, hit);
    const isAddressExcused = ofAddress !== undefined && this.#isExcused(ofAddress, hit);
    if (isHostExcused || isAddressExcused) this.counts.excused += 1;
    if (ofHost && !isHostExcused) this.#checkHost(ofHost, hit);
    if (ofAddress && !isAddressExcused) this.#checkAddress(ofAddress, hit);
  }

  #checkHost(last: SeenHit, hit: SeenHit): void {
    const gapMs = hit.atMs - last.atMs;
    const delayMs = this.#delayBetween(last, hit);
    this.#shortestSlackMs = Math.min(this.#shortestSlackMs, gapMs - delayMs);
    if (gapMs < delayMs * (1 - this.#driftShare) - toleranceMs) {
      this.#report("host", hit.host, last, hit, delayMs);
    }
  }

  #checkAddress(last: SeenHit, hit: SeenHit): void {
    const { addressDelayMs } = defaultPolitenessOptions;
    const delayMs = Math.min(addressDelayMs, this.#view.plan.settings.jobDelayMs);
    if (hit.atMs - last.atMs < delayMs * (1 - this.#driftShare) - toleranceMs) {
      this.#report("address", hit.address, last, hit, delayMs);
    }
  }

  #checkRest(hit: SeenHit): void {
    const rest = this.#rests.get(hit.host);
    const own = restAfter(hit);
    if (rest === undefined || own.untilMs >= rest.untilMs) this.#rests.set(hit.host, own);
    if (rest === undefined) return;
    const { after, untilMs } = rest;
    const earlyMs = untilMs - hit.atMs;
    if (earlyMs <= (untilMs - after.endMs) * this.#driftShare + toleranceMs) return;
    if (this.#isRestUnknown(after, hit)) return;
    this.#tell(
      hit,
      after,
      `host ${hit.host} was asked ${earlyMs.toFixed(1)} ms before it had rested after the status ${after.status}`,
    );
  }

  #checkOpen(hit: SeenHit): void {
    const open = this.#open.get(hit.address);
    if (open === undefined || hit.endMs >= open.endMs) this.#open.set(hit.address, hit);
    if (open === undefined || open.host === hit.host) return;
    if (open.endMs <= hit.atMs || this.#isRestUnknown(open, hit)) return;
    this.#tell(hit, open, `address ${hit.address} was asked while ${open.url} was open there`);
  }

  /** Whether nobody who could ask need have known how that request ended. */
  #isRestUnknown(after: SeenHit, hit: SeenHit): boolean {
    const { chronicle } = this.#view;
    const { machine, generation, atMs } = after;
    if (this.#isLost(after)) return true;
    if (machine === hit.machine && generation === hit.generation) return false;
    // A process that stood still has its arcs back, with the doubt about when their hosts were asked, and no more than that.
    if (chronicle.isDazed(hit.machine)) return true;
    return chronicle.isExcused(atMs, hit.atMs);
  }

  /** Whether who sent it may have been gone before anybody was told of the answer. */
  #isLost({ machine, generation, atMs, endMs }: SeenHit): boolean {
    const { chronicle } = this.#view;
    const knownInMs = endMs - atMs + chronicle.durableWithin(machine, endMs, inFlightMs);
    return chronicle.vanishedAfter(machine, generation, atMs, knownInMs);
  }

  /** Whether somebody has read the host's robots.txt, and lived to tell. */
  #isRead(host: string): boolean {
    const reading = this.#readings.get(host);
    return reading !== undefined && !this.#isLost(reading);
  }

  #report(unit: string, name: string, last: SeenHit, hit: SeenHit, delayMs: Millis): void {
    const gapMs = hit.atMs - last.atMs;
    this.#tell(
      hit,
      last,
      `${unit} ${name} was asked ${gapMs.toFixed(1)} ms after the request before, with a delay of ${delayMs} ms`,
    );
  }

  #tell(hit: SeenHit, last: SeenHit, text: string): void {
    this.#view.findings.add("politeness", hit.atMs, text, {
      url: hit.url,
      peer: hit.machine,
      generation: hit.generation,
      lastUrl: last.url,
      lastPeer: last.machine,
      lastGeneration: last.generation,
    });
  }

  #isExcused(last: SeenHit, hit: SeenHit): boolean {
    const { chronicle } = this.#view;
    const { machine, generation, atMs, sentAtMs } = last;
    if (machine !== hit.machine && chronicle.isSplit(hit.sentAtMs, hit.atMs)) return true;
    // Its sender had died when it arrived: nobody alive could know when it would.
    if (chronicle.vanishedAfter(machine, generation, atMs, 0)) return true;
    // Its sender died on its side of a split, with which the split was over: the other side was never told.
    const isAlone = machine !== hit.machine && chronicle.isSplit(sentAtMs, atMs);
    return isAlone && chronicle.vanishedAfter(machine, generation, atMs, hit.atMs - atMs);
  }

  /** A clock that runs fast waits that much less than it says. */
  get #driftShare(): number {
    return this.#view.plan.settings.clockDriftMaxPpm / 1_000_000;
  }

  /** What the host asks for, or the job's own delay where all who had read the host's may have been gone meanwhile. */
  #delayBetween(last: SeenHit, hit: SeenHit): Millis {
    const { chronicle, plan } = this.#view;
    const isForgotten = last.machine !== hit.machine && chronicle.isThin(last.atMs, hit.atMs);
    return isForgotten ? plan.settings.jobDelayMs : this.#delayOf(hit.host);
  }

  #delayOf(host: string): Millis {
    if (!this.#isRead(host)) return this.#view.plan.settings.jobDelayMs;
    const known = this.#delays.get(host);
    if (known !== undefined) return known;
    const { sampleWeb } = this.#view.world;
    const found = sampleWeb.names.findHost(host);
    const crawlDelay = found && sampleWeb.robotsOf(found).crawlDelaySeconds;
    const crawlDelayMs = crawlDelay === undefined ? undefined : crawlDelay * 1_000;
    const { jobDelayMs } = this.#view.plan.settings;
    const delayMs = effectiveDelayMs(jobDelayMs, crawlDelayMs, defaultPolitenessOptions);
    this.#delays.set(host, delayMs);
    return delayMs;
  }
}

/** By a peer's clock the answer takes no less than by the server's, and comes no earlier. */
function restAfter(hit: SeenHit): Rest {
  const { atMs, endMs, isRobots, retryAfterSeconds = 0 } = hit;
  const { adaptiveFactor, backoffBaseMs } = defaultPolitenessOptions;
  // An origin whose robots.txt fails has waits of its own.
  const failedMs = isFinal(hit) || isRobots ? 0 : backoffBaseMs;
  const restMs = Math.max(adaptiveFactor * (endMs - atMs), failedMs, retryAfterSeconds * 1_000);
  return { after: hit, untilMs: endMs + restMs };
}
