import type { Command } from "commander";
import type { StatsDocument } from "../../src/adapters/http-api/peer-routes.ts";
import { counted, formatDuration, formatRate } from "../text/human.ts";
import { renderJobs } from "../text/job-text.ts";
import { shortId } from "../text/member-text.ts";
import {
  clientOf,
  clientSettingNames,
  newCommand,
  printJson,
  wantsJson,
  type CommandContext,
} from "./command-context.ts";

/** `peer stats`: the running peer and its swarm at a glance. */
export function statsCommand(context: CommandContext): Command {
  const text = {
    name: "stats",
    summary: "show what the running peer and its swarm are doing",
    examples: [["peer stats --json", "for a script"]],
  } as const;
  return newCommand(text, clientSettingNames).action(
    async (_options: unknown, command: Command) => {
      const stats = await (await clientOf(context, command)).stats();
      if (wantsJson(command)) await printJson(context, stats);
      else await context.terminal.stdout.write(renderStats(stats));
    },
  );
}

/** The stats for people. */
export function renderStats(stats: StatsDocument): string {
  const rows: [string, string][] = [
    [
      "peer",
      `${shortId(stats.peer)}, orbweaver ${stats.version}, up ${formatDuration(stats.upMs)}`,
    ],
    ...swarmRows(stats),
    ["rate", `${formatRate(stats.pagesPerSecond)} pages/s`],
    ["open", counted(stats.openRequests, "request")],
    ["queued", `${counted(stats.queued, "URL")}, ${counted(stats.activeHosts, "host")} in memory`],
    ["archive", counted(stats.archiveFiles.length, "file")],
  ];
  const head = rows.map(([label, value]) => `${label.padEnd(9)}${value}\n`).join("");
  return stats.jobs.length === 0 ? head : `${head}\n${renderJobs(stats.jobs)}`;
}

/** Nothing for a peer that crawls alone. */
function swarmRows({ members, silent }: StatsDocument): [string, string][] {
  if (members.length + silent.length < 2) return [];
  const rows: [string, string][] = [["swarm", `${counted(members.length, "member")} in sum`]];
  if (silent.length === 0) return rows;
  return [...rows, ["silent", `${silent.map(shortId).join(", ")}; not in these figures`]];
}
