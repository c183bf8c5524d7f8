import type { Command } from "commander";
import { CrawlError } from "../../src/core/errors.ts";
import type { JobId } from "../../src/core/units.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { StatsDocument } from "../../src/adapters/http-api/peer-routes.ts";
import type { JobReport } from "../../src/ports/peer-control.ts";
import type { ApiClient } from "../api-client.ts";
import { JobObstacle } from "../dashboard/job-obstacle.ts";
import { ProgressDisplay } from "../dashboard/progress-display.ts";
import type { ProgressView } from "../dashboard/progress-view.ts";
import { ProgressWatch } from "../dashboard/progress-watch.ts";
import type { QueueAnswers } from "../dashboard/standstill.ts";
import { isCancelled } from "../crawl-plan.ts";
import { exitCodes } from "../error-line.ts";
import { StopRequest } from "../stop-request.ts";
import { renderJobs } from "../text/job-text.ts";
import {
  clientOf,
  clientSettingNames,
  newCommand,
  printDocument,
  settingsOf,
  type CommandContext,
} from "./command-context.ts";

/** Jobs that are waited for at once: each is a connection that stays open. */
const askedMax = 16;

/** `peer wait`: until a job, or every job, is finished. */
export function waitCommand(context: CommandContext): Command {
  const text = {
    name: "wait",
    summary: "wait until a job is finished, or all are; interrupting it does not stop the crawl",
    examples: [
      ["peer wait", "until nothing is left to do"],
      ["peer wait --job docs && peer get https://example.com/docs/", "then go on, at any peer"],
    ],
  } as const;
  return newCommand(text, ["job", ...clientSettingNames]).action(
    (_options: unknown, command: Command) => wait(context, command),
  );
}

async function wait(context: CommandContext, command: Command): Promise<void> {
  const { terminal } = context;
  const { job } = await settingsOf(context, command, ["job"]);
  const client = await clientOf(context, command);
  let reports: readonly JobReport[] = await jobsOf(client, job);
  /** Whoever waits for all jobs waits for none that was cancelled before. */
  const past = new Set(job === undefined ? reports.filter(isCancelled).map(idOf) : []);
  const stop = new StopRequest(terminal);
  const title = job === undefined ? "waiting for all jobs" : `waiting for job ${job}`;
  const { clock } = terminal;
  const watch = new ProgressWatch({ jobs: reports }, job, title, clock.nowMs());
  const ending = new AbortController();
  const answers = answersOf(client, AbortSignal.any([stop.signal, ending.signal]));
  const obstacle = new JobObstacle(answers, job, clock);
  const view = viewer(watch, clock, obstacle, () => client.stats(stop.signal));
  const display = new ProgressDisplay(terminal, view);
  try {
    if (reports.some(({ finished }) => !finished)) display.start();
    reports = await untilOver(client, job, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    context.finish(stop.exitCode);
    return;
  } finally {
    // Whoever holds a host may take seconds to answer, and it matters no more.
    ending.abort();
    await display.stop();
    stop.dispose();
  }
  await printDocument(context, command, job === undefined ? reports : reports[0], () =>
    reports.length === 0 ? "no jobs\n" : renderJobs(reports),
  );
  for (const report of reports) {
    const id = idOf(report);
    if (past.has(id) || (report.finished && !isCancelled(report))) continue;
    context.finish(exitCodes.failed);
    await terminal.stderr.write(isCancelled(report) ? cancelledText(id) : haltedText(id));
  }
}

function idOf({ definition }: JobReport): JobId {
  return definition.id;
}

/** Of a job that somebody has cut short: what follows it may need what it has not fetched. */
function cancelledText(job: string): string {
  return `peer: job ${job} was cancelled; what it had fetched by then is kept\n`;
}

/** Of a job whose wait is over though it is not finished. */
function haltedText(job: string): string {
  return (
    `peer: job ${job} is not finished, and cannot go on: all its hosts are halted; ` +
    `peer urls --job ${job} --state queued lists what is left, peer host NAME tells why\n`
  );
}

/**
 * The jobs as they stand when each is finished, or can go no further. One that looks finished is asked for all the same:
 * its URLs may be on their way from one member to another.
 */
async function untilOver(
  client: ApiClient,
  job: string | undefined,
  signal: AbortSignal,
): Promise<readonly JobReport[]> {
  const over = new Map<string, JobReport>();
  for (;;) {
    const known = await jobsOf(client, job, signal);
    const open = known.filter(({ definition }) => !over.has(definition.id)).slice(0, askedMax);
    if (open.length === 0) return known.map((each) => over.get(each.definition.id) ?? each);
    await Promise.all(
      open.map(async ({ definition: { id } }) => {
        const { over: isOver, ...report } = await client.waitForJob(id, signal);
        if (isOver) over.set(id, report);
      }),
    );
  }
}

async function jobsOf(
  client: ApiClient,
  job: string | undefined,
  signal?: AbortSignal,
): Promise<readonly JobReport[]> {
  return job === undefined ? client.jobs(signal) : [await client.job(job, signal)];
}

/** Views of the remote peer; where it cannot be asked the last one stays, and the wait itself says what is wrong. */
function viewer(
  watch: ProgressWatch,
  clock: Clock,
  obstacle: JobObstacle,
  ask: () => Promise<StatsDocument>,
): () => Promise<ProgressView> {
  return async () => {
    try {
      const stats = await ask();
      const view = watch.observe(stats, clock.nowMs());
      const trouble = await obstacle.text(stats);
      return { ...view, ...(trouble !== undefined && { trouble }) };
    } catch (error) {
      if (!(error instanceof CrawlError)) throw error;
      return watch.last;
    }
  };
}

function answersOf(client: ApiClient, signal: AbortSignal): QueueAnswers {
  return {
    host: (name) => client.host(name, signal),
    queued: async (id) => {
      const first = await client.urls(id, { state: "queued" }, signal).next();
      return first.done === true ? [] : first.value;
    },
  };
}
