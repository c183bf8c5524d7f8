import type { Command } from "commander";
import { checkUrls } from "../seed-urls.ts";
import { printable } from "../text/terminal-text.ts";
import {
  clientOf,
  clientSettingNames,
  newCommand,
  printJson,
  settingsOf,
  wantsJson,
  type CommandContext,
} from "./command-context.ts";

/** `peer get`: what the archive holds of a URL. */
export function getCommand(context: CommandContext): Command {
  const text = {
    name: "get",
    summary: "print the archived body of a URL, byte for byte",
    examples: [
      ["peer get https://example.com/logo.png > logo.png", "the body"],
      ["peer get --headers https://example.com/", "the archived response's head"],
    ],
  } as const;
  return newCommand(text, ["job", ...clientSettingNames])
    .argument("<url>", "the URL as it was fetched")
    .option("--headers", "print the archived head instead of the body")
    .action((url: string, _options: unknown, command: Command) => get(context, command, url));
}

async function get(context: CommandContext, command: Command, url: string): Promise<void> {
  checkUrls([url]);
  const { stderr, stdout } = context.terminal;
  const { job } = await settingsOf(context, command, ["job"]);
  const client = await clientOf(context, command);
  if (wantsJson(command) || command.opts()["headers"] === true) {
    const head = await client.contentHead(url, job);
    if (wantsJson(command)) {
      await printJson(context, head);
      return;
    }
    const lines = head.headers.map(([name, value]) => printable(`${name}: ${value}`));
    await stdout.write([printable(head.statusLine), ...lines, ""].join("\n"));
    return;
  }
  const { body, truncated } = await client.content(url, job);
  for await (const chunk of body) await stdout.write(chunk);
  if (truncated) await stderr.write(`peer: ${printable(url)} is archived without its end\n`);
}
