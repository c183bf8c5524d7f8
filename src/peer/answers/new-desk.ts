import type { MemberId } from "../../core/units.ts";
import { readBytesMax } from "../../ports/archive.ts";
import type { PeerStats } from "../../ports/peer-control.ts";
import type { Frontier } from "../frontier/frontier.ts";
import { HostDesk } from "./host-desk.ts";
import type { JobRegistry } from "../jobs/job-registry.ts";
import type { Journal } from "../durability/journal.ts";
import type { Outages } from "../fetching/outages.ts";
import type { MissedTime } from "../robots/missed-time.ts";
import type { PeerOptions } from "../peer-options.ts";
import type { PeerPorts } from "../peer-ports.ts";
import { LoneDesk, type QuestionDesk } from "./question-desk.ts";
import { StatusDesk } from "./status-desk.ts";
import { UrlScan } from "./url-scan.ts";
import { newSwarmDesk } from "../swarm/answers/new-swarm-desk.ts";
import type { Swarm } from "../swarm/swarm.ts";

/**
 * The desk of a peer. Where there is a swarm, it serves what others ask from here on.
 *
 * @param signal aborts when the peer ends
 */
export function newDesk(
  ports: PeerPorts,
  parts: {
    readonly frontier: Frontier;
    readonly jobs: JobRegistry;
    readonly journal: Journal;
    readonly missed: MissedTime;
    readonly outages: Outages;
    readonly stats: () => PeerStats;
    readonly swarm: Swarm | undefined;
  },
  options: PeerOptions,
  signal: AbortSignal,
): QuestionDesk {
  const { clock, overlay } = ports;
  const { limits, politeness, swarm } = options;
  const peerId = options.peerId as MemberId;
  const { frontier, jobs, outages, stats } = parts;
  const urls = new StatusDesk(ports, { frontier, outages, peerId });
  const hosts = new HostDesk(ports, { ...parts, peerId }, politeness);
  const scan = new UrlScan(ports.store);
  const desk = { peerId, clock, urls, scan, hosts, jobs, stats };
  if (!overlay || !parts.swarm) return new LoneDesk(desk, Math.floor(clock.nowMs()));
  return newSwarmDesk({ clock, overlay }, parts.swarm, desk, {
    replicas: swarm.cluster.replicas,
    bodyBytesMax: readBytesMax(limits.bodyBytesMax),
    signal,
  });
}
