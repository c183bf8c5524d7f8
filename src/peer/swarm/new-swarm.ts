import { defaultLendingOptions } from "../../core/politeness/address-loan.ts";
import type { PeerOptions } from "../peer-options.ts";
import type { PeerPorts } from "../peer-ports.ts";
import { Swarm, type SwarmParts } from "./swarm.ts";

/** What a peer does in a swarm; nothing for one that has no overlay, and crawls alone. */
export function newSwarm(
  ports: PeerPorts,
  parts: SwarmParts,
  { politeness, rings, swarm, version }: PeerOptions,
  onFailure: (error: unknown) => void,
): Swarm | undefined {
  const { overlay } = ports;
  if (!overlay) return undefined;
  const lending = { ...defaultLendingOptions, addressDelayMs: politeness.addressDelayMs };
  const options = { ...swarm, version, lending, ...(rings && { rings }) };
  return new Swarm({ ...ports, overlay }, parts, options, onFailure);
}
