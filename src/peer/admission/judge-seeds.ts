import { isPrivateHost } from "../../core/net/address-policy.ts";
import type { PackedLinks } from "../../core/page/parsed-page.ts";
import type { CanonicalUrl } from "../../core/units.ts";
import { compileJobRules } from "../../core/jobs/job-rules.ts";
import type { JobDefinition } from "../../core/jobs/job-definition.ts";
import { canonicalizeUrl } from "../../core/url/canonicalize-url.ts";
import { hostOf } from "../../core/url/site-of.ts";
import { rejectedNamedMax, type InjectReport } from "../../ports/peer-control.ts";
import type { AdmissionRequest } from "./admission.ts";
import type { Job } from "../jobs/job-registry.ts";
import type { PeerOptions } from "../peer-options.ts";

type Rejections = Pick<InjectReport, "rejected" | "rejectedCount">;

/** Seeds that the job takes, and the inputs that it, or the peer's policy on addresses, does not. */
export function judgeSeeds(
  definition: JobDefinition,
  inputs: readonly string[],
  { allowPrivate }: Pick<PeerOptions, "allowPrivate">,
): Rejections & { readonly seeds: readonly CanonicalUrl[] } {
  const rules = compileJobRules(definition);
  const seeds: CanonicalUrl[] = [];
  const rejected: InjectReport["rejected"][number][] = [];
  for (const input of inputs) {
    const url = canonicalizeUrl(input);
    if (url === undefined) {
      rejected.push({ input, reason: "invalid-url" });
      continue;
    }
    const isForbidden = !allowPrivate && isPrivateHost(hostOf(url));
    const reason = isForbidden ? "address-forbidden" : rules.judgeSeed(url);
    if (reason === undefined) seeds.push(url);
    else rejected.push({ input, reason });
  }
  return {
    seeds,
    rejected: rejected.slice(0, rejectedNamedMax),
    rejectedCount: rejected.length,
  };
}

/**
 * The report on URLs of which the job that `draft` would make takes none. Such a job is not made: it would stay for good, and
 * with it the options of what may have been a slip, for those that are given rightly the next time.
 */
export function refusalOfAll(
  draft: JobDefinition,
  inputs: readonly string[],
  options: Pick<PeerOptions, "allowPrivate">,
): InjectReport | undefined {
  const { seeds, ...rejections } = judgeSeeds(draft, inputs, options);
  const isRefused = seeds.length === 0 && rejections.rejectedCount > 0;
  return isRefused ? { job: draft.id, added: 0, known: 0, ...rejections } : undefined;
}

/** Seeds as a request to admit them. */
export function seedsOf(job: Job, links: PackedLinks): AdmissionRequest {
  return { job, links, excluded: [], depth: 0, redirectChain: [] };
}
