import type { Store } from "../../ports/store.ts";
import type { Frontier } from "../frontier/frontier.ts";
import { originsThatAnswered } from "../robots/origins-that-answered.ts";
import { originsOfOthers } from "../swarm/answers/origins-of-others.ts";
import type { SwarmView } from "../swarm/members/swarm-view.ts";
import type { PeerCalls } from "../swarm/peer-calls.ts";
import { Outages, type OriginSource, type OutagePorts } from "./outages.ts";

interface OtherMembers {
  readonly calls: Pick<PeerCalls, "pull">;
  readonly view: Pick<SwarmView, "others">;
}

/** Knows outages of a peer, alone or in a swarm, and brings its hosts back when one is over. */
export function newOutages(
  ports: OutagePorts & { readonly store: Pick<Store, "range"> },
  parts: {
    readonly frontier: Pick<Frontier, "jobsChanged">;
    readonly swarm: OtherMembers | undefined;
  },
  onFailure: (error: unknown) => void,
  signal: AbortSignal,
): Outages {
  const onEnd = (): void => parts.frontier.jobsChanged();
  return new Outages(ports, originSources(ports.store, parts.swarm), { onEnd, onFailure }, signal);
}

/** Who knows origins that have answered, besides this run of the peer: the disk first, since others may be out of reach. */
export function originSources(
  store: Pick<Store, "range">,
  swarm: OtherMembers | undefined,
): readonly OriginSource[] {
  const own = (): ReturnType<OriginSource> => originsThatAnswered(store);
  return swarm ? [own, () => originsOfOthers(swarm.calls, swarm.view)] : [own];
}
