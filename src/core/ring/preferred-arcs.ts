import type { MemberId } from "../units.ts";
import { ArcList, type ArcSet } from "./arc-set.ts";
import type { Ring } from "./ring.ts";

/** The positions within `within` for which each member is among the first `count` of the preference list. */
export function preferredArcs(ring: Ring, count: number, within: ArcSet): Map<MemberId, ArcSet> {
  const lists = new Map<MemberId, ArcList>();
  ring.forEachPreference(
    count,
    (from, to, members) => {
      for (const member of members) {
        const list = lists.get(member) ?? new ArcList();
        lists.set(member, list);
        list.append(from, to);
      }
    },
    within,
  );
  const arcs = new Map<MemberId, ArcSet>();
  for (const [member, list] of lists) arcs.set(member, list.toSet());
  return arcs;
}
