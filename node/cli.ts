import { Command, CommanderError } from "commander";
import { crawlCommand } from "./commands/crawl.ts";
import { getCommand } from "./commands/get.ts";
import { injectCommand } from "./commands/inject.ts";
import { jobsCommand } from "./commands/jobs.ts";
import { leaveCommand } from "./commands/leave.ts";
import { runCommand } from "./commands/run.ts";
import { statsCommand } from "./commands/stats.ts";
import { statusCommand } from "./commands/status.ts";
import { waitCommand } from "./commands/wait.ts";
import type { CommandContext } from "./commands/command-context.ts";
import { errorReport, exitCodes } from "./error-line.ts";
import type { ComposePeer } from "./peer-session.ts";
import type { Terminal } from "./terminal.ts";
import { packageVersion } from "./version.ts";

const description =
  "Orbweaver crawls the web politely and loses nothing. Without a command it runs a peer.";

const closing = `
Exit codes: 0 done, 1 failed, 2 used wrongly.
Every flag can be set as ORBWEAVER_NAME in the environment or as "name" in a --config file; flags win.`;

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
    finish: (code) => (exitCode = code),
  };
  try {
    await programOf(context).parseAsync(words, { from: "user" });
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

function programOf(context: CommandContext): Command {
  const program = new Command("peer")
    .description(description)
    .version(context.version, "--version", "print the version")
    .enablePositionalOptions()
    .addHelpText("after", closing);
  const names = (): string[] => program.commands.map((command) => command.name());
  program.addCommand(runCommand(context, names), { isDefault: true });
  program.addCommand(crawlCommand(context));
  program.addCommand(injectCommand(context));
  program.addCommand(statusCommand(context));
  program.addCommand(getCommand(context));
  program.addCommand(waitCommand(context));
  program.addCommand(statsCommand(context));
  program.addCommand(jobsCommand(context));
  program.addCommand(leaveCommand(context));
  program.addCommand(demoStandIn(context));
  for (const command of [program, ...program.commands, ...subcommands(program)]) {
    adapt(command, context.terminal);
  }
  return program;
}

function subcommands(program: Command): Command[] {
  return program.commands.flatMap(({ commands }) => [...commands]);
}

/** Stands for the demo, which brings a whole web with it, until it is asked for. */
function demoStandIn(context: CommandContext): Command {
  return new Command("demo")
    .description("crawl a built-in sample web and prove that nothing was lost; needs no network")
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .usage("[options]")
    .action(async (_options: unknown, standIn: Command) => {
      const { demoCommand } = await import("./commands/demo.ts");
      const demo = demoCommand(context);
      adapt(demo, context.terminal);
      await demo.parseAsync(standIn.args, { from: "user" });
    });
}

/** Makes a command write to `terminal`, and throw instead of ending the process. */
function adapt(command: Command, terminal: Terminal): void {
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
          .replaceAll("\n", " ")
          .trim();
        write(`peer: ${line}; ${commandPath(command)} --help tells how it is used\n`);
      },
    });
}

function commandPath(command: Command): string {
  return command.parent === null
    ? command.name()
    : `${commandPath(command.parent)} ${command.name()}`;
}
