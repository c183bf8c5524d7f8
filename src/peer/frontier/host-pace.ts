import { effectiveDelayMs } from "../../core/politeness/effective-delay.ts";
import type { PolitenessOptions } from "../../core/politeness/politeness-options.ts";
import { believableClocks } from "../../core/politeness/believable-clocks.ts";
import type { HostRecord } from "../../core/record/record.pb.ts";
import type { Millis } from "../../core/units.ts";
import type { Host } from "./host.ts";

/** Gives the host the pace that its jobs, its robots.txt and its refusals want now: the most careful of them wins. */
export function setPace(host: Host, politeness: PolitenessOptions): void {
  const { visit } = host;
  const ownDelayMs = Math.max(host.crawlDelayMs ?? 0, host.learnedDelay.ms);
  let connectionsMax = Infinity;
  visit.delayMs = 0;
  for (const job of host.jobs) {
    if (!host.mayBeAskedBy(job)) continue;
    const { connectionsPerHost, delayMs } = job.definition.options;
    connectionsMax = Math.min(connectionsMax, connectionsPerHost);
    const wantedMs = effectiveDelayMs(delayMs, ownDelayMs, politeness);
    visit.delayMs = Math.max(visit.delayMs, wantedMs);
  }
  // Where its robots.txt is asked for, all that another visit could do is to wait for the answer.
  const isAsked = host.askedOrigins.size > 0;
  visit.connectionsMax = connectionsMax === Infinity || isAsked ? 1 : connectionsMax;
}

/** Heeds what a row that another member wrote of the host asks for. */
export function heedRow(
  host: Host,
  record: HostRecord,
  politeness: PolitenessOptions,
  nowMs: Millis,
): void {
  const { backoffUntilMs = 0, breakerUntilMs = 0 } = believableClocks(record, politeness, nowMs);
  host.visit.gate.restUntil(Math.max(backoffUntilMs, breakerUntilMs));
  const { crawlDelayMs = 0 } = record;
  if (crawlDelayMs > (host.crawlDelayMs ?? 0)) host.crawlDelayMs = crawlDelayMs;
}
