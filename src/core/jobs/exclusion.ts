/**
 * Why a URL is not crawled: every discovered URL that is never fetched has exactly one of these, and a user can ask
 * for it.
 */
export type ExclusionReason =
  /** Outside the job's scope. */
  | "scope"
  /** Matched by an `exclude` pattern, or by no `include` pattern. */
  | "pattern"
  /** More links away from the seeds than `depthMax`. */
  | "depth"
  /** The job has its `pagesMax` pages. */
  | "page-limit"
  /** Longer than `urlBytesMax`. */
  | "url-length"
  /** More than `pathSegmentsMax` path segments. */
  | "path-depth"
  /** One path segment occurs more than `segmentRepeatsMax` times, or a run of them that many times in a row. */
  | "repeated-segments"
  /** A calendar-like sequence far from the present. */
  | "calendar"
  /** The host has its `pagesPerHostMax` URLs. */
  | "host-limit"
  /** The path has its `queriesPerPathMax` query strings. */
  | "query-explosion"
  /** Linked only with rel=nofollow, or from a nofollow page. */
  | "nofollow"
  /** Disallowed by robots.txt. */
  | "robots"
  /** robots.txt stayed unreachable, so that nothing may be fetched. */
  | "robots-unreachable"
  /** More than 10 redirects in a row. */
  | "redirect-limit"
  /** A redirect back to a URL of its own chain. */
  | "redirect-loop"
  /** A private, loopback or link-local address, without `--allow-private`. */
  | "address-forbidden"
  /** A content type that the job does not archive. */
  | "content-type"
  /** The job was cancelled. */
  | "cancelled";

/** Whether a guard gives the reason that counts what was let in before: it says nothing of the URL itself. */
export function isOfCountingGuard(
  reason: string | undefined,
): reason is "host-limit" | "query-explosion" {
  return reason === "host-limit" || reason === "query-explosion";
}

/** Whether a chain of redirects is itself at fault, not the place that it leads to. */
export function isRedirectFault(reason: string | undefined): boolean {
  return reason === "redirect-loop" || reason === "redirect-limit";
}
