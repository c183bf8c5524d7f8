import type { Command } from "commander";
import type { JobOptions } from "../../src/core/jobs/job-definition.ts";
import type { OptionChange } from "../../src/core/jobs/option-changes.ts";
import type { ApiClient } from "../api-client.ts";
import { jobOptionsOf } from "../config/from-settings.ts";
import { jobSettingNames, type SettingName } from "../config/settings.ts";
import { exitCodes, usageError } from "../error-line.ts";
import type { Terminal } from "../terminal.ts";
import { formatCount } from "../../src/core/text/human.ts";
import { changesText } from "../text/job-text.ts";
import { rejectionText, type UrlLine } from "../url-file.ts";
import { Rejections, urlSource } from "../url-source.ts";
import {
  clientOf,
  clientSettingNames,
  newCommand,
  printDocument,
  settingsOf,
  type CommandContext,
} from "./command-context.ts";
import { jobDefault } from "./run.ts";

const settingNames = [
  "job",
  ...jobSettingNames,
  ...clientSettingNames,
] as const satisfies readonly SettingName[];

/** `peer inject`: give a running peer URLs to crawl. */
export function injectCommand(context: CommandContext): Command {
  const text = {
    name: "inject",
    summary: "give the running peer URLs to crawl",
    examples: [
      ["peer inject https://example.com/ --job docs --depth 3", "one URL, into a job of its own"],
      ["peer inject --file urls.txt --scope page", "a file with a URL a line; - is standard input"],
    ],
    defaults: { job: jobDefault },
  } as const;
  return newCommand(text, settingNames)
    .argument("[url...]", "URLs, or - for standard input")
    .option("--file <file>", "read URLs from a file, one a line")
    .action((urls: string[], _options: unknown, command: Command) =>
      inject(context, command, urls),
    );
}

interface Totals {
  /** Options of the job that are others from now on. */
  changed: readonly OptionChange[];
  added: number;
  known: number;
  readonly rejections: Rejections;
}

async function inject(context: CommandContext, command: Command, urls: string[]): Promise<void> {
  const values = await settingsOf(context, command, settingNames);
  const totals: Totals = { changed: [], added: 0, known: 0, rejections: new Rejections() };
  const file = command.opts()["file"] as string | undefined;
  const source = urlSource(context.terminal, urls, file, totals.rejections);
  if (source === undefined) {
    throw usageError("peer inject needs URLs, --file FILE, or - for standard input");
  }
  const client = await clientOf(context, command);
  const job = values.job ?? jobDefault;
  let options = jobOptionsOf(values);
  for await (const batch of source.batches) {
    await injectBatch(client, job, batch, options, totals);
    // The first batch sets the job's options; sending them again would only count as further changes.
    options = {};
    if (source.name !== undefined) await showProgress(context.terminal, totals);
  }
  if (source.name !== undefined && context.terminal.stderr.isTTY) {
    await context.terminal.stderr.write("\r\u001b[K");
  }
  await report(context, command, job, totals, source.name);
}

async function injectBatch(
  client: ApiClient,
  job: string,
  batch: readonly UrlLine[],
  options: Partial<JobOptions>,
  totals: Totals,
): Promise<void> {
  const answer = await client.inject(
    job,
    batch.map(({ url }) => url),
    Object.keys(options).length === 0 ? undefined : options,
  );
  totals.changed = [...totals.changed, ...(answer.changed ?? [])];
  totals.added += answer.added;
  totals.known += answer.known;
  totals.rejections.addReport(batch, answer);
}

async function showProgress({ stderr }: Terminal, totals: Totals): Promise<void> {
  if (stderr.isTTY) await stderr.write(`\r\u001b[K${totalsText(totals)}`);
}

function totalsText({ added, known, rejections }: Totals): string {
  return `${formatCount(added)} added, ${formatCount(known)} known already, ${formatCount(rejections.count)} rejected`;
}

async function report(
  context: CommandContext,
  command: Command,
  job: string,
  totals: Totals,
  sourceName: string | undefined,
): Promise<void> {
  const { stderr } = context.terminal;
  const { added, changed, known, rejections } = totals;
  const { named: rejected, count: rejectedCount } = rejections;
  for (const { input, reason, line } of rejected) {
    await stderr.write(rejectionText({ url: input, line }, reason, sourceName));
  }
  await stderr.write(rejections.restText);
  await printDocument(
    context,
    command,
    { job, changed, added, known, rejected, rejectedCount },
    () => `job ${job}: ${totalsText(totals)}\n${changesText(job, changed)}`,
  );
  if (rejectedCount > 0 && added + known === 0) context.finish(exitCodes.usedWrongly);
}
