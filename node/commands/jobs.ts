import type { Command } from "commander";
import type { JobChange } from "../../src/ports/peer-control.ts";
import { jobStateText, renderJob, renderJobs } from "../text/job-text.ts";
import {
  clientOf,
  clientSettingNames,
  newCommand,
  printJson,
  wantsJson,
  type CommandContext,
} from "./command-context.ts";

const changes: readonly (readonly [change: JobChange, summary: string, does: string])[] = [
  ["pause", "stop fetching for a job; its queue is kept", "let the site rest"],
  ["resume", "let a paused job go on", "go on"],
  ["cancel", "end a job for good; what is queued is dropped", "never mind the rest"],
];

/** `peer jobs`: list, show and steer the jobs of the running peer. */
export function jobsCommand(context: CommandContext): Command {
  const text = {
    name: "jobs",
    summary: "list the jobs, or show, pause, resume or cancel one",
    examples: [
      ["peer jobs", "all jobs"],
      ["peer jobs pause docs", "pause one"],
    ],
  } as const;
  // The commands below take the same options; each is to see its own.
  const jobs = newCommand(text, clientSettingNames)
    .enablePositionalOptions()
    .action(async (_options: unknown, command: Command) => {
      const reports = await (await clientOf(context, command)).jobs();
      if (wantsJson(command)) await printJson(context, reports);
      else if (reports.length > 0) await context.terminal.stdout.write(renderJobs(reports));
      else await context.terminal.stdout.write("no jobs; peer inject URL makes one\n");
    });
  jobs.addCommand(showCommand(context));
  for (const [change, summary, does] of changes) {
    const example = [`peer jobs ${change} docs`, does] as const;
    jobs.addCommand(changeCommand(context, change, { name: change, summary, examples: [example] }));
  }
  return jobs;
}

function showCommand(context: CommandContext): Command {
  const text = {
    name: "show",
    summary: "show a job with its options and counts",
    examples: [["peer jobs show docs", "how far is it, and what did it skip?"]],
  } as const;
  return newCommand(text, clientSettingNames)
    .argument("<id>", "the job's name")
    .action(async (id: string, _options: unknown, command: Command) => {
      const report = await (await clientOf(context, command)).job(id);
      if (wantsJson(command)) await printJson(context, report);
      else await context.terminal.stdout.write(renderJob(report));
    });
}

function changeCommand(
  context: CommandContext,
  change: JobChange,
  text: Parameters<typeof newCommand>[0],
): Command {
  return newCommand(text, clientSettingNames)
    .argument("<id>", "the job's name")
    .action(async (id: string, _options: unknown, command: Command) => {
      const report = await (await clientOf(context, command)).changeJob(id, change);
      if (wantsJson(command)) await printJson(context, report);
      else await context.terminal.stdout.write(`job ${id} is ${jobStateText(report)}\n`);
    });
}
