import type { Command } from "commander";
import { renderMembers } from "../text/member-text.ts";
import { questionCommand, type CommandContext } from "./command-context.ts";

/** `peer members`: the swarm as the asked peer sees it. */
export function membersCommand(context: CommandContext): Command {
  const text = {
    name: "members",
    summary: "list the members of the swarm as this peer sees it; * is this peer",
    examples: [
      ["peer members", "who is there, and what each one owns and does"],
      ["peer members --json", "with full ids and all addresses"],
    ],
  } as const;
  return questionCommand(context, text, {
    ask: (client) => client.members(),
    render: renderMembers,
  });
}
