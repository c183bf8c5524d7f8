import type { Command } from "commander";
import { renderHost } from "../text/host-text.ts";
import { questionCommand, type CommandContext } from "./command-context.ts";

/** `peer host`: what is known of a host, and why it is not asked now. */
export function hostCommand(context: CommandContext): Command {
  const text = {
    name: "host",
    summary: "tell what is queued for a host, and why it is not asked now",
    examples: [["peer host www.example.com", "why does it not go on?"]],
  } as const;
  return questionCommand(context, text, {
    word: ["name", "name or address of the host"],
    ask: (client, name) => client.host(name),
    render: renderHost,
  });
}
