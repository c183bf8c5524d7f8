import { CrawlError } from "../../../core/errors.ts";
import type { CanonicalUrl, Millis } from "../../../core/units.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Job } from "../../jobs/job-registry.ts";
import { Pulse } from "../../pulse.ts";
import { urlRow } from "../../admission/url-row.ts";
import type { Exchange } from "./exchange.ts";
import { newParcel } from "./parcel.ts";
import type { Parcel } from "./parcel.ts";

/**
 * Brings seeds to the members that own their sites. Resolves when all are durable there and at their replicas: with the
 * number of those that were new. Errors: `SWARM_BUSY` when an owner did not answer in time; its
 * details tell how many are `open`.
 */
export async function injectSeeds(
  { clock, exchange }: { readonly clock: Clock; readonly exchange: Exchange },
  job: Job,
  urls: readonly CanonicalUrl[],
  timeoutMs: Millis,
  signal: AbortSignal,
): Promise<number> {
  let added = 0;
  let open = urls.length;
  const pulse = new Pulse();
  const acknowledged = (isNew: boolean): void => {
    if (isNew) added += 1;
    open -= 1;
    pulse.fire();
  };
  const parcels = urls.map((url): Parcel => {
    const entry = { url, job: job.definition.id, depth: 0, redirectChain: [] };
    return newParcel({ rowKey: urlRow(url, job).key, entry, sinceMs: clock.nowMs(), acknowledged });
  });
  for (const parcel of parcels) exchange.send(parcel);
  const endMs = clock.nowMs() + timeoutMs;
  const wake = (): void => pulse.fire();
  const cancel = clock.call(timeoutMs, wake);
  signal.addEventListener("abort", wake);
  await pulse.until(() => open === 0 || clock.nowMs() >= endMs || signal.aborted);
  signal.removeEventListener("abort", wake);
  cancel();
  if (open === 0) return added;
  for (const { rowKey } of parcels) exchange.withdraw(rowKey, acknowledged);
  const problem = `${open} of ${urls.length} URLs were not acknowledged by their owners; inject them again`;
  throw new CrawlError("SWARM_BUSY", problem, { open });
}
