import type { Command } from "commander";
import type { LogLevel } from "../../src/adapters/system/console-logger.ts";
import { CrawlError } from "../../src/core/errors.ts";
import type { JobId, Millis } from "../../src/core/units.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { JobReport, PeerControl } from "../../src/ports/peer-control.ts";
import { recallNetwork, recallSettings, rememberSettings } from "../config/crawl-memory.ts";
import { jobOptionsOf, peerConfigOf } from "../config/from-settings.ts";
import {
  jobSettingNames,
  peerSettingNames,
  type SettingName,
  type SettingValues,
} from "../config/settings.ts";
import {
  cancelledText,
  crawlJobDefault,
  dataDirOf,
  isCancelled,
  jobBefore,
  planOf,
  type CrawlPlan,
} from "../crawl-plan.ts";
import { adviceText, othersLeftText, sayEnd, type Say } from "../crawl-end.ts";
import { CrawlSeeds } from "../crawl-seeds.ts";
import { writeBrokenUrls } from "../broken-urls.ts";
import {
  crawlSummary,
  forgetResults,
  renderSummary,
  writeSummary,
  type CrawlSummary,
} from "../crawl-summary.ts";
import { ProgressDisplay } from "../dashboard/progress-display.ts";
import { progressView, type ProgressView } from "../dashboard/progress-view.ts";
import { answeredUrls, Standstill, type QueueAnswers } from "../dashboard/standstill.ts";
import { exitCodes, usageError } from "../error-line.ts";
import { openSession, type PeerSession } from "../peer-session.ts";
import { SeedsLeft } from "../seeds-left.ts";
import { checkAddresses, privateAddressText } from "../seed-urls.ts";
import { StopRequest } from "../stop-request.ts";
import { counted, formatCount } from "../../src/core/text/human.ts";
import { changesText, resumeText } from "../text/job-text.ts";
import { shellWord } from "../text/terminal-text.ts";
import { inputText, rejectionText } from "../url-file.ts";
import {
  Rejections,
  toldIfSlow,
  urlSource,
  type Rejection,
  type UrlSource,
} from "../url-source.ts";
import {
  fileOption,
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

/** Time for the list of broken URLs from when a stop was asked for: requests that end come first, and the user waits. */
const stoppedListMsMax: Millis = 3_000;

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
      [
        "peer crawl --file urls.txt --scope page",
        "each URL of a file, a line each; - is standard input",
      ],
      ["peer crawl --out docs", "continue after an interruption"],
    ],
    defaults: {
      out: "crawl-HOST, or crawl-NAME of --file NAME.txt",
      job: crawlJobDefault,
      api: "none",
      "log-level": logLevelDefault,
    },
  } as const;
  return newCommand(text, settingNames)
    .argument("[url...]", "where to start, or - for standard input; not needed to continue a crawl")
    .addOption(fileOption("read the URLs to start from out of a file, one a line"))
    .action((urls: string[], _options: unknown, command: Command) => crawl(context, command, urls));
}

/** A crawl, as it was asked for, with all that it takes. */
interface CrawlRequest {
  readonly plan: CrawlPlan;
  readonly values: SettingValues;
  readonly seeds: CrawlSeeds;
  readonly rejections: Rejections;
}

async function crawl(context: CommandContext, command: Command, urls: string[]): Promise<void> {
  const { terminal } = context;
  let display: ProgressDisplay | undefined;
  const say: Say = (lines) => {
    if (display === undefined) void terminal.stderr.write(lines);
    else display.print(lines);
  };
  const fail = (): void => context.finish(exitCodes.failed);
  const request = await requestOf(context, command, urls, say);
  const { plan, values } = request;
  const stop = new StopRequest(terminal);
  /** Whether there was nothing left to do. */
  let again = false;
  /** URLs that are listed as broken. */
  let broken: number | undefined;
  let left: SeedsLeft | undefined;
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
      leave: () => {
        stop.ask();
        return Promise.resolve(undefined);
      },
    });
    try {
      const before = jobBefore(session.control, plan);
      await begin(plan, values, before);
      await sayContact(context, command, values);
      const fetchedBefore = before ? answeredUrls(before.counts) : 0;
      const standstill = new Standstill(
        answersOf(session.control),
        { ...plan, fetchedBefore },
        terminal.clock,
      );
      display = new ProgressDisplay(terminal, () => viewOf(session.control, plan, standstill));
      if (before?.definition.state === "paused") await resume(session, plan, say);
      left = await SeedsLeft.of(plan);
      const whole = await injectSeeds(session, request, before, { display, left, say, stop });
      if (whole === undefined) {
        context.finish(stop.exitCode || exitCodes.failed);
        return;
      }
      again = whole && isUntouched(session.control.job(plan.job), before);
      if (whole) {
        await untilEnd(session, plan.job, stop, display);
        const end = { again, isStopped: stop.signal.aborted, left, plan, standstill };
        await sayEnd(session.control, end, { fail, say });
      }
      broken = await listAtEnd(session, plan, stop.signal);
      await display.stop();
      broken ??= await closeWithList(session, plan, stop, terminal.clock);
    } finally {
      await display?.stop();
      await stop.within(() => session.close());
    }
    const summary = summaryOf(session.control, plan, left, broken);
    if (!summary.finished) context.finish(stop.exitCode || exitCodes.failed);
    await finish(context, command, summary, { again, control: session.control, left, plan });
  } finally {
    request.seeds.close();
    stop.dispose();
  }
}

/** What the command line asks for. Of a file only so much is read as it takes to find a seed. */
async function requestOf(
  context: CommandContext,
  command: Command,
  urls: readonly string[],
  say: Say,
): Promise<CrawlRequest> {
  const given = await settingsOf(context, command, settingNames);
  const rejections = new Rejections((each) => say(rejectedText(each, source)));
  const file = command.opts()["file"] as string | undefined;
  const source = urlSource(context.terminal, urls, file, rejections);
  const out = dataDirOf(source, urls, given.out);
  // Seeds are for the job that the command line says: the same command has to continue the same crawl, whichever was last.
  const recall = source === undefined ? recallSettings : recallNetwork;
  const values = { ...(await recall(out)), ...given };
  const allowPrivate = values["allow-private"] === true;
  if (!allowPrivate && source?.file === undefined) checkAddresses(urls);
  const reading = CrawlSeeds.read(source, allowPrivate, rejections);
  const seeds = await toldIfSlow(reading, source?.name, context.terminal.clock, say);
  if (seeds.first.length === 0) say(rejections.restText);
  return { plan: await planOf(source, seeds, out, values.job), values, seeds, rejections };
}

function rejectedText({ input: url, line, reason }: Rejection, source?: UrlSource): string {
  // The peer that refuses it is this one, and can be told otherwise.
  return reason === "address-forbidden"
    ? inputText({ url, line }, privateAddressText, source?.name)
    : rejectionText({ url, line }, reason, source?.name);
}

/** From now on the directory has the settings of this run, and no results of one before. */
async function begin(
  { out }: CrawlPlan,
  values: SettingValues,
  before: JobReport | undefined,
): Promise<void> {
  await rememberSettings(out, values);
  if (before) await forgetResults(out);
}

/** Lets a job go on that was paused in an earlier run: this is what the crawl is run again for. */
async function resume({ control }: PeerSession, { job }: CrawlPlan, say: Say): Promise<void> {
  await control.changeJob(job, "resume");
  say(`job ${job} was paused, and goes on\n`);
}

/**
 * Injects the seeds and says what comes of it. Returns whether those were all: false where a stop was asked for, undefined
 * where that was before there was a job.
 */
async function injectSeeds(
  { control, broken }: PeerSession,
  { plan: { file, job, out, urls }, rejections, seeds, values }: CrawlRequest,
  before: JobReport | undefined,
  {
    display,
    left,
    say,
    stop,
  }: { display: ProgressDisplay; left: SeedsLeft; say: Say; stop: StopRequest },
): Promise<boolean | undefined> {
  let batches = 0;
  let taken = 0;
  let continues = false;
  const whole = await seeds.injectAll({
    control,
    job,
    options: jobOptionsOf(values),
    ends: [stop.asked(), broken],
    onBatch: ({ added, changed = [], known }) => {
      batches += 1;
      taken += added + known;
      say(changesText(job, changed));
      if (before !== undefined && !continues && !(before.finished && added === 0)) {
        continues = true;
        say(continuationText(out, before));
      }
      // A long file is injected while its first pages are fetched.
      const isMade = before !== undefined || taken > 0;
      if (isMade && (batches > 1 || !control.job(job).finished)) display.start();
    },
  });
  if (whole) await left.taken();
  if (urls.length > 0) say(rejections.restText);
  const isInVain = whole && (before === undefined || file === undefined);
  if (urls.length > 0 && taken === 0 && isInVain) {
    throw usageError("no URL is left to start from");
  }
  if (whole || before !== undefined || taken > 0) return whole;
  say("stopped before any URL was taken; the same command begins again\n");
  return undefined;
}

function continuationText(out: string, { counts: { pages, queued } }: JobReport): string {
  return `continuing in ${out}: ${counted(pages, "page")} so far, ${formatCount(queued)} queued\n`;
}

/** Whether a job that was finished before had nothing to do since. */
function isUntouched({ counts, finished }: JobReport, before: JobReport | undefined): boolean {
  return finished && before?.finished === true && counts.requests === before.counts.requests;
}

function answersOf(control: PeerControl): QueueAnswers {
  return {
    host: (name) => control.host(name),
    queued: async (job) => (await control.urls(job, { state: "queued" })).urls,
  };
}

async function viewOf(
  control: PeerControl,
  plan: CrawlPlan,
  standstill: Standstill,
): Promise<ProgressView> {
  // A peer that has just broken cannot be asked any more, and what broke it is told as it ends.
  const stats = control.stats();
  const { counts, definition, finished } = control.job(plan.job);
  const view = progressView(stats, plan.job, plan.title);
  if (definition.state === "paused" && !finished) {
    return { ...view, trouble: resumeText(plan.job, ` --data ${shellWord(plan.out)}`) };
  }
  const figures = {
    fetched: answeredUrls(counts),
    openRequests: stats.openRequests,
    isRunning: !finished,
  };
  const trouble = await standstill.text(figures).catch((error: unknown) => {
    if (!(error instanceof CrawlError)) throw error;
    return undefined;
  });
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
  await Promise.race([control.jobFinished(job, stop.signal), stop.asked(), broken]);
}

/** Lists what is broken where nothing is left to do, however long that takes. */
async function listAtEnd(
  { control }: PeerSession,
  { job, out }: CrawlPlan,
  signal: AbortSignal,
): Promise<number | undefined> {
  const report = control.job(job);
  return report.finished ? writeBrokenUrls(control, report, out, signal) : undefined;
}

/** Stops the peer, and lists what is broken when its requests have ended, where that is soon. */
async function closeWithList(
  session: PeerSession,
  { job, out }: CrawlPlan,
  stop: StopRequest,
  clock: Clock,
): Promise<number | undefined> {
  const { control } = session;
  const over = new AbortController();
  const timedOut = clock.sleep(stoppedListMsMax, over.signal).then(() => over.abort());
  let listing = Promise.resolve<number | undefined>(undefined);
  const atRest = async (): Promise<void> => {
    listing = writeBrokenUrls(control, control.job(job), out, over.signal);
    await Promise.allSettled([listing]);
  };
  await stop.within(() => session.close(atRest)).finally(() => over.abort());
  await timedOut;
  return listing;
}

function summaryOf(
  control: PeerControl,
  { job, out }: CrawlPlan,
  left: SeedsLeft,
  broken: number | undefined,
): CrawlSummary {
  const report = control.job(job);
  const finished = report.finished && !isCancelled(report) && left.file === undefined;
  return crawlSummary({ ...report, finished }, control.stats().archiveFiles, out, broken);
}

/** `left` are the seeds that are not in yet. */
async function finish(
  context: CommandContext,
  command: Command,
  summary: CrawlSummary,
  {
    again,
    control,
    left,
    plan,
  }: { again: boolean; control: PeerControl; left: SeedsLeft; plan: CrawlPlan },
): Promise<void> {
  const { stderr } = context.terminal;
  await writeSummary(summary);
  const cancelled = isCancelled(control.job(plan.job));
  const head = cancelled ? "cancelled; what was fetched is kept" : headOf(summary, again);
  await printDocument(context, command, summary, () => `${head}\n${renderSummary(summary)}`);
  if (cancelled) await stderr.write(`peer: ${cancelledText(plan)}\n`);
  else if (!summary.finished) await stderr.write(await adviceText(summary, left));
  await stderr.write(othersLeftText(control, plan));
}

function headOf({ finished, fetched }: CrawlSummary, again: boolean): string {
  if (!finished) return "stopped; everything is kept";
  if (fetched === 0) return "ended with nothing fetched";
  return again ? "already finished" : "finished";
}
