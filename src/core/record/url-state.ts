import type { UrlRecord } from "./record.pb.ts";

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
