import { UrlRecord } from "../../../core/record/record.pb.ts";
import type { QueueEntry } from "../../../core/record/queue-entry.ts";
import { urlState } from "../../../core/record/url-state.ts";

/** Whether a URL's record is further than an entry of its queue. */
export function isOutdated({ attempts }: QueueEntry, value: Uint8Array | undefined): boolean {
  const record = value && UrlRecord.decode(value);
  if (!record) return false;
  return record.state === urlState.done || record.attempts > attempts;
}
