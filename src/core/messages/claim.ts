import type { JobDefinition } from "../jobs/job-definition.ts";
import { readJobDefinition, writeJobDefinition } from "../jobs/read-job-definition.ts";
import { isJobId } from "../jobs/validate-job-options.ts";
import type { Member } from "../membership/member.ts";
import { readClaims } from "../membership/read-message.ts";
import type { JobId, Millis } from "../units.ts";
import * as wire from "./messages.pb.ts";
import { memberLimits, memberRows, noticeBytesMax } from "./notice.ts";
import { decodePayload, isCount, readAll } from "./read-payload.ts";

/** Jobs of one claim, at most: the longest rows of them fit into its 64 KiB. */
export const pageCountsMax = 500;

/** Pages of a job that the sender has fetched. */
export interface PageCount {
  readonly job: JobId;
  readonly pages: number;
}

/** What is spread to all members: what is claimed of some, a job's definition, or how far the sender is in some jobs. */
export type Claim =
  | { readonly members: readonly Member[] }
  | { readonly jobDefinition: JobDefinition }
  | { readonly pageCounts: readonly PageCount[] };

/**
 * The longest rows of `membersPerMessageMax` members fit into the 64 KiB of a claim. A job's definition with many long
 * patterns may not: it reaches the others when definitions are compared.
 */
export function encodeClaim(claim: Claim): Uint8Array<ArrayBuffer> {
  if ("members" in claim) return wire.Claim.encode({ members: memberRows(claim.members) });
  return "pageCounts" in claim
    ? wire.Claim.encode({ pageCounts: [...claim.pageCounts] })
    : wire.Claim.encode({ jobDefinition: writeJobDefinition(claim.jobDefinition) });
}

/** Claims of members that cannot be read are left out. */
export function decodeClaim(payload: Uint8Array, nowMs: Millis): Claim | undefined {
  const limits = { ...memberLimits, pageCounts: pageCountsMax };
  const claim = decodePayload(
    payload,
    (bytes) => wire.Claim.decode(bytes, { limits }),
    noticeBytesMax,
  );
  if (!claim) return undefined;
  if (claim.jobDefinition !== undefined) {
    const jobDefinition = readJobDefinition(claim.jobDefinition);
    return jobDefinition && { jobDefinition };
  }
  if (claim.pageCounts.length > 0) {
    const pageCounts = readAll(claim.pageCounts, readPageCount);
    return pageCounts && { pageCounts };
  }
  const members = readClaims(claim.members, nowMs);
  return members && { members };
}

function readPageCount({ job, pages }: wire.PageCount): PageCount | undefined {
  return isJobId(job) && isCount(pages) ? { job, pages } : undefined;
}
