import type { Command } from "commander";
import { renderMembers } from "../text/member-text.ts";
import {
  clientOf,
  clientSettingNames,
  newCommand,
  printJson,
  wantsJson,
  type CommandContext,
} from "./command-context.ts";

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
  return newCommand(text, clientSettingNames).action(
    async (_options: unknown, command: Command) => {
      const members = await (await clientOf(context, command)).members();
      if (wantsJson(command)) await printJson(context, members);
      else await context.terminal.stdout.write(renderMembers(members));
    },
  );
}
