import { invariant } from "../errors.ts";
import type { MemberId, Millis } from "../units.ts";

/** What a member says of itself; it only moves to the right within a run. */
export type MemberRole = "joining" | "active" | "leaving" | "left";

/** What the others say of a member, for one incarnation of it. */
export type MemberHealth = "alive" | "suspect" | "dead";

/** The one word that users see. */
export type MemberState = MemberRole | "suspect" | "dead";

/**
 * What is claimed of one member, as plain data.
 *
 * Two voices are kept apart, because each is right about another thing: only the member itself changes its role and its
 * particulars, and counts `incarnation` up when it does; only the others change its health, and never the count.
 */
export interface Member {
  readonly id: MemberId;
  readonly addresses: readonly string[];
  /** Share of the ring, 1 for a usual peer. */
  readonly weight: number;
  /** Of the program. */
  readonly version: string;
  /**
   * Which run of the peer: the wall clock at its start. Whatever was said of an earlier run is superseded, even when
   * the disk that could have remembered an incarnation is gone.
   */
  readonly generation: Millis;
  /** Changes of its own, and refutations, in this run (SWIM, section 4.2). */
  readonly incarnation: number;
  readonly role: MemberRole;
  readonly health: MemberHealth;
}

const roleRanks: Readonly<Record<MemberRole, number>> = {
  joining: 0,
  active: 1,
  leaving: 2,
  left: 3,
};

const healthRanks: Readonly<Record<MemberHealth, number>> = { alive: 0, suspect: 1, dead: 2 };

/** A member that left stays so, whatever others say of its health. */
export function stateOf({ role, health }: Pick<Member, "role" | "health">): MemberState {
  return role === "left" || health === "alive" ? role : health;
}

/** Whether the member takes no more part: it is not probed, owns nothing, and is forgotten after a while. */
export function isGone(member: Member): boolean {
  return member.role === "left" || member.health === "dead";
}

/** Whether there is a swarm: any of them that runs is more than `joining`. */
export function isFounded(members: readonly Member[]): boolean {
  return members.some((member) => member.role !== "joining" && !isGone(member));
}

/** Ordinal of a role; a member's role never goes back. */
export function roleRank(role: MemberRole): number {
  return roleRanks[role];
}

/** The whole claim as text: equal texts are equal claims. */
export function textOf(member: Member): string {
  const { id, generation, incarnation, health, role, weight, version, addresses } = member;
  return JSON.stringify([id, generation, incarnation, health, role, weight, version, ...addresses]);
}

/**
 * Total order of the claims about one member; the later one is right.
 *
 * In this order: the later generation; the higher incarnation; the worse health (alive < suspect < dead: an opinion
 * stands until its subject refutes it by a higher incarnation); the later role; the greater text, which decides only
 * between claims that no honest member makes.
 *
 * To keep the later of two is commutative, associative and idempotent, as the maximum of any total order: claims may arrive
 * in any order and as often as they like.
 */
export function compareClaims(a: Member, b: Member): number {
  invariant(a.id === b.id, `claims about ${a.id} and ${b.id} have no order`);
  if (a.generation !== b.generation) return a.generation - b.generation;
  if (a.incarnation !== b.incarnation) return a.incarnation - b.incarnation;
  if (a.health !== b.health) return healthRanks[a.health] - healthRanks[b.health];
  if (a.role !== b.role) return roleRanks[a.role] - roleRanks[b.role];
  if (haveSameParticulars(a, b)) return 0;
  const [textA, textB] = [textOf(a), textOf(b)];
  return textA < textB ? -1 : Number(textA > textB);
}

/** Most claims repeat what is known; to see that needs no text of them. */
function haveSameParticulars(a: Member, b: Member): boolean {
  return (
    a.weight === b.weight &&
    a.version === b.version &&
    a.addresses.length === b.addresses.length &&
    a.addresses.every((address, at) => address === b.addresses[at])
  );
}
