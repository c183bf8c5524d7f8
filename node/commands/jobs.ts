import type { Command } from "commander";
import type { JobChange } from "../../src/ports/peer-control.ts";
import { renderJob, renderJobs } from "../text/job-text.ts";
import { questionCommand, refuseUnknown, type CommandContext } from "./command-context.ts";

const changes: readonly (readonly [change: JobChange, summary: string, does: string])[] = [
  ["pause", "stop fetching for a job; its queue is kept", "let the site rest"],
  ["resume", "let a paused job go on", "go on"],
  ["cancel", "end a job for good; what is queued is dropped", "never mind the rest"],
];

const word = ["id", "the job's name"] as const;

/** `peer jobs`: list, show and steer the jobs of the running peer. */
export function jobsCommand(context: CommandContext): Command {
  const text = {
    name: "jobs",
    summary: "list the jobs, or show, pause, resume or cancel one",
    examples: [
      ["peer jobs", "all jobs"],
      ["peer jobs show docs", "one in full, and which member has done what of it"],
      ["peer jobs pause docs", "pause one"],
    ],
    columns: [
      ["PAGES", "HTML pages, those unchanged since another job too"],
      ["FETCHED", "URLs that a server answered, with whatever status"],
      ["FAILED", "URLs given up after their last attempt"],
      ["SKIPPED", "URLs kept out; show tells why"],
      ["QUEUED", "URLs that wait to be fetched"],
      ["TIME", "spent crawling, at the member that took longest"],
    ],
  } as const;
  const jobs = questionCommand(context, text, {
    ask: (client) => client.jobs(),
    render: (reports) =>
      reports.length > 0 ? renderJobs(reports) : "no jobs; peer inject URL makes one\n",
  });
  // The commands below take the same options; each is to see its own first.
  jobs.enablePositionalOptions();
  jobs.allowExcessArguments().hook("preAction", (_, command) => {
    if (command === jobs) refuseUnknown(jobs, jobs.args);
  });
  jobs.addCommand(showCommand(context));
  for (const change of changes) jobs.addCommand(changeCommand(context, change));
  return jobs;
}

function showCommand(context: CommandContext): Command {
  const text = {
    name: "show",
    summary: "show a job with its options and counts",
    examples: [["peer jobs show docs", "how far is it, and what did it skip?"]],
  } as const;
  return questionCommand(context, text, {
    word,
    ask: (client, id) => client.job(id),
    render: renderJob,
  });
}

function changeCommand(
  context: CommandContext,
  [change, summary, does]: (typeof changes)[number],
): Command {
  const text = { name: change, summary, examples: [[`peer jobs ${change} docs`, does]] } as const;
  return questionCommand(context, text, {
    word,
    ask: (client, id) => client.changeJob(id, change),
    render: ({ definition: { id, state } }) => `job ${id} is ${state}\n`,
  });
}
