import { lastKeyOf } from "../../../core/record/key-ranges.ts";
import { ArcSet } from "../../../core/ring/arc-set.ts";
import type { OriginName } from "../../../core/units.ts";
import { originsOf } from "../../robots/origins-that-answered.ts";
import type { SwarmView } from "../members/swarm-view.ts";
import type { PeerCalls } from "../peer-calls.ts";

/** Members that are asked: some may be as new as this one. */
const membersMax = 8;

/** Rows that each is asked for: they may have half a mebibyte, and be those of one site. */
const rowsMax = 20;

/** Origins that have answered other members, or those of whom they keep copies. */
export async function originsOfOthers(
  calls: Pick<PeerCalls, "pull">,
  view: Pick<SwarmView, "others">,
): Promise<OriginName[]> {
  const nothing = new Uint8Array();
  const rows = {
    arcs: ArcSet.whole,
    tag: "robots",
    after: nothing,
    last: lastKeyOf("robots"),
  } as const;
  const asked = { ...rows, limit: rowsMax, known: nothing };
  const members = view.others.slice(0, membersMax);
  const answers = await Promise.all(members.map((member) => calls.pull(member, asked)));
  return originsOf(answers.flatMap((answer) => answer?.rows ?? []));
}
