import { OutageWatch, type AttemptEnd } from "../../core/politeness/outage-watch.ts";
import type { Millis } from "../../core/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { Lease } from "../frontier/lease.ts";

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
}

/**
 * Attempts that an outage of our own network has ended are no one's fault: however long it lasts, no URL and no host is given
 * up for them. Each host is asked again now and then, and the first that answers tells that the outage is over.
 */
export class Outages {
  readonly #ports: OutagePorts;
  readonly #watch = new OutageWatch();
  #saidSinceMs: Millis | undefined;

  constructor(ports: OutagePorts) {
    this.#ports = ports;
    const { clock, metrics } = ports;
    metrics.whenRead(() => {
      metrics.gauge("network_down", this.#watch.sinceMs(clock.nowMs()) === undefined ? 0 : 1);
    });
  }

  /**
   * Takes in how an attempt at the lease's host ended. Where that is an outage's doing, the host rests, and neither it nor the
   * URL is to be blamed: true.
   */
  hear({ address, host: { visit } }: Lease, end: AttemptEnd): boolean {
    const { clock, entropy } = this.#ports;
    const nowMs = clock.nowMs();
    const isOurs = this.#watch.hear({ host: visit.host, address }, end, nowMs);
    const sinceMs = this.#watch.sinceMs(nowMs);
    this.#say(sinceMs, end, nowMs);
    if (!isOurs) return false;
    const lastsMs = nowMs - (sinceMs ?? nowMs);
    const restMs = Math.min(Math.max(lastsMs / 4, restMsMin), restMsMax);
    visit.gate.restUntil(nowMs + restMs * (1 + entropy.random()));
    return true;
  }

  #say(sinceMs: Millis | undefined, { failure }: AttemptEnd, nowMs: Millis): void {
    const { logger } = this.#ports;
    const saidMs = this.#saidSinceMs;
    if (sinceMs === saidMs) return;
    this.#saidSinceMs = sinceMs;
    if (sinceMs !== undefined) {
      logger.warn("network-down", { why: "no host answers, not even those that just did" });
    } else if (saidMs !== undefined) {
      const afterSeconds = Math.round((nowMs - saidMs) / 1_000);
      if (failure === undefined) logger.info("network-up", { afterSeconds });
      else logger.warn("network-given-up", { why: "those hosts seem to be gone", afterSeconds });
    }
  }
}
