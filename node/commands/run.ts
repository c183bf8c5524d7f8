import type { Command } from "commander";
import { defaultHttpApiOptions } from "../../src/adapters/http-api/http-api-options.ts";
import type { JobId } from "../../src/core/units.ts";
import { jobOptionsOf, peerConfigOf } from "../config/from-settings.ts";
import {
  jobSettingNames,
  peerSettingNames,
  type SettingName,
  type SettingValues,
} from "../config/settings.ts";
import { usageError } from "../error-line.ts";
import { openSession, type PeerSession } from "../peer-session.ts";
import { StopRequest } from "../stop-request.ts";
import { nearest } from "../text/nearest.ts";
import {
  newCommand,
  printJson,
  settingsOf,
  wantsJson,
  type CommandContext,
} from "./command-context.ts";

const settingNames = [
  "data",
  "api",
  "seed",
  "job",
  ...jobSettingNames,
  ...peerSettingNames,
] as const satisfies readonly SettingName[];

const dataDirDefault = "orbweaver-data";

/** Job of seeds and injections that name none. */
export const jobDefault = "default";

/** `peer` and `peer run`: a peer that runs until it is told to stop. `commands` are the names it is not to take for itself. */
export function runCommand(context: CommandContext, commands: () => readonly string[]): Command {
  const text = {
    name: "run",
    summary: "run a peer that takes URLs until it is told to stop (the default command)",
    examples: [
      ["peer", `a peer with its data in ./${dataDirDefault}`],
      [
        "peer --data crawls --seed https://example.com/ --contact https://example.org/crawler",
        "with something to do, and an address to turn to",
      ],
    ],
    defaults: { data: dataDirDefault, job: jobDefault },
  } as const;
  return newCommand(text, settingNames)
    .allowExcessArguments()
    .action(async (_options: unknown, command: Command) => {
      refuseWords(command.args, commands());
      await run(context, command, await settingsOf(context, command, settingNames));
    });
}

/** A word that is no option is a command that there is not. */
function refuseWords([word]: readonly string[], commands: readonly string[]): void {
  if (word === undefined) return;
  const meant = nearest(word, commands);
  const advice =
    meant === undefined ? "peer --help lists the commands" : `did you mean "peer ${meant}"?`;
  throw usageError(`there is no command ${JSON.stringify(word)}; ${advice}`);
}

async function run(
  context: CommandContext,
  command: Command,
  values: SettingValues,
): Promise<void> {
  const { terminal } = context;
  const dataDir = values.data ?? dataDirDefault;
  const stop = new StopRequest(terminal);
  try {
    const session = await openSession({
      config: peerConfigOf(values, { dataDir, version: context.version }),
      composePeer: context.composePeer,
      api: values.api ?? defaultHttpApiOptions,
      leave: () => stop.ask(),
    });
    try {
      await injectSeeds(context, session, values);
      await sayReady(context, command, session, dataDir);
      const asked = stop.asked();
      await (session.broken === undefined ? asked : Promise.race([asked, session.broken]));
    } finally {
      await stop.within(() => session.close());
    }
    if (stop.exitCode !== 0) context.finish(stop.exitCode);
  } finally {
    stop.dispose();
  }
}

async function injectSeeds(
  { terminal }: CommandContext,
  { control }: PeerSession,
  values: SettingValues,
): Promise<void> {
  if (values.seed === undefined) return;
  const job = (values.job ?? jobDefault) as JobId;
  const { rejected } = await control.inject(job, values.seed, jobOptionsOf(values));
  for (const { input, reason } of rejected) {
    await terminal.stderr.write(`peer: ${JSON.stringify(input)} is not crawled: ${reason}\n`);
  }
}

async function sayReady(
  context: CommandContext,
  command: Command,
  { control, apiUrl }: PeerSession,
  dataDir: string,
): Promise<void> {
  if (wantsJson(command)) {
    const ready = { event: "ready", peer: control.peerId, api: apiUrl, data: dataDir };
    await printJson(context, { ...ready, pid: process.pid });
    return;
  }
  await context.terminal.stdout.write(
    `peer ${control.peerId} runs in ${dataDir} and listens to ${apiUrl ?? ""}\n` +
      `  give it work:  peer inject https://example.com/\n` +
      `  watch it:      peer stats, peer wait\n` +
      `  stop it:       peer leave, or Ctrl-C\n`,
  );
}
