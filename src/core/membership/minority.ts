import type { MemberId } from "../units.ts";
import type { Member } from "./member.ts";

/**
 * Whether who sees `members` is in the smaller part of a swarm that has fallen apart: fewer than half of those that had a
 * part of the ring, and have not left, are there. Of two halves the one without the lowest id is the smaller, so that never
 * both parts, and never neither, is.
 *
 * A dead member counts until it is forgotten: what is dead here may be alive on the other side.
 */
export function isMinority(members: readonly Member[]): boolean {
  const counted = members.filter(({ role }) => role === "active" || role === "leaving");
  const present = counted.filter(({ health }) => health !== "dead");
  const absentCount = counted.length - present.length;
  if (present.length !== absentCount) return present.length < absentCount;
  return lowestId(present) !== lowestId(counted);
}

function lowestId(members: readonly Member[]): MemberId | undefined {
  return members.map(({ id }) => id).toSorted()[0];
}
