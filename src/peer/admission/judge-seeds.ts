import { isPrivateHost } from "../../core/net/address-policy.ts";
import type { PackedLinks } from "../../core/page/parsed-page.ts";
import type { CanonicalUrl } from "../../core/units.ts";
import { canonicalizeUrl } from "../../core/url/canonicalize-url.ts";
import { hostOf } from "../../core/url/site-of.ts";
import type { AdmissionRequest } from "./admission.ts";
import type { Job } from "../jobs/job-registry.ts";
import type { PeerOptions } from "../peer-options.ts";

/** Seeds that the job takes, and the inputs that it, or the peer's policy on addresses, does not. */
export function judgeSeeds(
  job: Job,
  inputs: readonly string[],
  { allowPrivate }: Pick<PeerOptions, "allowPrivate">,
): { seeds: CanonicalUrl[]; rejected: { input: string; reason: string }[] } {
  const seeds: CanonicalUrl[] = [];
  const rejected: { input: string; reason: string }[] = [];
  for (const input of inputs) {
    const url = canonicalizeUrl(input);
    if (url === undefined) {
      rejected.push({ input, reason: "invalid-url" });
      continue;
    }
    const isForbidden = !allowPrivate && isPrivateHost(hostOf(url));
    const reason = isForbidden ? "address-forbidden" : job.rules.judgeSeed(url);
    if (reason === undefined) seeds.push(url);
    else rejected.push({ input, reason });
  }
  return { seeds, rejected };
}

/** Seeds as a request to admit them. */
export function seedsOf(job: Job, links: PackedLinks): AdmissionRequest {
  return { job, links, excluded: [], depth: 0, redirectChain: [] };
}
