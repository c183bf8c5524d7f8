import type { Millis } from "../units.ts";
import type { Member } from "./member.ts";
import { claimsMax, membersPerMessageMax } from "./membership-message.ts";
import type { MembershipMessage } from "./membership-message.ts";
import { isCount, isMemberId, readMember } from "./read-member.ts";

const sequenceMax = 0xffff_ffff;
const hashMax = 0xffff_ffff_ffff_ffffn;

type Fields = Readonly<Record<string, unknown>>;

/** A message from outside, checked and bounded; undefined when it is none. */
export function readMessage(data: unknown, nowMs: Millis): MembershipMessage | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const fields = data as Fields;
  switch (fields["kind"]) {
    case "ping":
    case "ack":
      return readPing(fields["kind"], fields, nowMs);
    case "ping-request":
      return readPingRequest(fields, nowMs);
    case "nack":
      return isSequence(fields["sequence"])
        ? { kind: "nack", sequence: fields["sequence"] }
        : undefined;
    case "push-pull":
      return readPushPull(fields, nowMs);
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
  nowMs: Millis,
  countMax = membersPerMessageMax,
): Member[] | undefined {
  if (!Array.isArray(data) || data.length > countMax) return undefined;
  return data.flatMap((claim: unknown) => readMember(claim, nowMs) ?? []);
}

function readPing(
  kind: "ping" | "ack",
  fields: Fields,
  nowMs: Millis,
): MembershipMessage | undefined {
  const { sequence, tableHash } = fields;
  const claims = readClaims(fields["claims"], nowMs, claimsMax);
  if (claims === undefined || !isSequence(sequence)) return undefined;
  if (typeof tableHash !== "bigint" || tableHash < 0n || tableHash > hashMax) return undefined;
  return { kind, sequence, tableHash, claims };
}

function readPingRequest(fields: Fields, nowMs: Millis): MembershipMessage | undefined {
  const { sequence, target } = fields;
  const claims = readClaims(fields["claims"], nowMs, claimsMax);
  if (claims === undefined || !isSequence(sequence) || !isMemberId(target)) return undefined;
  return { kind: "ping-request", sequence, target, claims };
}

function readPushPull(fields: Fields, nowMs: Millis): MembershipMessage | undefined {
  const { reply } = fields;
  const members = readClaims(fields["members"], nowMs);
  if (members === undefined || typeof reply !== "boolean") return undefined;
  return { kind: "push-pull", members, reply };
}

function isSequence(value: unknown): value is number {
  return isCount(value, sequenceMax);
}
