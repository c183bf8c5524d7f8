import { Option, type Command } from "commander";
import { defaultHttpApiOptions } from "../../src/adapters/http-api/http-api-options.ts";
import { CrawlError } from "../../src/core/errors.ts";
import { defaultJob, type JobOptions } from "../../src/core/jobs/job-definition.ts";
import { formatCount } from "../../src/core/text/human.ts";
import type { JobId, Millis } from "../../src/core/units.ts";
import type { JobReport } from "../../src/ports/peer-control.ts";
import { recallNetwork } from "../config/crawl-memory.ts";
import { jobOptionsOf, peerConfigOf } from "../config/from-settings.ts";
import {
  jobSettingNames,
  peerSettingNames,
  settings,
  swarmSettingNames,
  type SettingName,
  type SettingValues,
} from "../config/settings.ts";
import { contactNote } from "../config/user-agent.ts";
import { exitCodes } from "../error-line.ts";
import { PeerNotes } from "../peer-notes.ts";
import { openSession, type PeerSession } from "../peer-session.ts";
import { StopRequest } from "../stop-request.ts";
import type { Terminal } from "../terminal.ts";
import { shortAddress, shortId } from "../text/member-text.ts";
import { shellWord } from "../text/terminal-text.ts";
import { rejectionText } from "../url-file.ts";
import {
  newCommand,
  printJson,
  refuseUnknown,
  settingsOf,
  wantsJson,
  type CommandContext,
} from "./command-context.ts";

const settingNames = [
  "data",
  "api",
  "seed",
  "job",
  ...swarmSettingNames,
  ...jobSettingNames,
  ...peerSettingNames,
] as const satisfies readonly SettingName[];

const dataDirDefault = "orbweaver-data";

/**
 * Tells a peer to stop where its standard input ends: for a program that starts peers, and holds the other end of a pipe for
 * as long as it lives. Not for people, whose shells and service managers give a peer an input that is at its end.
 */
export const untilInputEndsFlag = "--until-input-ends";

/** Unfinished jobs that are named at the start. */
const jobsShownMax = 5;

/** Pause until seeds that the swarm has not taken are injected again; each attempt waits for an answer longer than that. */
const seedsAgainMs: Millis = 1_000;

const seedsAgainLine = "peer: --seed is tried again until the swarm takes it\n";

/** `peer` and `peer run`: a peer that runs until it is told to stop. */
export function runCommand(context: CommandContext): Command {
  const text = {
    name: "run",
    summary: "run a peer that takes URLs until it is told to stop (the default command)",
    examples: [
      ["peer", `a peer with its data in ./${dataDirDefault}`],
      [
        "peer --data crawls --seed https://example.com/ --contact mail@example.org",
        "with something to do, and an address to turn to",
      ],
      ["peer --listen 192.0.2.1:7781 --swarm-key swarm.key", "begin a swarm that others join"],
      ["peer --join 192.0.2.1:7781 --swarm-key swarm.key", "join it, from another machine"],
    ],
    defaults: { data: dataDirDefault, job: defaultJob },
    jobSettingsTitle: "What to crawl from --seed:",
  } as const;
  return newCommand(text, settingNames)
    .addOption(new Option(untilInputEndsFlag).hideHelp())
    .allowExcessArguments()
    .action(async (_options: unknown, command: Command) => {
      // A word that is no option is a command that there is not.
      refuseUnknown(command.parent ?? command, command.args);
      const given = await settingsOf(context, command, settingNames);
      const notes = new PeerNotes(context.terminal, given["log-format"]);
      try {
        await run(context, command, given, notes);
      } catch (error) {
        if (!notes.isJson) throw error;
        context.finish(await notes.fail("peer-failed", error));
      }
    });
}

async function run(
  context: CommandContext,
  command: Command,
  given: SettingValues,
  notes: PeerNotes,
): Promise<void> {
  const { terminal } = context;
  const dataDir = given.data ?? dataDirDefault;
  const kept = await recallNetwork(dataDir);
  const values = { ...kept, ...given };
  const stop = new StopRequest(terminal);
  const leaving = Promise.withResolvers<undefined>();
  const handedOver = Promise.withResolvers<boolean | undefined>();
  const untilInputEnds = command.opts()["untilInputEnds"] === true;
  if (untilInputEnds) void inputEnd(terminal).then(() => stop.ask());
  try {
    const session = await openSession({
      config: peerConfigOf(values, { dataDir, version: context.version }),
      composePeer: context.composePeer,
      api: values.api ?? defaultHttpApiOptions,
      leave: () => {
        leaving.resolve(undefined);
        return handedOver.promise;
      },
    });
    try {
      const goesOn = continuationLines(session.control.jobs(), namesMissing(kept, given));
      // Seeds of a swarm need their owners; who waits for this peer to be ready must not wait for those.
      if (session.swarm === undefined) await injectSeeds(notes, session, values);
      if (!wantsJson(command)) await notes.say("info", "no-contact", contactNote(values) ?? "");
      await notes.say("warn", "settings-without-seed", idleText(given));
      await sayReady(context, command, session, { dataDir, goesOn });
      const ends = [stop.asked(), session.broken];
      if (session.swarm !== undefined) {
        const seeding = new AbortController();
        const seeds = injectIntoSwarm(context, notes, session, values, seeding.signal);
        await Promise.race([seeds, leaving.promise, ...ends]).finally(() => seeding.abort());
      }
      await Promise.race([leaving.promise, ...ends]);
      if (!stop.signal.aborted) {
        await Promise.race([leave(context, notes, session).then(handedOver.resolve), ...ends]);
      }
    } finally {
      // Where it stops for another reason meanwhile, who waits for that must not take it for done.
      if (session.swarm !== undefined) handedOver.resolve(false);
      await stop.within(() => session.close());
    }
    if (stop.exitCode !== 0) context.finish(stop.exitCode);
  } finally {
    if (untilInputEnds) terminal.closeStdin();
    stop.dispose();
  }
}

/** Resolves when nobody can write to standard input any more. */
async function inputEnd({ stdin }: Terminal): Promise<void> {
  const reader = stdin[Symbol.asyncIterator]();
  try {
    while ((await reader.next()).done !== true);
  } catch {
    // Broken or closed, it has come to its end as well.
  }
}

/** Hands over to the rest of the swarm, if there is one, and tells whether that was everything. */
async function leave(
  { finish }: CommandContext,
  notes: PeerNotes,
  { swarm }: PeerSession,
): Promise<boolean | undefined> {
  const isWhole = await swarm?.leave();
  if (isWhole !== false) return isWhole;
  const line =
    "peer: not everything could be handed over in time; it is kept here, and goes on when this peer joins again\n";
  await notes.say("warn", "not-handed-over", line);
  finish(exitCodes.failed);
  return false;
}

/**
 * Injects the seeds once the swarm takes them: a member that has not found it yet, or whose swarm is busy, is not broken. Nor
 * is one, after its first attempt, where others have cancelled the job meanwhile, or made it another one.
 */
async function injectIntoSwarm(
  { terminal: { clock } }: CommandContext,
  notes: PeerNotes,
  session: PeerSession,
  values: SettingValues,
  signal: AbortSignal,
): Promise<void> {
  let options = jobOptionsOf(values);
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const refusal = await refusalOf(injectSeeds(notes, session, values, options));
    if (refusal === undefined) return;
    const isBusy = refusal.code === "SWARM_BUSY";
    if (isFirst && !isBusy) throw refusal;
    const goesOn = isBusy && !isOver(signal);
    if (isFirst || !isBusy) {
      await notes.fail("seeds-refused", refusal, goesOn ? seedsAgainLine : "");
    }
    if (!goesOn) return;
    // The job is as they say, and others may change it until its seeds are taken.
    if ("open" in refusal.details) options = {};
    await clock.sleep(seedsAgainMs, signal);
  }
}

/** Why it was not done, where that is no fault of this program. */
async function refusalOf(action: Promise<void>): Promise<CrawlError | undefined> {
  try {
    await action;
    return undefined;
  } catch (error) {
    if (error instanceof CrawlError) return error;
    throw error;
  }
}

/** It may have aborted during an await. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

async function injectSeeds(
  notes: PeerNotes,
  { control }: PeerSession,
  values: SettingValues,
  options: Partial<JobOptions> = jobOptionsOf(values),
): Promise<void> {
  if (values.seed === undefined) return;
  const job = (values.job ?? defaultJob) as JobId;
  const { rejected } = await control.inject(job, values.seed, options);
  for (const { input, reason } of rejected) {
    const text = rejectionText({ url: input }, reason);
    await notes.say("warn", "seed-rejected", text, { url: input, reason });
  }
}

/** A line that names the job's settings which have no seed to hold for; empty where there are none. */
function idleText(given: SettingValues): string {
  if (given.seed !== undefined) return "";
  const idle = (["job", ...jobSettingNames] as const).filter((name) => given[name] !== undefined);
  if (idle.length === 0) return "";
  const [hold, take] = idle.length === 1 ? ["holds", "it"] : ["hold", "them"];
  const isOff = (name: SettingName): boolean => "negated" in settings[name] && !given[name];
  const flags = idle.map((name) => `--${isOff(name) ? "no-" : ""}${name}`).join(", ");
  return `peer: ${flags} ${hold} only for --seed, and none is given; peer inject takes ${take} too\n`;
}

async function sayReady(
  context: CommandContext,
  command: Command,
  { control, apiUrl, swarm }: PeerSession,
  { dataDir, goesOn }: { readonly dataDir: string; readonly goesOn: string },
): Promise<void> {
  if (wantsJson(command)) {
    const ready = { event: "ready", peer: control.peerId, api: apiUrl, data: dataDir };
    await printJson(context, {
      ...ready,
      pid: process.pid,
      ...(swarm && { addresses: swarm.addresses }),
    });
    return;
  }
  // Commands look for a peer at the usual address, unless they are told where it is.
  const { host, port } = defaultHttpApiOptions;
  const place = apiUrl === `http://${host}:${port}` ? "" : ` --data ${shellWord(dataDir)}`;
  await context.terminal.stdout.write(
    `peer ${shortId(control.peerId)} runs in ${dataDir} and listens to ${apiUrl ?? ""}\n` +
      goesOn +
      (swarm === undefined ? "" : swarmLines(swarm.addresses, place)) +
      `  give it work:  peer inject https://example.com/${place}\n` +
      `  watch it:      peer stats${place}, peer wait${place}, or a browser at the address above\n` +
      `  stop it:       peer leave${place}, or Ctrl-C\n`,
  );
}

function swarmLines(addresses: readonly string[], place: string): string {
  const shown = addresses.map(shortAddress);
  return `  others join by --join ${shown.join(" or ")}\n  its swarm:     peer members${place}\n`;
}

/** What is left of earlier runs, and which of a crawl's settings hold for it that nobody has given now. */
function continuationLines(jobs: readonly JobReport[], settingsKept: readonly string[]): string {
  const left = jobs.filter(({ finished }) => !finished);
  const shown = left.slice(0, jobsShownMax).map(({ definition: { id, state }, counts }) => {
    const queued = `${formatCount(counts.queued)} queued`;
    return `job ${id}: ${state === "paused" ? `paused, ${queued}` : queued}`;
  });
  if (left.length > shown.length) shown.push(`${formatCount(left.length - shown.length)} more`);
  return (
    (shown.length === 0 ? "" : `  goes on with:  ${shown.join("; ")}\n`) +
    (settingsKept.length === 0 ? "" : `  set as before: ${settingsKept.join(", ")}\n`)
  );
}

/** The settings of `kept` that `given` has not, as flags. */
function namesMissing(kept: SettingValues, given: SettingValues): string[] {
  return Object.keys(kept)
    .filter((name) => !(name in given))
    .map((name) => `--${name}`);
}
