import type { MemberId, Millis } from "../units.ts";
import type { Member } from "./member.ts";

/**
 * A datagram between two members. Each can be lost, doubled, late, or overtaken by another.
 *
 * `tableHash` is the sender's {@link MemberTable.hash}. `claims` are at most {@link claimsMax} rows that the receiver
 * should take in: with a ping to a suspect, what it is suspected of; with the answer, its refutation (Lifeguard, section
 * IV-C: the buddy system).
 */
export type MembershipMessage =
  | {
      readonly kind: "ping";
      readonly sequence: number;
      readonly tableHash: bigint;
      readonly claims: readonly Member[];
    }
  /** Answers a ping, or on the way back a ping-request. */
  | {
      readonly kind: "ack";
      readonly sequence: number;
      readonly tableHash: bigint;
      readonly claims: readonly Member[];
    }
  /** Asks to ping `target`, and to hand on its answer under this sequence number. */
  | {
      readonly kind: "ping-request";
      readonly sequence: number;
      readonly target: MemberId;
      readonly claims: readonly Member[];
    }
  /** The target of a ping-request is silent, but the asked one is well (Lifeguard, section IV-A). */
  | { readonly kind: "nack"; readonly sequence: number }
  /** A part of the sender's table; unless it is a `reply`, the receiver sends its own. */
  | {
      readonly kind: "push-pull";
      readonly members: readonly Member[];
      readonly reply: boolean;
      /** By the sender's clock: for its receiver's log alone. The shell says so. */
      readonly sentAtMs?: Millis;
    };

/** What the shell is to do, in this order. */
export type MembershipAction =
  | { readonly kind: "send"; readonly to: MemberId; readonly message: MembershipMessage }
  /** To all members. */
  | { readonly kind: "broadcast"; readonly claim: Member }
  /** A row of the table changed, perhaps this member's own. */
  | { readonly kind: "changed"; readonly member: Member; readonly before: Member | undefined }
  /** Others have taken this run for dead: what it had by their leave, they may have given to somebody else. */
  | { readonly kind: "buried" }
  /**
   * Somebody speaks of a later run of this member. If another process has started under its identity, this one has to stop;
   * if not, it is to be outbid: anybody can claim anything of others.
   */
  | { readonly kind: "later-run"; readonly claim: Member };

/** Claims with a ping or its answer: the suspect's own, and one about the receiver. */
export const claimsMax = 2;

/** Members in one push-pull: that many of the longest rows are less than the 64 KiB of a datagram. */
export const membersPerMessageMax = 40;
