import type { Command } from "commander";
import { usageError } from "../error-line.ts";
import { checkUrls } from "../seed-urls.ts";
import { renderStatus, StatusTable, statusLine } from "../text/status-text.ts";
import { rejectionText } from "../url-file.ts";
import { fileSource } from "../url-source.ts";
import {
  clientOf,
  clientSettingNames,
  fileOption,
  newCommand,
  printJson,
  settingsOf,
  wantsJson,
  type CommandContext,
} from "./command-context.ts";

/** URLs asked for at once, at most: the API's bound. */
const batchMax = 1_000;

/** `peer status`: what is known of URLs, and why they are not crawled. */
export function statusCommand(context: CommandContext): Command {
  const text = {
    name: "status",
    summary: "tell the state of URLs: fetched when and how, or why not",
    examples: [
      ["peer status https://example.com/private/", "one URL in full"],
      ["peer status --file urls.txt --json | grep '\"queued\"'", "many, a JSON line each"],
    ],
  } as const;
  return newCommand(text, ["job", ...clientSettingNames])
    .argument("[url...]", "URLs")
    .addOption(fileOption("read URLs from a file, one a line; - is standard input"))
    .action((urls: string[], _options: unknown, command: Command) =>
      status(context, command, urls),
    );
}

async function status(context: CommandContext, command: Command, urls: string[]): Promise<void> {
  const file = command.opts()["file"] as string | undefined;
  if (urls.length === 0 && file === undefined)
    throw usageError("peer status needs URLs or --file FILE");
  checkUrls(urls);
  const { job } = await settingsOf(context, command, ["job"]);
  const client = await clientOf(context, command);
  const { stdout } = context.terminal;
  // Of a file nobody knows at the first URL whether it is the only one.
  const isOne = urls.length === 1 && file === undefined;
  const table = new StatusTable();
  for await (const batch of batchesOf(context, urls, file)) {
    const statuses = await client.status(batch, job);
    if (wantsJson(command)) for (const each of statuses) await printJson(context, statusLine(each));
    else if (isOne) await stdout.write(statuses.map(renderStatus).join(""));
    else await stdout.write(table.next(statuses));
  }
}

async function* batchesOf(
  { terminal }: CommandContext,
  urls: readonly string[],
  file: string | undefined,
): AsyncGenerator<readonly string[]> {
  for (let start = 0; start < urls.length; start += batchMax) {
    yield urls.slice(start, start + batchMax);
  }
  if (file === undefined) return;
  const { batches, name } = fileSource(terminal, file, (line, reason) => {
    void terminal.stderr.write(rejectionText(line, reason, name));
  });
  for await (const batch of batches) yield batch.map(({ url }) => url);
}
