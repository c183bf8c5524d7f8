import type { JobDefinition } from "../jobs/job-definition.ts";
import { readJobDefinition, writeJobDefinition } from "../jobs/read-job-definition.ts";
import { isJobId } from "../jobs/validate-job-options.ts";
import type { Member } from "../membership/member.ts";
import { isMemberId } from "../membership/read-member.ts";
import { readClaims } from "../membership/read-message.ts";
import type { JobId, MemberId, Millis } from "../units.ts";
import { decodeMember, encodeMembers } from "./member-row.ts";
import * as wire from "./messages.pb.ts";
import { memberLimits, noticeBytesMax } from "./notice.ts";
import { decodePayload, isCount, readAll } from "./read-payload.ts";

/** Jobs of one claim, at most: the longest rows of them fit into its 64 KiB. */
export const pageCountsMax = 500;

/** Pages of a job that the sender has fetched. */
export interface PageCount {
  readonly job: JobId;
  readonly pages: number;
}

/** Counts of members that are gone in one claim, at most: their longest rows fit into it too. */
export const pastPageCountsMax = 100;

/** Pages of a job that a member had fetched which is gone. */
export interface PastPageCount extends PageCount {
  readonly member: MemberId;
}

export interface PageCounts {
  readonly pageCounts: readonly PageCount[];
  readonly pastPageCounts: readonly PastPageCount[];
}

export const pageCountLimits = { pageCounts: pageCountsMax, pastPageCounts: pastPageCountsMax };

/**
 * What is spread to all members: what is claimed of some, a job's definition, how far the sender is in some jobs, or how
 * far others were that are gone.
 */
export type Claim =
  | { readonly members: readonly Member[] }
  | { readonly jobDefinition: JobDefinition }
  | Pick<PageCounts, "pageCounts">
  | Pick<PageCounts, "pastPageCounts">;

/**
 * The longest rows of `membersPerMessageMax` members fit into the 64 KiB of a claim. A job's definition with many long
 * patterns may not: it reaches the others when definitions are compared.
 */
export function encodeClaim(claim: Claim): Uint8Array<ArrayBuffer> {
  if ("members" in claim) return wire.Claim.encode({ members: encodeMembers(claim.members) });
  if ("pageCounts" in claim) return wire.Claim.encode({ pageCounts: [...claim.pageCounts] });
  return "pastPageCounts" in claim
    ? wire.Claim.encode({ pastPageCounts: [...claim.pastPageCounts] })
    : wire.Claim.encode({ jobDefinition: writeJobDefinition(claim.jobDefinition) });
}

/** Claims of members that cannot be read are left out. */
export function decodeClaim(payload: Uint8Array, nowMs: Millis): Claim | undefined {
  const limits = { ...memberLimits, ...pageCountLimits };
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
  const counts = readPageCounts(claim);
  if (!counts) return undefined;
  if (counts.pageCounts.length > 0) return { pageCounts: counts.pageCounts };
  if (counts.pastPageCounts.length > 0) return { pastPageCounts: counts.pastPageCounts };
  const members = readClaims(claim.members, (row) => decodeMember(row, nowMs));
  return members && { members };
}

export function readPageCounts(
  message: Pick<wire.Claim, "pageCounts" | "pastPageCounts">,
): PageCounts | undefined {
  const pageCounts = readAll(message.pageCounts, readPageCount);
  const pastPageCounts = readAll(message.pastPageCounts, readPastPageCount);
  return pageCounts && pastPageCounts && { pageCounts, pastPageCounts };
}

function readPageCount({ job, pages }: wire.PageCount): PageCount | undefined {
  return isJobId(job) && isCount(pages) ? { job, pages } : undefined;
}

function readPastPageCount({ job, member, pages }: wire.PastPageCount): PastPageCount | undefined {
  return isJobId(job) && isMemberId(member) && isCount(pages) ? { job, member, pages } : undefined;
}
