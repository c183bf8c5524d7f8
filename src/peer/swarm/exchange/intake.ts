import type { ExclusionReason } from "../../../core/jobs/exclusion.ts";
import { isTooLong } from "../../../core/jobs/job-rules.ts";
import { packKeyedLinks } from "../../../core/page/packed-links.ts";
import { noLinks } from "../../../core/page/parsed-page.ts";
import type { OutboxEntry } from "../../../core/record/record.pb.ts";
import type { CanonicalUrl } from "../../../core/units.ts";
import { canonicalizeUrl } from "../../../core/url/canonicalize-url.ts";
import { dedupeKey } from "../../../core/url/dedupe-key.ts";
import type { AdmissionRequest } from "../../admission/admission.ts";
import type { Job } from "../../jobs/job-registry.ts";

/** A URL that a member has brought, and that may be taken in. */
export interface BroughtUrl {
  /** Where it stands among the URLs of its message. */
  readonly place: number;
  readonly url: CanonicalUrl;
  readonly entry: OutboxEntry;
  readonly job: Job;
  /** Why it is kept out, if it is. */
  readonly reason: ExclusionReason | undefined;
}

/** URLs that are taken in together. */
export interface Intake {
  readonly request: AdmissionRequest;
  /** Where the request's links stand among the URLs of the message. */
  readonly places: readonly number[];
}

/** The entry's URL; nothing where it is not in its canonical form: what this peer would not have found itself, it does not take. */
export function canonicalOf({ url }: OutboxEntry): CanonicalUrl | undefined {
  const canonical = canonicalizeUrl(url);
  return canonical === url ? canonical : undefined;
}

/** The entry as it may be taken in; nothing where it is kept out for what is no reason of the job's. */
export function broughtUrl(
  place: number,
  url: CanonicalUrl,
  entry: OutboxEntry,
  job: Job,
): BroughtUrl | undefined {
  const excluded = entry.excluded as ExclusionReason | undefined;
  if (excluded !== undefined && !job.counter.takesReason(excluded)) return undefined;
  return { place, url, entry, job, reason: excluded ?? ownReason(url, job) };
}

/**
 * Those that follow each other and differ in their URLs alone, as one request each: a request costs more than a URL. Most
 * of a message are seeds, or the links of few pages.
 */
export function intakesOf(urls: readonly BroughtUrl[]): Intake[] {
  const groups: BroughtUrl[][] = [];
  for (const url of urls) {
    const last = groups.at(-1);
    if (last?.[0] && areAlike(last[0], url)) last.push(url);
    else groups.push([url]);
  }
  return groups.flatMap(intakeOf);
}

function areAlike(one: BroughtUrl, other: BroughtUrl): boolean {
  const [left, right] = [one.entry, other.entry];
  return (
    one.job === other.job &&
    one.reason === other.reason &&
    left.depth === right.depth &&
    left.via === right.via &&
    left.redirectChain.length + right.redirectChain.length === 0
  );
}

function intakeOf(group: readonly BroughtUrl[]): Intake[] {
  const [first] = group;
  if (first === undefined) return [];
  const { job, entry, reason } = first;
  const { normalizeQuery } = job.definition.options;
  // One that comes twice is known to the sieve by then.
  const links = packKeyedLinks(
    group.map(({ url }) => ({ url, key: dedupeKey(url, { normalizeQuery }) })),
  );
  const request = {
    job,
    links: reason === undefined ? links : noLinks,
    excluded: reason === undefined ? [] : [{ reason, links }],
    depth: entry.depth,
    redirectChain: entry.redirectChain,
    ...(entry.via === undefined ? {} : { via: entry.via }),
  };
  return [{ request, places: group.map(({ place }) => place) }];
}

/**
 * What the job says of a URL here. Patterns were tried where the URL was found, in a thread that can be ended: a job is as
 * another member has made it, and one pattern may take hours for one URL.
 */
function ownReason(url: string, { definition }: Job): ExclusionReason | undefined {
  return isTooLong(url, definition.options) ? "url-length" : undefined;
}
