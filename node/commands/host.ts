import type { Command } from "commander";
import { renderHost } from "../text/host-text.ts";
import {
  clientOf,
  clientSettingNames,
  newCommand,
  printJson,
  wantsJson,
  type CommandContext,
} from "./command-context.ts";

/** `peer host`: what is known of a host, and why it is not asked now. */
export function hostCommand(context: CommandContext): Command {
  const text = {
    name: "host",
    summary: "tell what is queued for a host, and why it is not asked now",
    examples: [["peer host www.example.com", "why does it not go on?"]],
  } as const;
  return newCommand(text, clientSettingNames)
    .argument("<name>", "name or address of the host")
    .action(async (name: string, _options: unknown, command: Command) => {
      const status = await (await clientOf(context, command)).host(name);
      if (wantsJson(command)) await printJson(context, status);
      else await context.terminal.stdout.write(renderHost(status));
    });
}
