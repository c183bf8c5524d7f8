import type { Command } from "commander";
import { renderHost } from "../text/host-text.ts";
import { questionCommand, type CommandContext } from "./command-context.ts";

/** `peer host`: what is known of a host, why it is not asked now, and an end of its halt. */
export function hostCommand(context: CommandContext): Command {
  const text = {
    name: "host",
    summary: "tell what is queued for a host, and why it is not asked now",
    examples: [
      ["peer host www.example.com", "why does it not go on?"],
      [
        "peer host www.example.com --release",
        "it is well again: do not wait for the end of its halt",
      ],
    ],
  } as const;
  const command: Command = questionCommand(context, text, {
    word: ["name", "name or address of the host"],
    ask: (client, name) =>
      command.opts()["release"] === true ? client.releaseHost(name) : client.host(name),
    render: renderHost,
  });
  return command.option(
    "--release",
    "let the host back first, where it is halted for its failures",
  );
}
