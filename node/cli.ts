import { Command, CommanderError } from "commander";
import { crawlCommand } from "./commands/crawl.ts";
import { getCommand } from "./commands/get.ts";
import { hostCommand } from "./commands/host.ts";
import { injectCommand } from "./commands/inject.ts";
import { jobsCommand } from "./commands/jobs.ts";
import { leaveCommand } from "./commands/leave.ts";
import { keyCommand } from "./commands/key.ts";
import { membersCommand } from "./commands/members.ts";
import { runCommand } from "./commands/run.ts";
import { statsCommand } from "./commands/stats.ts";
import { statusCommand } from "./commands/status.ts";
import { urlsCommand } from "./commands/urls.ts";
import { waitCommand } from "./commands/wait.ts";
import {
  commandPath,
  examplesText,
  refuseUnknown,
  type CommandContext,
  type Example,
} from "./commands/command-context.ts";
import { errorReport, exitCodes } from "./error-line.ts";
import type { ComposePeer } from "./peer-session.ts";
import type { Terminal } from "./terminal.ts";
import { packageVersion } from "./version.ts";

const description =
  "Orbweaver crawls the web politely and loses nothing. Without a command it runs a peer.";

const examples: readonly Example[] = [
  ["peer crawl https://example.com/", "a whole site, into ./crawl-example.com"],
  ["peer --listen 192.0.2.1:7781", "a peer that runs on, and begins a swarm"],
  ["peer --join 192.0.2.1:7781", "another peer of that swarm, on another machine"],
  ["peer inject https://example.com/ --job docs", "something to do, at any of them"],
];

const closing = `
Exit codes: 0 done, 1 failed, 2 used wrongly; 130 after Ctrl-C, 143 after
SIGTERM, 129 when the terminal is gone.
Every setting of a peer and of a job can be set as ORBWEAVER_NAME in the
environment or as "name" in a --config file; flags win.`;

/**
 * Runs one command line (without the names of the interpreter and the program) to its end, and returns the exit code.
 * Never throws for what a user or the world did.
 */
export async function runCli(
  words: readonly string[],
  terminal: Terminal,
  composePeer: ComposePeer = composeRealPeer,
): Promise<number> {
  let exitCode: number = exitCodes.done;
  const context: CommandContext = {
    terminal,
    version: packageVersion(),
    composePeer,
    finish: (code) => {
      exitCode = code;
      terminal.endWith(code);
    },
  };
  try {
    const program = programOf(context);
    refuseHelp(program, words);
    await program.parseAsync(otherHelp(words) ?? words, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usedWrongly;
    }
    const report = errorReport(error);
    await terminal.stderr.write(report.text);
    return report.exitCode;
  }
}

/** Loaded only by the commands that run a peer: the others start in a fraction of the time. */
const composeRealPeer: ComposePeer = async (config, withMetrics) => {
  const { composePeer } = await import("./compose-peer.ts");
  return composePeer(config, withMetrics);
};

/** Commands that are named which take an option. */
const takersShownMax = 3;

type LateCommand = readonly [
  name: string,
  description: string,
  load: () => Promise<(context: CommandContext) => Command>,
];

/** Commands that would make all others start slowly. */
const lateCommands: readonly LateCommand[] = [
  [
    "demo",
    "crawl a built-in sample web and prove that nothing was lost; needs no network",
    async () => (await import("./commands/demo.ts")).demoCommand,
  ],
  [
    "sim",
    "simulate a swarm through faults in virtual time and check that its promises hold",
    async () => (await import("./commands/sim.ts")).simCommand,
  ],
];

/**
 * `help demo` as `demo --help`: a late command has to be loaded before it can tell of itself. And `help jobs pause` as
 * `jobs pause --help`: Commander would tell of `jobs`.
 */
function otherHelp([word, ...rest]: readonly string[]): readonly string[] | undefined {
  const isLate = lateCommands.some(([name]) => name === rest[0]);
  const isBelow = rest.length > 1 && rest[0] !== "help";
  return word === "help" && (isLate || isBelow) ? [...rest, "--help"] : undefined;
}

/** Refuses to help with a command that there is not: Commander would tell of the one above it instead. */
function refuseHelp(program: Command, [word, ...names]: readonly string[]): void {
  if (word !== "help" || names[0] === "help") return;
  let command = program;
  for (const name of names) {
    if (name.startsWith("-") || command.commands.length === 0) return;
    const named: Command | undefined = command.commands.find((each) => each.name() === name);
    if (named === undefined) refuseUnknown(command, [name]);
    command = named ?? command;
  }
}

function programOf(context: CommandContext): Command {
  const program = new Command("peer")
    .description(description)
    .version(context.version, "--version", "print the version")
    .enablePositionalOptions()
    .addHelpText("after", () => `${examplesText(examples)}\n${closing}`);
  program.addCommand(runCommand(context), { isDefault: true });
  program.addCommand(crawlCommand(context));
  program.addCommand(injectCommand(context));
  program.addCommand(statusCommand(context));
  program.addCommand(urlsCommand(context));
  program.addCommand(getCommand(context));
  program.addCommand(waitCommand(context));
  program.addCommand(statsCommand(context));
  program.addCommand(jobsCommand(context));
  program.addCommand(hostCommand(context));
  program.addCommand(membersCommand(context));
  program.addCommand(leaveCommand(context));
  program.addCommand(keyCommand(context));
  for (const late of lateCommands) program.addCommand(standIn(context, late, program));
  for (const command of [program, ...program.commands, ...subcommands(program)]) {
    adapt(command, context.terminal, program);
  }
  return program;
}

function subcommands(program: Command): Command[] {
  return program.commands.flatMap(({ commands }) => [...commands]);
}

/** Stands for a command that brings a whole world with it, until it is asked for. */
function standIn(
  context: CommandContext,
  [name, description, load]: LateCommand,
  program: Command,
): Command {
  return new Command(name)
    .description(description)
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .usage("[options]")
    .action(async (_options: unknown, given: Command) => {
      // Its own parent is none; with its full name its help is as that of any other.
      const command = (await load())(context).name(`peer ${name}`);
      adapt(command, context.terminal, program);
      await command.parseAsync(given.args, { from: "user" });
    });
}

/** Makes a command of `program` write to `terminal`, and throw instead of ending the process. */
function adapt(command: Command, terminal: Terminal, program: Command): void {
  command
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
      getOutHelpWidth: () => Math.min(terminal.stdout.columns, 100),
      getErrHelpWidth: () => Math.min(terminal.stderr.columns, 100),
      outputError: (text, write) => {
        const line = text
          .replace(/^error: /, "")
          .replace(". Expected", ": expected")
          .replaceAll("\n", " ")
          .trim()
          .replace(/\.$/, "");
        write(
          `peer: ${withTakers(line, program)}; ${commandPath(command)} --help tells how it is used\n`,
        );
      },
    });
}

/** Where an option is unknown, which other commands take it: that says more than Commander's guess at another spelling. */
function withTakers(line: string, program: Command): string {
  const flag = /^unknown option '(--[\w-]+)/.exec(line)?.[1];
  const takers = program.commands
    .filter(({ options }) => options.some(({ hidden, long }) => long === flag && !hidden))
    .map(commandPath);
  if (takers.length === 0) return line;
  const more = takers.length > takersShownMax ? ", ..." : "";
  const shown = takers.slice(0, takersShownMax).join(", ");
  return `${line.replace(/ \(Did you mean .*\)$/, "")} (an option of ${shown}${more})`;
}
