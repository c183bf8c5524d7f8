import { effectiveDelayMs } from "../../src/core/politeness/effective-delay.ts";
import { defaultPolitenessOptions } from "../../src/core/politeness/politeness-options.ts";
import type { Millis } from "../../src/core/units.ts";
import type { Checker, RunView, SeenHit } from "./checker.ts";

/** Peers count in whole milliseconds, and their clocks drift. */
const toleranceMs = 1;

/**
 * Gaps between the arrivals of two successive requests, at each host and at each address, whoever sent them; and that
 * no host has two requests open at once.
 *
 * Both sides of a split crawl by themselves, so two peers may meet at a host then.
 */
export class Politeness implements Checker {
  readonly #view: RunView;
  readonly #lastOfHost = new Map<string, SeenHit>();
  readonly #lastOfAddress = new Map<string, SeenHit>();
  /** Delay of each host: names cost time to look up. */
  readonly #delays = new Map<string, Millis>();
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
    // The delay of the host covers its address.
    const ofAddress = lastThere?.host === hit.host ? undefined : lastThere;
    if (!ofHost && !ofAddress) return;
    this.counts.requests += 1;
    const isHostExcused = ofHost !== undefined && this.#isExcused(ofHost, hit);
    const isAddressExcused = ofAddress !== undefined && this.#isExcused(ofAddress, hit);
    if (isHostExcused || isAddressExcused) this.counts.excused += 1;
    if (ofHost && !isHostExcused) this.#checkHost(ofHost, hit);
    if (ofAddress && !isAddressExcused) this.#checkAddress(ofAddress, hit);
  };

  #checkHost(last: SeenHit, hit: SeenHit): void {
    const gapMs = hit.atMs - last.atMs;
    const delayMs = this.#delayOf(hit.host);
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

  #report(unit: string, name: string, last: SeenHit, hit: SeenHit, delayMs: Millis): void {
    const gapMs = hit.atMs - last.atMs;
    this.#view.findings.add(
      "politeness",
      hit.atMs,
      `${unit} ${name} was asked ${gapMs.toFixed(1)} ms after the request before, with a delay of ${delayMs} ms`,
      {
        url: hit.url,
        peer: hit.machine,
        generation: hit.generation,
        lastUrl: last.url,
        lastPeer: last.machine,
        lastGeneration: last.generation,
      },
    );
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

  #delayOf(host: string): Millis {
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
