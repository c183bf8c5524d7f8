import type { StatsDocument } from "../../src/adapters/http-api/peer-routes.ts";
import { counted, formatDuration, formatRate } from "./human.ts";
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
    ...swarmRows(stats),
    ["rate", `${formatRate(stats.pagesPerSecond)} pages/s`],
    ["open", counted(stats.openRequests, "request")],
    ["queued", `${counted(stats.queued, "URL")}, ${counted(stats.activeHosts, "host")} in memory`],
    ["archive", counted(stats.archiveFiles.length, "file")],
  ]);
  return stats.jobs.length === 0 ? head : `${head}\n${renderJobs(stats.jobs)}`;
}

/** Nothing for a peer that crawls alone. */
function swarmRows({ members, silent }: StatsDocument): LabelledRow[] {
  if (members.length + silent.length < 2) return [];
  const rows: LabelledRow[] = [["swarm", `${counted(members.length, "member")} in sum`]];
  if (silent.length === 0) return rows;
  return [...rows, ["silent", `${silent.map(shortId).join(", ")}; not in these figures`]];
}
