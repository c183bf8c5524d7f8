import type { Command } from "commander";
import type { PeerStats } from "../../src/ports/peer-control.ts";
import { counted, formatDuration, formatRate } from "../text/human.ts";
import { renderJobs } from "../text/job-text.ts";
import {
  clientOf,
  clientSettingNames,
  newCommand,
  printJson,
  wantsJson,
  type CommandContext,
} from "./command-context.ts";

/** `peer stats`: the running peer at a glance. */
export function statsCommand(context: CommandContext): Command {
  const text = {
    name: "stats",
    summary: "show what the running peer is doing",
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
export function renderStats(stats: PeerStats): string {
  const rows: [string, string][] = [
    ["peer", `${stats.peer}, orbweaver ${stats.version}, up ${formatDuration(stats.upMs)}`],
    ["rate", `${formatRate(stats.pagesPerSecond)} pages/s`],
    ["open", counted(stats.openRequests, "request")],
    ["queued", `${counted(stats.queued, "URL")}, ${counted(stats.activeHosts, "host")} in memory`],
    ["archive", counted(stats.archiveFiles.length, "file")],
  ];
  const head = rows.map(([label, value]) => `${label.padEnd(9)}${value}\n`).join("");
  return stats.jobs.length === 0 ? head : `${head}\n${renderJobs(stats.jobs)}`;
}
