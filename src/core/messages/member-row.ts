import { hash64Bytes } from "../hash/hash64.ts";
import type { Member } from "../membership/member.ts";
import { isTimely, readMember } from "../membership/read-member.ts";
import type { Millis } from "../units.ts";
import * as wire from "./messages.pb.ts";
import { decodePayload } from "./read-payload.ts";

/** Rows whose reading is remembered; twice as many as a swarm of a thousand has under churn. */
const readingsMax = 4_096;

/** Length of the rows that are remembered: the longest that a member of this version may have is shorter. */
const rememberedBytesMax = 2_048;

/** A row is read with more addresses than a member may have, so that `readMember` says which rows are none. */
const limits = { addresses: 64 };

/*
 * A table is sent and received again and again, and few of its rows have changed since the last time. So the bytes of a
 * row are remembered with it, and a row with its bytes.
 */
const encodings = new WeakMap<Member, Uint8Array<ArrayBuffer>>();
const readings = new Map<bigint, Reading>();

interface Reading {
  readonly bytes: Uint8Array;
  readonly member: Member;
}

export function encodeMembers(members: readonly Member[]): Uint8Array<ArrayBuffer>[] {
  return members.map(encodeMember);
}

function encodeMember(member: Member): Uint8Array<ArrayBuffer> {
  const known = encodings.get(member);
  if (known) return known;
  // A copy: what the encoder returns is a part of a larger buffer.
  const row = { ...member, addresses: [...member.addresses] };
  const bytes = new Uint8Array(wire.MemberRow.encode(row));
  encodings.set(member, bytes);
  return bytes;
}

/** One row, checked and bounded; nothing when the bytes are none. Equal bytes give the same object. */
export function decodeMember(bytes: unknown, nowMs: Millis): Member | undefined {
  if (!(bytes instanceof Uint8Array)) return undefined;
  const hash = hash64Bytes(bytes);
  const known = readings.get(hash);
  if (known && areEqual(known.bytes, bytes)) {
    return isTimely(known.member.generation, nowMs) ? known.member : undefined;
  }
  const row = decodePayload(bytes, (payload) => wire.MemberRow.decode(payload, { limits }));
  const member = readMember(row, nowMs);
  if (!member || bytes.length > rememberedBytesMax) return member;
  if (readings.size >= readingsMax) readings.clear();
  readings.set(hash, { bytes: new Uint8Array(bytes), member });
  return member;
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}
