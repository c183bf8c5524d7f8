import { isOfCountingGuard } from "../../../core/jobs/exclusion.ts";
import type { Discovery, QueueBundle } from "../../../core/record/queue-bundle.ts";
import { UrlRecord } from "../../../core/record/record.pb.ts";
import { urlState } from "../../../core/record/url-state.ts";
import type { CanonicalUrl } from "../../../core/units.ts";
import { urlRow } from "../../admission/url-row.ts";
import type { Job } from "../../jobs/job-registry.ts";

/**
 * Whether a URL's record is further than an entry of its queue. It is not where it tells of a redirect by which the entry was
 * found: that led back to the page, in another spelling. Nor is it where a guard that counts had kept the URL out: it was let
 * in since, or elsewhere.
 */
export function isOutdated(
  { attempts, redirectChain }: Pick<Discovery, "attempts" | "redirectChain">,
  value: Uint8Array | undefined,
): boolean {
  const record = value && UrlRecord.decode(value);
  if (!record) return false;
  const { url, redirect } = record;
  if (url !== undefined && redirect !== undefined && redirectChain.includes(url)) return false;
  if (isOfCountingGuard(record.excluded)) return false;
  return record.state === urlState.done || record.attempts > attempts;
}

/** Keys of the records of a bundle's URLs, by their places. */
export function recordKeysOf({ urls }: QueueBundle, job: Job): Uint8Array[] {
  return urls.map((url) => urlRow(url as CanonicalUrl, job).key);
}

/** The bundle without the URLs whose records are further, given by their places. */
export function withoutOutdated(
  bundle: QueueBundle,
  records: readonly (Uint8Array | undefined)[],
): QueueBundle {
  let { taken } = bundle;
  for (const place of bundle.urls.keys()) {
    if (isOutdated(bundle, records[place])) taken |= 1 << place;
  }
  return { ...bundle, taken: taken >>> 0 };
}
