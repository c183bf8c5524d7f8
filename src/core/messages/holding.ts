import { isMemberId } from "../membership/read-member.ts";
import { ArcSet } from "../ring/arc-set.ts";
import type { MemberId, Millis } from "../units.ts";
import * as wire from "./messages.pb.ts";
import { decodeArcs, decodePayload, encodeArcs, isCount, readAll } from "./read-payload.ts";

/** Runs of holders told of in one answer, at most: more would be a table of the whole swarm. */
export const knownHoldersMax = 256;

/** Arcs asked about in one message: also the answer has room in one, with all five sets that it may tell of each. */
export const arcsPerQuestionMax = 16_384;

/**
 * Arcs of which the sender speaks, in one of its runs. As `synced`: the receiver's copy of them is complete. As
 * `released`: the sender keeps it up to date no more. As `transfer`: the right to them is offered to the receiver. As
 * `whoHolds`: who has it?
 */
export interface ArcNotice {
  readonly generation: number;
  readonly arcs: ArcSet;
  /** With a `transfer`: how long ago others may have asked their hosts without the sender's knowing; absent: never. */
  readonly doubtAgeMs?: Millis;
}

export interface WhoHoldsReply {
  /** Run of the member that answers. */
  readonly generation: number;
  /** What it holds itself. */
  readonly held: ArcSet;
  /** Those of `held` of which it keeps a complete copy at the member that asks. */
  readonly kept: ArcSet;
  /** Of what it has a complete copy. */
  readonly copied: ArcSet;
  /** Those of `copied` that it once held itself, or had before it stood still: what has come since may not be in its copy. */
  readonly former: ArcSet;
  readonly known: readonly KnownHolder[];
}

/** Who holds arcs, as far as the member that answers knows. */
export interface KnownHolder {
  readonly arcs: ArcSet;
  readonly holder: MemberId;
  readonly generation: number;
}

export function encodeArcNotice(notice: ArcNotice): Uint8Array<ArrayBuffer> {
  return wire.ArcNotice.encode({ ...notice, arcs: encodeArcs(notice.arcs) });
}

export function decodeArcNotice(payload: Uint8Array): ArcNotice | undefined {
  const message = decodePayload(payload, wire.ArcNotice.decode);
  const arcs = message && decodeArcs(message.arcs);
  if (!arcs || !isCount(message.generation)) return undefined;
  const { generation, doubtAgeMs } = message;
  if (doubtAgeMs === undefined) return { generation, arcs };
  return isCount(doubtAgeMs) ? { generation, arcs, doubtAgeMs } : undefined;
}

/** The answer to `synced`, `released` and `transfer`: whether the receiver agrees. */
export function encodeAnswer(accepted: boolean): Uint8Array<ArrayBuffer> {
  return wire.Answer.encode({ accepted });
}

export function decodeAnswer(payload: Uint8Array): boolean | undefined {
  return decodePayload(payload, wire.Answer.decode)?.accepted;
}

export function encodeWhoHoldsReply(reply: WhoHoldsReply): Uint8Array<ArrayBuffer> {
  return wire.WhoHoldsReply.encode({
    generation: reply.generation,
    held: encodeArcs(reply.held),
    kept: encodeArcs(reply.kept),
    copied: encodeArcs(reply.copied),
    former: encodeArcs(reply.former),
    known: reply.known.map(({ arcs, holder, generation }) => ({
      arcs: encodeArcs(arcs),
      holder: { member: holder, generation },
    })),
  });
}

export function decodeWhoHoldsReply(payload: Uint8Array): WhoHoldsReply | undefined {
  const limits = { known: knownHoldersMax };
  const reply = decodePayload(payload, (bytes) => wire.WhoHoldsReply.decode(bytes, { limits }));
  if (!reply || !isCount(reply.generation)) return undefined;
  const held = decodeArcs(reply.held);
  const kept = decodeArcs(reply.kept);
  const copied = decodeArcs(reply.copied);
  const former = decodeArcs(reply.former);
  const known = readAll(reply.known, readKnown);
  if (!held || !kept || !copied || !former || !known) return undefined;
  return {
    generation: reply.generation,
    held,
    kept: kept.intersect(held),
    copied,
    former: former.intersect(copied),
    known,
  };
}

/** What one run of a member answered to the parts of a question; nothing where it was not one run. */
export function joinWhoHolds(parts: readonly WhoHoldsReply[]): WhoHoldsReply | undefined {
  const [first] = parts;
  if (!first || parts.some(({ generation }) => generation !== first.generation)) return undefined;
  return {
    generation: first.generation,
    held: ArcSet.unionOf(parts.map(({ held }) => held)),
    kept: ArcSet.unionOf(parts.map(({ kept }) => kept)),
    copied: ArcSet.unionOf(parts.map(({ copied }) => copied)),
    former: ArcSet.unionOf(parts.map(({ former }) => former)),
    known: parts.flatMap(({ known }) => known),
  };
}

function readKnown({ arcs: bytes, holder: run }: wire.KnownHolder): KnownHolder | undefined {
  const arcs = decodeArcs(bytes);
  if (!arcs || !run || !isMemberId(run.member) || !isCount(run.generation)) return undefined;
  return { arcs, holder: run.member, generation: run.generation };
}
