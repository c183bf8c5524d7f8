import type { Command } from "commander";
import { defaultJob, type JobOptions } from "../../src/core/jobs/job-definition.ts";
import { CrawlError } from "../../src/core/errors.ts";
import type { OptionChange } from "../../src/core/jobs/option-changes.ts";
import type { Millis } from "../../src/core/units.ts";
import type { ApiClient } from "../api-client.ts";
import { jobOptionsOf } from "../config/from-settings.ts";
import { jobSettingNames, type SettingName } from "../config/settings.ts";
import { exitCodes, usageError } from "../error-line.ts";
import { StopRequest } from "../stop-request.ts";
import type { Terminal } from "../terminal.ts";
import { counted, formatCount } from "../../src/core/text/human.ts";
import { changesText } from "../text/job-text.ts";
import { cut, printable } from "../text/terminal-text.ts";
import { rejectionText, type UrlLine } from "../url-file.ts";
import { Rejections, urlSource, type UrlSource } from "../url-source.ts";
import {
  clientOf,
  clientSettingNames,
  fileOption,
  newCommand,
  printDocument,
  settingsOf,
  type CommandContext,
} from "./command-context.ts";

const settingNames = [
  "job",
  ...jobSettingNames,
  ...clientSettingNames,
] as const satisfies readonly SettingName[];

/**
 * How often URLs are given that the swarm is too busy for, and the rest between two times. A peer waits 30 s for their owners,
 * so that is five minutes: what a join or a loss makes them wait for is over by then, and what stands in the way for longer
 * is for somebody to look at.
 */
const busyTriesMax = 10;
const busyRestMs: Millis = 1_000;

/** `peer inject`: give a running peer URLs to crawl. */
export function injectCommand(context: CommandContext): Command {
  const text = {
    name: "inject",
    summary: "give the running peer URLs to crawl",
    examples: [
      ["peer inject https://example.com/ --job docs --depth 3", "one URL, into a job of its own"],
      ["peer inject --file urls.txt --scope page", "a file with a URL a line; - is standard input"],
    ],
    defaults: { job: defaultJob },
  } as const;
  return newCommand(text, settingNames)
    .argument("[url...]", "URLs, or - for standard input")
    .addOption(fileOption("read URLs from a file, one a line"))
    .action((urls: string[], _options: unknown, command: Command) =>
      inject(context, command, urls),
    );
}

interface Totals {
  /** Options of the job that are others from now on. */
  changed: readonly OptionChange[];
  added: number;
  known: number;
  /** Line of the last URL that the peer has answered for. */
  lastLine: number;
  readonly rejections: Rejections;
}

async function inject(context: CommandContext, command: Command, urls: string[]): Promise<void> {
  const values = await settingsOf(context, command, settingNames);
  const totals: Totals = {
    changed: [],
    added: 0,
    known: 0,
    lastLine: 0,
    rejections: new Rejections(),
  };
  const file = command.opts()["file"] as string | undefined;
  const source = urlSource(context.terminal, urls, file, totals.rejections);
  if (source === undefined) {
    throw usageError("peer inject needs URLs, --file FILE, or - for standard input");
  }
  const client = await clientOf(context, command);
  const job = values.job ?? defaultJob;
  let options = jobOptionsOf(values);
  const stop = new StopRequest(context.terminal);
  // At once: the peer may hang, and what is read from may stay open.
  void stop.asked().then(async () => {
    await sayTaken(context.terminal, totals, source);
    context.terminal.exitNow(stop.exitCode);
  });
  try {
    // A pipe or a standard input may keep it waiting.
    if (source.name !== undefined) {
      await showLine(context.terminal, `reading URLs from ${printable(source.name)}`);
    }
    for await (const batch of source.batches) {
      const isFirst = totals.added + totals.known === 0;
      const given = (): Promise<void> => injectBatch(client, job, batch, options, totals);
      await (isFirst ? given() : againWhileBusy(context.terminal, source, stop.signal, given));
      // What is taken of the first batch sets the job's options; sending them again would only count as further changes.
      if (totals.added + totals.known > 0) options = {};
      if (source.name !== undefined) await showLine(context.terminal, totalsText(totals));
    }
  } catch (error) {
    await sayTaken(context.terminal, totals, source);
    throw error;
  } finally {
    stop.dispose();
  }
  await clearProgress(context.terminal, source);
  await report(context, command, job, totals, source.name);
}

/** Who gives much may be unable to give it again, and a swarm that has taken URLs before is busy for a while only. */
async function againWhileBusy(
  terminal: Terminal,
  source: UrlSource,
  signal: AbortSignal,
  give: () => Promise<void>,
): Promise<void> {
  for (let tries = 1; tries < busyTriesMax && !signal.aborted; tries += 1) {
    try {
      await give();
      return;
    } catch (error) {
      if (!(error instanceof CrawlError) || error.code !== "SWARM_BUSY") throw error;
      if (tries === 1) await sayBusy(terminal, source);
    }
    await terminal.clock.sleep(busyRestMs, signal);
  }
  await give();
}

/** Once for all tries: else it would seem to hang. */
async function sayBusy(terminal: Terminal, source: UrlSource): Promise<void> {
  await clearProgress(terminal, source);
  await terminal.stderr.write("peer: the swarm is busy; what it has not taken is given again\n");
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
  totals.lastLine = batch.at(-1)?.line ?? totals.lastLine;
  totals.rejections.addReport(batch, answer);
}

/** On a terminal, in place of the line before. */
async function showLine({ stderr }: Terminal, text: string): Promise<void> {
  if (!stderr.isTTY) return;
  // A line that is broken could not be taken back.
  await stderr.write(`\r\u001b[K${cut(text, stderr.columns - 1)}`);
}

async function clearProgress({ stderr }: Terminal, { name }: UrlSource): Promise<void> {
  if (name !== undefined && stderr.isTTY) await stderr.write("\r\u001b[K");
}

async function sayTaken(terminal: Terminal, totals: Totals, source: UrlSource): Promise<void> {
  await clearProgress(terminal, source);
  await terminal.stderr.write(takenText(totals, source));
}

/** Of URLs that are cut off, how many the peer had acknowledged; nothing where there is none. */
function takenText({ added, known, lastLine }: Totals, { file, name }: UrlSource): string {
  if (added + known === 0) return "";
  const from = name === undefined ? "" : ` of ${printable(name)}, up to line ${lastLine},`;
  const again =
    file === undefined || file === "-"
      ? "giving the same URLs again is safe: each counts once"
      : "giving the same file again is safe: each URL counts once";
  return `peer: ${counted(added + known, "URL")}${from} ${added + known === 1 ? "was" : "were"} in before; ${again}\n`;
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
  if (added + known + rejectedCount === 0) {
    await stderr.write("note: there was no URL in it, so no job was made or changed\n");
  }
  await printDocument(
    context,
    command,
    { job, changed, added, known, rejected, rejectedCount },
    () => `job ${job}: ${totalsText(totals)}\n${changesText(job, changed)}`,
  );
  if (rejectedCount > 0 && added + known === 0) context.finish(exitCodes.usedWrongly);
}
