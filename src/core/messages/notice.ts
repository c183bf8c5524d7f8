import { membersPerMessageMax } from "../membership/membership-message.ts";
import type { MembershipMessage } from "../membership/membership-message.ts";
import { readMessage } from "../membership/read-message.ts";
import type { Millis } from "../units.ts";
import { decodeMember, encodeMembers } from "./member-row.ts";
import * as wire from "./messages.pb.ts";
import { decodePayload } from "./read-payload.ts";

/** Bytes of a datagram or a claim, at most. */
export const noticeBytesMax = 64 * 1_024;

/** Kinds by their number, from 1. */
const kinds: readonly MembershipMessage["kind"][] = [
  "ping",
  "ack",
  "ping-request",
  "nack",
  "push-pull",
];

/** Rows of members are read one by one; what cannot be read is left out then. */
export const memberLimits = { members: membersPerMessageMax };

/** A datagram of the membership protocol. */
export function encodeNotice(message: MembershipMessage): Uint8Array<ArrayBuffer> {
  const kind = 1 + kinds.indexOf(message.kind);
  switch (message.kind) {
    case "ping":
    case "ack": {
      const { sequence, tableHash, claims } = message;
      return wire.Notice.encode({ kind, sequence, tableHash, members: encodeMembers(claims) });
    }
    case "ping-request": {
      const { sequence, target, claims } = message;
      return wire.Notice.encode({ kind, sequence, target, members: encodeMembers(claims) });
    }
    case "nack":
      return wire.Notice.encode({ kind, sequence: message.sequence });
    case "push-pull": {
      const { members, reply, sentAtMs } = message;
      const rows = { members: encodeMembers(members) };
      return wire.Notice.encode({ kind, ...rows, reply, ...(sentAtMs && { sentAtMs }) });
    }
  }
}

export function decodeNotice(payload: Uint8Array, nowMs: Millis): MembershipMessage | undefined {
  const limits = memberLimits;
  const notice = decodePayload(
    payload,
    (bytes) => wire.Notice.decode(bytes, { limits }),
    noticeBytesMax,
  );
  if (!notice) return undefined;
  const { kind, members, ...fields } = notice;
  return readMessage({ ...fields, kind: kinds[kind - 1], claims: members, members }, (row) =>
    decodeMember(row, nowMs),
  );
}
