import type { Member } from "./member.ts";
import { claimsMax, membersPerMessageMax } from "./membership-message.ts";
import type { MembershipMessage } from "./membership-message.ts";
import { isCount, isMemberId } from "./read-member.ts";

const sequenceMax = 0xffff_ffff;
const hashMax = 0xffff_ffff_ffff_ffffn;

type Fields = Readonly<Record<string, unknown>>;

/** Reads one claim, in whichever form it came; undefined when it is none. */
export type ClaimReader = (claim: unknown) => Member | undefined;

/** A message from outside, checked and bounded; undefined when it is none. */
export function readMessage(data: unknown, read: ClaimReader): MembershipMessage | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const fields = data as Fields;
  switch (fields["kind"]) {
    case "ping":
    case "ack":
      return readPing(fields["kind"], fields, read);
    case "ping-request":
      return readPingRequest(fields, read);
    case "nack":
      return isSequence(fields["sequence"])
        ? { kind: "nack", sequence: fields["sequence"] }
        : undefined;
    case "push-pull":
      return readPushPull(fields, read);
    default:
      return undefined;
  }
}

/**
 * Claims from outside, at most `countMax`. One that cannot be read is left out, so that a member with another clock or a
 * later version does not hide what is said of all others; more than `countMax` are none at all.
 */
export function readClaims(
  data: unknown,
  read: ClaimReader,
  countMax = membersPerMessageMax,
): Member[] | undefined {
  if (!Array.isArray(data) || data.length > countMax) return undefined;
  return data.flatMap((claim: unknown) => read(claim) ?? []);
}

function readPing(
  kind: "ping" | "ack",
  fields: Fields,
  read: ClaimReader,
): MembershipMessage | undefined {
  const { sequence, tableHash } = fields;
  const claims = readClaims(fields["claims"], read, claimsMax);
  if (claims === undefined || !isSequence(sequence)) return undefined;
  if (typeof tableHash !== "bigint" || tableHash < 0n || tableHash > hashMax) return undefined;
  return { kind, sequence, tableHash, claims };
}

function readPingRequest(fields: Fields, read: ClaimReader): MembershipMessage | undefined {
  const { sequence, target } = fields;
  const claims = readClaims(fields["claims"], read, claimsMax);
  if (claims === undefined || !isSequence(sequence) || !isMemberId(target)) return undefined;
  return { kind: "ping-request", sequence, target, claims };
}

function readPushPull(fields: Fields, read: ClaimReader): MembershipMessage | undefined {
  const { reply, sentAtMs } = fields;
  const members = readClaims(fields["members"], read);
  if (members === undefined || typeof reply !== "boolean") return undefined;
  if (!isCount(sentAtMs, Number.MAX_SAFE_INTEGER)) return { kind: "push-pull", members, reply };
  return { kind: "push-pull", members, reply, sentAtMs };
}

function isSequence(value: unknown): value is number {
  return isCount(value, sequenceMax);
}
