import type { StatsDocument } from "../../src/adapters/http-api/peer-routes.ts";
import { counted, formatCount, formatDuration, formatRate } from "../../src/core/text/human.ts";
import { renderJobs } from "./job-text.ts";
import { shortId } from "./member-text.ts";
import { labelled, type LabelledRow } from "./terminal-text.ts";

/** The stats for people. */
export function renderStats(stats: StatsDocument): string {
  const head = labelled([
    [
      "peer",
      `${shortId(stats.peer)}, orbweaver ${stats.version}, up ${formatDuration(stats.upMs)}`,
    ],
    ["archive", counted(stats.archiveFiles.length, "WARC file")],
    ...swarmRows(stats),
    ["rate", `${formatRate(stats.pagesPerSecond)} pages/s`],
    ["open", counted(stats.openRequests, "request")],
    ["queued", `${counted(stats.queued, "URL")}, ${counted(stats.activeHosts, "host")} in memory`],
  ]);
  return stats.jobs.length === 0 ? head : `${head}\n${renderJobs(stats.jobs)}`;
}

/** Nothing for a peer that crawls alone. */
function swarmRows({ members, silent }: StatsDocument): LabelledRow[] {
  const size = members.length + silent.length;
  if (size < 2) return [];
  if (silent.length === 0) return [["swarm", `${formatCount(size)} members, summed up below`]];
  return [
    ["swarm", `${formatCount(members.length)} of ${formatCount(size)} members, summed up below`],
    ["silent", `${silent.map(shortId).join(", ")}; not in these sums`],
  ];
}
