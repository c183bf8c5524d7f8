import { access } from "node:fs/promises";
import type { Command } from "commander";
import type { LogLevel } from "../../src/adapters/system/console-logger.ts";
import { CrawlError } from "../../src/core/errors.ts";
import type { JobId, Millis } from "../../src/core/units.ts";
import type { InjectReport, JobReport } from "../../src/ports/peer-control.ts";
import { recallSettings, rememberSettings } from "../config/crawl-memory.ts";
import { jobOptionsOf, peerConfigOf } from "../config/from-settings.ts";
import { dataLayout } from "../config/peer-config.ts";
import { jobSettingNames, peerSettingNames, type SettingName } from "../config/settings.ts";
import { crawlSummary, renderSummary, writeSummary, type CrawlSummary } from "../crawl-summary.ts";
import { defaultProgressDisplayOptions, ProgressDisplay } from "../dashboard/progress-display.ts";
import { firstAnswerTrouble } from "../dashboard/first-answer-trouble.ts";
import { progressView, type ProgressView } from "../dashboard/progress-view.ts";
import { exitCodes, usageError } from "../error-line.ts";
import { openSession, type PeerSession } from "../peer-session.ts";
import { checkAddresses, checkUrls } from "../seed-urls.ts";
import { StopRequest } from "../stop-request.ts";
import { counted, formatCount } from "../../src/core/text/human.ts";
import { changesText } from "../text/job-text.ts";
import { clause, printable, shellWord } from "../text/terminal-text.ts";
import { rejectionText } from "../url-file.ts";
import {
  colorWanted,
  newCommand,
  printDocument,
  sayContact,
  settingsOf,
  type CommandContext,
} from "./command-context.ts";

const settingNames = [
  "out",
  "job",
  "api",
  ...jobSettingNames,
  ...peerSettingNames,
] as const satisfies readonly SettingName[];

/** Job of a crawl that names none. */
const jobDefault = "crawl";

/** Seeds that are looked through for one that was given up: as many as can be asked for at once. */
const statusUrlsMax = 1_000;

/** The progress display tells the rest. */
const logLevelDefault: LogLevel = "warn";

/** `peer crawl`: start, crawl to the end, leave archive and summary. */
export function crawlCommand(context: CommandContext): Command {
  const text = {
    name: "crawl",
    summary: "crawl sites to the end and keep them as WARC files with an index and a summary",
    examples: [
      ["peer crawl https://example.com/", "a whole site, into ./crawl-example.com"],
      [
        "peer crawl https://example.com/ --include /docs/ --max-pages 1000 --out docs",
        "a part of a site",
      ],
      ["peer crawl --out docs", "continue after an interruption"],
    ],
    defaults: { out: "crawl-HOST", job: jobDefault, api: "none", "log-level": logLevelDefault },
  } as const;
  return newCommand(text, settingNames)
    .argument("[url...]", "where to start; not needed to continue a crawl")
    .action((urls: string[], _options: unknown, command: Command) => crawl(context, command, urls));
}

/** One crawl, as it was asked for. */
interface CrawlPlan {
  readonly urls: readonly string[];
  readonly out: string;
  readonly job: JobId;
  readonly title: string;
}

async function crawl(context: CommandContext, command: Command, urls: string[]): Promise<void> {
  const { terminal } = context;
  const given = await settingsOf(context, command, settingNames);
  checkUrls(urls);
  const dataDir = dataDirOf(urls, given.out);
  const values = { ...(await recallSettings(dataDir)), ...given };
  if (values["allow-private"] !== true) checkAddresses(urls);
  const plan = await planOf(urls, dataDir, values.job);
  const stop = new StopRequest(terminal);
  let display: ProgressDisplay | undefined;
  /** Whether there was nothing left to do. */
  let again = false;
  const say = (lines: string): void => {
    if (display === undefined) void terminal.stderr.write(lines);
    else display.print(lines);
  };
  try {
    const session = await openSession({
      config: peerConfigOf(values, {
        dataDir: plan.out,
        version: context.version,
        logLevel: logLevelDefault,
        writeLog: say,
      }),
      composePeer: context.composePeer,
      ...(values.api === undefined ? {} : { api: values.api }),
      leave: () => stop.ask(),
    });
    try {
      const before = jobBefore(session, plan);
      await rememberSettings(plan.out, values);
      const injected = await session.control.inject(plan.job, plan.urls, jobOptionsOf(values));
      await sayContact(context, command, values);
      sayStart(say, plan, before, injected);
      again = before?.finished === true && session.control.job(plan.job).finished;
      display = new ProgressDisplay(
        terminal.stderr,
        terminal.clock,
        () => viewOf(session, plan, terminal.clock.nowMs()),
        { ...defaultProgressDisplayOptions, color: colorWanted(terminal) },
      );
      await untilEnd(session, plan.job, stop, display);
      await sayGivenUp(session, plan, again, context);
    } finally {
      await display?.stop();
      await stop.within(() => session.close());
    }
    const { archiveFiles } = session.control.stats();
    const summary = crawlSummary(session.control.job(plan.job), archiveFiles, plan.out);
    await finish(context, command, summary, again);
    if (!summary.finished && stop.exitCode !== 0) context.finish(stop.exitCode);
  } finally {
    stop.dispose();
  }
}

function dataDirOf([first]: readonly string[], out: string | undefined): string {
  if (out !== undefined) return out;
  if (first !== undefined) return `crawl-${folderName(new URL(first).hostname)}`;
  throw usageError("peer crawl needs a URL to start from, or --out DIR of a crawl to continue");
}

async function planOf(urls: string[], out: string, job: string = jobDefault): Promise<CrawlPlan> {
  if (urls.length === 0 && !(await exists(dataLayout(out).stateDir))) {
    throw nothingToContinue(out);
  }
  const [host, ...others] = new Set(urls.map((url) => new URL(url).hostname));
  const title = host === undefined || others.length > 0 ? out : host;
  return { urls, out, job: job as JobId, title: `crawling ${title}` };
}

function nothingToContinue(out: string): CrawlError {
  return usageError(`there is no crawl to continue in ${out}; give a URL to start from`);
}

/** What has been done of the job. Errors, where no URL begins it: `JOB_UNKNOWN`. */
function jobBefore({ control }: PeerSession, { urls, out, job }: CrawlPlan): JobReport | undefined {
  const jobs = control.jobs();
  const before = jobs.find(({ definition }) => definition.id === job);
  if (before !== undefined || urls.length > 0) return before;
  if (jobs.length === 0) throw nothingToContinue(out);
  const names = jobs.map(({ definition }) => definition.id).join(", ");
  throw new CrawlError("JOB_UNKNOWN", `no job in ${out} is named "${job}"; it has: ${names}`);
}

/** IPv6 literals have brackets and colons, which are awkward in paths. */
function folderName(host: string): string {
  return host.replace(/[^a-z0-9.-]+/gi, "-").replace(/^-+|-+$/g, "");
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

function sayStart(
  say: (lines: string) => void,
  { job, out, urls }: CrawlPlan,
  before: JobReport | undefined,
  injected: InjectReport,
): void {
  for (const { input, reason } of injected.rejected) {
    say(rejectionText({ url: input }, reason));
  }
  if (urls.length > 0 && injected.rejectedCount === urls.length) {
    throw usageError("no URL is left to start from");
  }
  say(changesText(job, injected.changed ?? []));
  if (before === undefined || (before.finished && injected.added === 0)) return;
  const { pages, queued } = before.counts;
  say(`continuing in ${out}: ${counted(pages, "page")} so far, ${formatCount(queued)} queued\n`);
}

async function viewOf(
  { control }: PeerSession,
  plan: CrawlPlan,
  nowMs: Millis,
): Promise<ProgressView> {
  // A peer that has just broken cannot be asked any more, and what broke it is told as it ends.
  const trouble = await firstAnswerTrouble(control, plan, nowMs).catch((error: unknown) => {
    if (!(error instanceof CrawlError)) throw error;
    return undefined;
  });
  const view = progressView(control.stats(), plan.job, plan.title);
  return { ...view, ...(trouble !== undefined && { trouble }) };
}

/** Shows progress until the job is finished or a stop is asked for. */
async function untilEnd(
  { control, broken }: PeerSession,
  job: JobId,
  stop: StopRequest,
  display: ProgressDisplay,
): Promise<void> {
  if (control.job(job).finished) return;
  display.start();
  const ends = [control.jobFinished(job, stop.signal), stop.asked()];
  await Promise.race(broken === undefined ? ends : [...ends, broken]);
}

/**
 * Says which seed was given up and what helps: what is given up stays so in its job. A crawl that got no answer at all has
 * failed; of one that got some it is said only when it is run again.
 */
async function sayGivenUp(
  { control }: PeerSession,
  { urls, job }: CrawlPlan,
  again: boolean,
  { terminal: { stderr }, finish: finishWith }: CommandContext,
): Promise<void> {
  const { counts, finished } = control.job(job);
  const failed = counts.fetched === 0;
  if (!finished || (!failed && !again)) return;
  if (failed) finishWith(exitCodes.failed);
  const statuses = await control.status(urls.slice(0, statusUrlsMax), job);
  const givenUp = statuses.find(
    ({ state, httpStatus }) =>
      (state === "done" && httpStatus === undefined) || state === "excluded",
  );
  if (givenUp === undefined) {
    const hint = urls.length === 0 ? "; run it again with its URL to be told why" : "";
    if (failed) await stderr.write(`peer: nothing could be fetched${hint}\n`);
    return;
  }
  const { url, reason, detail = reason ?? "no reason is known" } = givenUp;
  const flag = reason === "address-forbidden" ? " with --allow-private" : "";
  await stderr.write(
    `peer: ${failed ? "nothing" : "not all"} could be fetched; ${printable(url)}: ${clause(detail)}; ` +
      `to try again${flag}, begin anew with --job NAME or another --out DIR\n`,
  );
}

async function finish(
  context: CommandContext,
  command: Command,
  summary: CrawlSummary,
  again: boolean,
): Promise<void> {
  await writeSummary(summary);
  const head = headOf(summary, again);
  await printDocument(context, command, summary, () => `${head}\n${renderSummary(summary)}`);
  if (summary.finished) return;
  await context.terminal.stderr.write(
    `continue with: peer crawl --out ${shellWord(summary.out)}\n`,
  );
}

function headOf({ finished, fetched }: CrawlSummary, again: boolean): string {
  if (!finished) return "stopped; everything is kept";
  if (fetched === 0) return "ended with nothing fetched";
  return again ? "already finished" : "finished";
}
