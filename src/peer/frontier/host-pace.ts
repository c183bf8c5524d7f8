import { effectiveDelayMs } from "../../core/politeness/effective-delay.ts";
import type { PolitenessOptions } from "../../core/politeness/politeness-options.ts";
import type { Host } from "./host.ts";

/** Gives the host the pace that its jobs and its robots.txt want now: the most careful of them wins. */
export function setPace(host: Host, politeness: PolitenessOptions): void {
  const { visit } = host;
  let connectionsMax = Infinity;
  visit.delayMs = 0;
  for (const job of host.jobs) {
    if (!host.mayBeAskedBy(job)) continue;
    const { connectionsPerHost, delayMs } = job.definition.options;
    connectionsMax = Math.min(connectionsMax, connectionsPerHost);
    const wantedMs = effectiveDelayMs(delayMs, host.crawlDelayMs, politeness);
    visit.delayMs = Math.max(visit.delayMs, wantedMs);
  }
  visit.connectionsMax = connectionsMax === Infinity ? 1 : connectionsMax;
}
