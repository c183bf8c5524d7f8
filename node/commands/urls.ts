import { Option, type Command } from "commander";
import { listedStates, parseHttpFilter } from "../../src/core/answers/url-list.ts";
import type { ApiClient } from "../api-client.ts";
import { usageError } from "../error-line.ts";
import { renderListed, statusLine } from "../text/status-text.ts";
import {
  clientOf,
  clientSettingNames,
  newCommand,
  printJson,
  settingsOf,
  wantsJson,
  type CommandContext,
} from "./command-context.ts";

interface ListOptions {
  readonly broken?: boolean;
  readonly state?: string;
  readonly http?: string;
}

/** `peer urls`: the URLs of a job, all or those of which one thing came. */
export function urlsCommand(context: CommandContext): Command {
  const text = {
    name: "urls",
    summary: "list the URLs of a job: all, or those that were fetched, failed, ...",
    examples: [
      ["peer urls --broken", "broken links, each with a page that has it"],
      ["peer urls --job docs --state failed", "what no server answered"],
      ["peer urls --json > urls.ndjson", "all, a JSON line each"],
    ],
  } as const;
  return newCommand(text, ["job", ...clientSettingNames])
    .addOption(new Option("--state <state>", "only those of this state").choices(listedStates))
    .option("--broken", "only those that failed, were answered with an error, or redirect for ever")
    .option("--http <status>", "only those answered so, such as 404 or 5xx")
    .action((options: ListOptions, command: Command) => list(context, command, options));
}

async function list(
  context: CommandContext,
  command: Command,
  { broken, http, state }: ListOptions,
): Promise<void> {
  if (http !== undefined && parseHttpFilter(http) === undefined) {
    throw usageError(`--http has to be a status such as 404 or 5xx, not ${JSON.stringify(http)}`);
  }
  const { job } = await settingsOf(context, command, ["job"]);
  const client = await clientOf(context, command);
  const filter = {
    ...(state !== undefined && { state }),
    ...(http !== undefined && { http }),
    ...(broken === true && { broken: "" }),
  };
  for await (const urls of client.urls(job ?? (await onlyJob(client)), filter)) {
    if (wantsJson(command)) for (const each of urls) await printJson(context, statusLine(each));
    else await context.terminal.stdout.write(renderListed(urls));
  }
}

/** The job of a peer that has one. */
async function onlyJob(client: ApiClient): Promise<string> {
  const [only, ...others] = (await client.jobs()).map(({ definition }) => definition.id);
  if (only === undefined) throw usageError("the peer has no job yet; peer inject gives it one");
  if (others.length === 0) return only;
  throw usageError(
    `the peer has several jobs; choose one by --job: ${[only, ...others].join(", ")}`,
  );
}
