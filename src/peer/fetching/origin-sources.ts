import type { OriginName } from "../../core/units.ts";
import type { Store } from "../../ports/store.ts";
import { originsThatAnswered } from "../robots/origins-that-answered.ts";
import { originsOfOthers } from "../swarm/answers/origins-of-others.ts";
import type { SwarmView } from "../swarm/members/swarm-view.ts";
import type { PeerCalls } from "../swarm/peer-calls.ts";

/** Asks somebody for origins that have answered before. */
export type OriginSource = () => Promise<readonly OriginName[]>;

/** Who knows origins that have answered, besides this run of the peer: those who are cheaper to ask come first. */
export function originSources(
  store: Pick<Store, "range">,
  swarm:
    | { readonly calls: Pick<PeerCalls, "pull">; readonly view: Pick<SwarmView, "others"> }
    | undefined,
): readonly OriginSource[] {
  const own = (): Promise<readonly OriginName[]> => originsThatAnswered(store);
  return swarm ? [own, () => originsOfOthers(swarm.calls, swarm.view)] : [own];
}
