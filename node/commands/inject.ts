import type { Command } from "commander";
import type { JobOptions } from "../../src/core/jobs/job-definition.ts";
import type { OptionChange } from "../../src/core/jobs/option-changes.ts";
import type { ApiClient } from "../api-client.ts";
import { jobOptionsOf } from "../config/from-settings.ts";
import { jobSettingNames, type SettingName } from "../config/settings.ts";
import { exitCodes, usageError } from "../error-line.ts";
import { checkUrls } from "../seed-urls.ts";
import type { Terminal } from "../terminal.ts";
import { formatCount } from "../../src/core/text/human.ts";
import { changesText } from "../text/job-text.ts";
import { fileBytes, rejectionText, urlLineBatches, type UrlLine } from "../url-file.ts";
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

/** URLs sent at once: some tens of kilobytes, and a step of the progress that an eye can follow. */
const batchMax = 1_000;
/** Rejected lines that are named; the rest are counted. */
const namedMax = 100;

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

/** Where the URLs come from. */
interface Source {
  /** As named before a line's number; absent for arguments. */
  readonly name?: string;
  readonly batches: AsyncIterable<readonly UrlLine[]> | Iterable<readonly UrlLine[]>;
}

interface Totals {
  /** Options of the job that are others from now on. */
  changed: readonly OptionChange[];
  added: number;
  known: number;
  rejectedCount: number;
  readonly rejected: { input: string; reason: string; line: number }[];
}

async function inject(context: CommandContext, command: Command, urls: string[]): Promise<void> {
  const values = await settingsOf(context, command, settingNames);
  const totals: Totals = { changed: [], added: 0, known: 0, rejected: [], rejectedCount: 0 };
  const file = command.opts()["file"] as string | undefined;
  const source = sourceOf(context.terminal, urls, file, (line, reason) => {
    totals.rejectedCount += 1;
    name(totals, line, reason);
  });
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

function sourceOf(
  terminal: Terminal,
  urls: readonly string[],
  file: string | undefined,
  reject: (line: UrlLine, reason: string) => void,
): Source {
  if (file !== undefined && urls.length > 0) {
    throw usageError("give URLs or --file, not both");
  }
  if (file === "-" || (urls.length === 1 && urls[0] === "-")) {
    return { name: "standard input", batches: urlLineBatches(terminal.stdin, batchMax, reject) };
  }
  if (file !== undefined) {
    return { name: file, batches: urlLineBatches(fileBytes(file), batchMax, reject) };
  }
  if (urls.length === 0)
    throw usageError("peer inject needs URLs, --file FILE, or - for standard input");
  checkUrls(urls);
  return { batches: argumentBatches(urls) };
}

function* argumentBatches(urls: readonly string[]): Generator<readonly UrlLine[]> {
  for (let start = 0; start < urls.length; start += batchMax) {
    const batch = urls.slice(start, start + batchMax);
    yield batch.map((url, i) => ({ url, line: start + i + 1 }));
  }
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
  totals.rejectedCount += answer.rejectedCount;
  for (const { input, reason } of answer.rejected) {
    const line = batch.find(({ url }) => url === input)?.line ?? 0;
    name(totals, { url: input, line }, reason);
  }
}

function name({ rejected }: Totals, { url, line }: UrlLine, reason: string): void {
  if (rejected.length < namedMax) rejected.push({ input: url, reason, line });
}

async function showProgress({ stderr }: Terminal, totals: Totals): Promise<void> {
  if (stderr.isTTY) await stderr.write(`\r\u001b[K${totalsText(totals)}`);
}

function totalsText({ added, known, rejectedCount }: Totals): string {
  return `${formatCount(added)} added, ${formatCount(known)} known already, ${formatCount(rejectedCount)} rejected`;
}

async function report(
  context: CommandContext,
  command: Command,
  job: string,
  totals: Totals,
  sourceName: string | undefined,
): Promise<void> {
  const { stderr } = context.terminal;
  for (const { input, reason, line } of totals.rejected) {
    await stderr.write(rejectionText({ url: input, line }, reason, sourceName));
  }
  const unnamed = totals.rejectedCount - totals.rejected.length;
  if (unnamed > 0) await stderr.write(`peer: ${formatCount(unnamed)} more are rejected\n`);
  await printDocument(
    context,
    command,
    { job, ...totals },
    () => `job ${job}: ${totalsText(totals)}\n${changesText(job, totals.changed)}`,
  );
  if (totals.rejectedCount > 0 && totals.added + totals.known === 0) {
    context.finish(exitCodes.usedWrongly);
  }
}
