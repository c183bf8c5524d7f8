import type { Millis } from "../../src/core/units.ts";
import type { Traffic } from "./traffic-counter.ts";

/** What a rule is asked about. Members are known by their index in the world. */
export interface Packet {
  readonly from: number;
  readonly to: number;
  readonly traffic: Traffic;
  /** Number of the request's kind; 0 for anything else. */
  readonly kind: number;
  readonly bytes: number;
}

/**
 * What a rule says of a packet: nothing, that it arrives whatever chance says, that it does not get through, that it
 * takes longer, or that it waits until the rule is gone.
 *
 * A stream's packet that is dropped is sent again by the sender's system until the rule is gone or the connection
 * breaks; a notice or a claim that is dropped is lost.
 */
export type Verdict =
  | { readonly kind: "pass" }
  | { readonly kind: "deliver" }
  | { readonly kind: "drop" }
  | { readonly kind: "delay"; readonly ms: Millis }
  | { readonly kind: "hold" };

/** Judges packets as they are sent. Rules are asked in the order in which they were added, until one has an opinion. */
export type NetworkRule = (packet: Packet) => Verdict;

export const pass: Verdict = Object.freeze({ kind: "pass" });
export const deliver: Verdict = Object.freeze({ kind: "deliver" });
export const drop: Verdict = Object.freeze({ kind: "drop" });
export const hold: Verdict = Object.freeze({ kind: "hold" });

/** Members of different groups do not reach one another; a member in no group reaches all. */
export function partition(...groups: readonly (readonly number[])[]): NetworkRule {
  const groupOf = new Map<number, number>();
  groups.forEach((group, number) => {
    for (const member of group) groupOf.set(member, number);
  });
  return ({ from, to }) => {
    const sender = groupOf.get(from);
    const receiver = groupOf.get(to);
    const isCut = sender !== undefined && receiver !== undefined && sender !== receiver;
    return isCut ? drop : pass;
  };
}

/** Nothing gets from the one set of members to the other; the way back is open. */
export function cutOneWay(senders: readonly number[], receivers: readonly number[]): NetworkRule {
  const [from, to] = [new Set(senders), new Set(receivers)];
  return (packet) => (from.has(packet.from) && to.has(packet.to) ? drop : pass);
}

/** These members reach nobody, and nobody reaches them. */
export function isolate(members: readonly number[]): NetworkRule {
  const isolated = new Set(members);
  return ({ from, to }) => (isolated.has(from) || isolated.has(to) ? drop : pass);
}

/** Everything from and to these members waits. */
export function clogMembers(members: readonly number[]): NetworkRule {
  const clogged = new Set(members);
  return ({ from, to }) => (clogged.has(from) || clogged.has(to) ? hold : pass);
}

/** Everything from and to these members takes that much longer. */
export function slowMembers(members: readonly number[], ms: Millis): NetworkRule {
  const slow = new Set(members);
  const delay: Verdict = { kind: "delay", ms };
  return ({ from, to }) => (slow.has(from) || slow.has(to) ? delay : pass);
}
