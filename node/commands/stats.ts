import type { Command } from "commander";
import { renderStats } from "../text/stats-text.ts";
import { questionCommand, type CommandContext } from "./command-context.ts";

/** `peer stats`: the running peer and its swarm at a glance. */
export function statsCommand(context: CommandContext): Command {
  const text = {
    name: "stats",
    summary: "show what the running peer and its swarm are doing",
    examples: [
      ["peer stats", "how fast is it, and how much is left?"],
      ["peer stats --json", "for a script"],
    ],
  } as const;
  return questionCommand(context, text, { ask: (client) => client.stats(), render: renderStats });
}
