import { OutageWatch, type AttemptEnd } from "../../core/politeness/outage-watch.ts";
import type { CanonicalUrl, Millis } from "../../core/units.ts";
import { originOf } from "../../core/url/site-of.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { HostProbe } from "../../ports/host-probe.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { Store } from "../../ports/store.ts";
import type { Lease } from "../frontier/lease.ts";
import { originsThatAnswered } from "../robots/origins-that-answered.ts";

/**
 * A host whose attempt an outage has ended rests for so long, and at most twice that: the longer, the longer it lasts. Those
 * who shut us out together look like an outage, and are not to be knocked at all day.
 */
const restMsMin: Millis = 30_000;
const restMsMax: Millis = 300_000;

interface OutagePorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly probe: HostProbe;
  readonly store: Pick<Store, "range">;
}

/**
 * Attempts that an outage of our own network has ended are no one's fault: however long it lasts, no URL and no host is given
 * up for them. Each host is asked again now and then; the first that answers tells that the outage is over, or one of those
 * that are looked at meanwhile.
 */
export class Outages {
  readonly #ports: OutagePorts;
  readonly #onFailure: (error: unknown) => void;
  readonly #signal: AbortSignal;
  readonly #watch = new OutageWatch();
  #saidSinceMs: Millis | undefined;

  /**
   * @param onFailure is told when the store cannot be read
   * @param signal ends a look that is under way
   */
  constructor(ports: OutagePorts, onFailure: (error: unknown) => void, signal: AbortSignal) {
    this.#ports = ports;
    this.#onFailure = onFailure;
    this.#signal = signal;
    const { clock, metrics } = ports;
    metrics.whenRead(() => {
      metrics.gauge("network_down", this.#watch.sinceMs(clock.nowMs()) === undefined ? 0 : 1);
    });
  }

  /**
   * Takes in how an attempt at the lease's host ended. Where that is an outage's doing, the host rests, and neither it nor the
   * URL is to be blamed: true.
   */
  hear({ address, host: { visit }, url: { entry } }: Lease, end: AttemptEnd): boolean {
    const { clock, entropy } = this.#ports;
    const nowMs = clock.nowMs();
    const place = { origin: originOf(entry.url as CanonicalUrl), address };
    const isOurs = this.#watch.hear(place, end, nowMs);
    this.#say(nowMs, end.failure === undefined);
    if (this.#watch.wantsLook(nowMs)) {
      // What it still reads at the end fails as the database closes, and nobody wants it any more.
      this.#look(nowMs).catch((error: unknown) =>
        this.#signal.aborted ? undefined : this.#onFailure(error),
      );
    }
    if (!isOurs) return false;
    const lastsMs = nowMs - (this.#watch.sinceMs(nowMs) ?? nowMs);
    const restMs = Math.min(Math.max(lastsMs / 4, restMsMin), restMsMax);
    visit.gate.restUntil(nowMs + restMs * (1 + entropy.random()));
    return true;
  }

  async #look(beganAtMs: Millis): Promise<void> {
    const { clock, probe, store } = this.#ports;
    this.#watch.beginLook(beganAtMs);
    if (!this.#watch.knowsEnough) this.#watch.learn(await originsThatAnswered(store));
    const origins = this.#watch.takeOrigins();
    const lives = await Promise.all(origins.map((origin) => probe.reaches(origin, this.#signal)));
    if (this.#signal.aborted) return;
    const nowMs = clock.nowMs();
    const isAlive = lives.includes(true);
    this.#watch.hearLook({ origins: origins.length, isAlive }, nowMs);
    this.#say(nowMs, isAlive);
  }

  #say(nowMs: Millis, isSign: boolean): void {
    const { logger } = this.#ports;
    const sinceMs = this.#watch.sinceMs(nowMs);
    const saidMs = this.#saidSinceMs;
    if (sinceMs === saidMs) return;
    this.#saidSinceMs = sinceMs;
    if (sinceMs !== undefined) {
      logger.warn("network-down", { why: "no host answers, not even those that did before" });
    } else if (saidMs !== undefined) {
      const afterSeconds = Math.round((nowMs - saidMs) / 1_000);
      if (isSign) logger.info("network-up", { afterSeconds });
      else logger.warn("network-given-up", { why: "those hosts seem to be gone", afterSeconds });
    }
  }
}
