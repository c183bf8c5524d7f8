import type { JobDefinition } from "../jobs/job-definition.ts";
import { readJobDefinition, writeJobDefinition } from "../jobs/read-job-definition.ts";
import type { Member } from "../membership/member.ts";
import { readClaims } from "../membership/read-message.ts";
import type { Millis } from "../units.ts";
import * as wire from "./messages.pb.ts";
import { memberLimits, memberRows, noticeBytesMax } from "./notice.ts";
import { decodePayload } from "./read-payload.ts";

/** What is spread to all members: what is claimed of some, or a job's definition. */
export type Claim =
  { readonly members: readonly Member[] } | { readonly jobDefinition: JobDefinition };

/**
 * The longest rows of `membersPerMessageMax` members fit into the 64 KiB of a claim. A job's definition with many long
 * patterns may not: it reaches the others when definitions are compared.
 */
export function encodeClaim(claim: Claim): Uint8Array<ArrayBuffer> {
  return "members" in claim
    ? wire.Claim.encode({ members: memberRows(claim.members) })
    : wire.Claim.encode({ jobDefinition: writeJobDefinition(claim.jobDefinition) });
}

/** Claims of members that cannot be read are left out. */
export function decodeClaim(payload: Uint8Array, nowMs: Millis): Claim | undefined {
  const limits = memberLimits;
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
  const members = readClaims(claim.members, nowMs);
  return members && { members };
}
