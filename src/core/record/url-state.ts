import { UrlRecord } from "./record.pb.ts";

/** A URL's place in the lattice: absent is unknown, and a higher number wins a merge. */
export const urlState = {
  queued: 1,
  done: 2,
  /** What a record says before anything is known. */
  fresh: {
    state: 0,
    fetchedAtMs: 0,
    attempts: 0,
    httpStatus: 0,
    depth: 0,
    bodyBytes: 0,
    truncated: false,
    noindex: false,
  } satisfies UrlRecord,
} as const;

/** The row of a URL that is queued, of which so many requests have been made: all else of it is in the queue. */
export function queuedRecord(attempts: number): Uint8Array<ArrayBuffer> {
  return UrlRecord.encode({ ...urlState.fresh, state: urlState.queued, attempts });
}
