import type { Command } from "commander";
import { CrawlError } from "../../src/core/errors.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { StatsDocument } from "../../src/adapters/http-api/peer-routes.ts";
import type { JobId, Millis } from "../../src/core/units.ts";
import type { JobReport } from "../../src/ports/peer-control.ts";
import type { ApiClient } from "../api-client.ts";
import { defaultProgressDisplayOptions, ProgressDisplay } from "../dashboard/progress-display.ts";
import type { ProgressView } from "../dashboard/progress-view.ts";
import { ProgressWatch } from "../dashboard/progress-watch.ts";
import { Standstill, type QueueAnswers } from "../dashboard/standstill.ts";
import { exitCodes } from "../error-line.ts";
import { StopRequest } from "../stop-request.ts";
import { renderJobs } from "../text/job-text.ts";
import {
  clientOf,
  clientSettingNames,
  colorWanted,
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
  const stop = new StopRequest(terminal);
  const title = job === undefined ? "waiting for all jobs" : `waiting for job ${job}`;
  const { clock } = terminal;
  const watch = new ProgressWatch({ jobs: reports }, job, title, clock.nowMs());
  const ending = new AbortController();
  const obstacle = obstacleTeller(
    client,
    job,
    clock,
    AbortSignal.any([stop.signal, ending.signal]),
  );
  const view = viewer(watch, clock, obstacle, () => client.stats(stop.signal));
  const display = new ProgressDisplay(terminal.stderr, clock, view, {
    ...defaultProgressDisplayOptions,
    color: colorWanted(terminal),
  });
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
  for (const { definition, finished } of reports) {
    if (finished) continue;
    context.finish(exitCodes.failed);
    await terminal.stderr.write(haltedText(definition.id));
  }
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
  obstacle: ObstacleTeller,
  ask: () => Promise<StatsDocument>,
): () => Promise<ProgressView> {
  return async () => {
    try {
      const stats = await ask();
      const view = watch.observe(stats, clock.nowMs());
      const trouble = await obstacle(stats, clock.nowMs());
      return { ...view, ...(trouble !== undefined && { trouble }) };
    } catch (error) {
      if (!(error instanceof CrawlError)) throw error;
      return watch.last;
    }
  };
}

/** How much longer than a look took nothing is asked: where there are ten thousand jobs, a host's queues take a second. */
const restShare = 9;

/** What keeps the first job that runs back, where it stands still. */
type ObstacleTeller = (stats: StatsDocument, nowMs: Millis) => Promise<string | undefined>;

function obstacleTeller(
  client: ApiClient,
  job: string | undefined,
  clock: Clock,
  signal: AbortSignal,
): ObstacleTeller {
  const answers: QueueAnswers = {
    host: (name) => client.host(name, signal),
    queued: async (id) => {
      const first = await client.urls(id, { state: "queued" }, signal).next();
      return first.done === true ? [] : first.value;
    },
  };
  let watched: { readonly id: JobId; readonly standstill: Standstill } | undefined;
  let told: string | undefined;
  let lookAtMs: Millis = -Infinity;
  return async ({ jobs, openRequests }, nowMs) => {
    if (nowMs < lookAtMs) return told;
    const first = jobs.find(
      (one) => (job === undefined || one.definition.id === job) && goesOn(one),
    );
    told = undefined;
    if (first === undefined) return undefined;
    const { id } = first.definition;
    const awaited = job === undefined ? jobs : [first];
    const fetched = awaited.reduce((sum, { counts }) => sum + counts.fetched, 0);
    if (watched?.id !== id) {
      const beginning = { job: id, urls: [], fetchedBefore: fetched };
      watched = { id, standstill: new Standstill(answers, beginning) };
    }
    // Whose requests are open is not known: beside another job that runs, what holds the hosts says whether one is asked.
    const isAlone =
      awaited.length === jobs.length || !jobs.some((one) => one !== first && goesOn(one));
    const figures = { fetched, openRequests: isAlone ? openRequests : 0, isRunning: true };
    told = await watched.standstill.text(figures, nowMs);
    const endMs = clock.nowMs();
    lookAtMs = endMs + restShare * (endMs - nowMs);
    return told;
  };
}

function goesOn({ definition, finished }: JobReport): boolean {
  return definition.state === "running" && !finished;
}
