import { ringPosition } from "../../core/record/host-keys.ts";
import { urlKey } from "../../core/record/url-keys.ts";
import type { CanonicalUrl } from "../../core/units.ts";
import { dedupeKey } from "../../core/url/dedupe-key.ts";
import { fingerprintOf } from "../../core/url/fingerprint.ts";
import { hostOf, siteOfHost } from "../../core/url/site-of.ts";
import type { Job } from "../jobs/job-registry.ts";

/** Where a job's knowledge of a URL stands in the database. */
export interface UrlRow {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly words: Uint32Array<ArrayBuffer>;
}

/** The row of `url` for `job`: two URLs with one dedupe key have one row. */
export function urlRow(url: CanonicalUrl, job: Job): UrlRow {
  const words = urlWords(url, job);
  const position = ringPosition(siteOfHost(hostOf(url)));
  return { key: urlKey("url", position, words, 0, job.space), words };
}

/** What `url` is to `job`, and to each other one with the same `normalizeQuery`. */
export function urlWords(url: CanonicalUrl, job: Job): Uint32Array<ArrayBuffer> {
  return fingerprintOf(dedupeKey(url, job.definition.options));
}

/** A key of the URL, of no job, for each fingerprint by which jobs know it: mostly it is one to all of them. */
export function keysOfUrl(url: CanonicalUrl): UrlRow["key"][] {
  const position = ringPosition(siteOfHost(hostOf(url)));
  const names = [true, false].map((normalizeQuery) => dedupeKey(url, { normalizeQuery }));
  return [...new Set(names)].map((name) => urlKey("url", position, fingerprintOf(name), 0, 0));
}
