import type { CanonicalUrl } from "../core/units.ts";
import { canonicalizeUrl } from "../core/url/canonicalize-url.ts";
import type { PackedLinks } from "../core/page/parsed-page.ts";
import type { AdmissionRequest } from "./admission.ts";
import type { Job } from "./job-registry.ts";

/** Rejected inputs of an injection that its report names. */
export const rejectedNamedMax = 100;

/** Seeds that the job takes, and the inputs that it does not. */
export function judgeSeeds(
  job: Job,
  inputs: readonly string[],
): { seeds: CanonicalUrl[]; rejected: { input: string; reason: string }[] } {
  const seeds: CanonicalUrl[] = [];
  const rejected: { input: string; reason: string }[] = [];
  for (const input of inputs) {
    const url = canonicalizeUrl(input);
    const reason = url === undefined ? "invalid-url" : job.rules.judgeSeed(url);
    if (url !== undefined && reason === undefined) seeds.push(url);
    else rejected.push({ input, reason: reason ?? "invalid-url" });
  }
  return { seeds, rejected };
}

/** Seeds as a request to admit them. */
export function seedsOf(job: Job, links: PackedLinks): AdmissionRequest {
  return { job, links, excluded: [], depth: 0, redirectChain: [] };
}
