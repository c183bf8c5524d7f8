import type { RingMember } from "./member-tokens.ts";
import type { RingOptions } from "./ring-options.ts";

/** Tokens of one ring, at most: 48 MiB, for 2,048 members of weight 1 with the default options. */
export const ringTokensMax = 2 ** 23;

/**
 * The members that have room on one ring: all, or else the lightest, those of equal weight in the order of their ids. What
 * others claim bounds neither the number of members nor the sum of their weights.
 */
export function seatedMembers(
  members: readonly RingMember[],
  { virtualNodes }: RingOptions,
): readonly RingMember[] {
  let room = ringTokensMax / virtualNodes;
  const weight = members.reduce((sum, member) => sum + member.weight, 0);
  if (weight <= room) return members;
  const seated: RingMember[] = [];
  for (const member of members.toSorted(lightestFirst)) {
    room -= member.weight;
    if (room < 0) break;
    seated.push(member);
  }
  return seated;
}

function lightestFirst(one: RingMember, other: RingMember): number {
  return one.weight - other.weight || (one.id < other.id ? -1 : 1);
}
