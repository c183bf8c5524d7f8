import { Command, Option } from "commander";
import { loadSettings } from "../config/load-settings.ts";
import {
  jobSettingNames,
  settings,
  type Setting,
  type SettingName,
  type SettingValues,
} from "../config/settings.ts";
import { contactNote } from "../config/user-agent.ts";
import { ApiClient } from "../api-client.ts";
import { usageError } from "../error-line.ts";
import type { ComposePeer } from "../peer-session.ts";
import type { Terminal } from "../terminal.ts";
import { nearest } from "../text/nearest.ts";
import { printable, shellWord, table } from "../text/terminal-text.ts";

/** What every command is built with. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly version: string;
  readonly composePeer: ComposePeer;
  /** Ends the command with an exit code other than 0. */
  readonly finish: (exitCode: number) => void;
}

/** A command line with what it does, as help shows it. */
export type Example = readonly [line: string, does: string];

/** A command's name, purpose and examples. */
export interface CommandText {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly Example[];
  /** What the columns of its table mean, where their names do not say it, as help shows it. */
  readonly columns?: readonly (readonly [name: string, meaning: string])[];
  /** Defaults that are this command's own, as help shows them. */
  readonly defaults?: Readonly<Partial<Record<SettingName, string>>>;
  /** Title of the settings of a job, as help shows it. @default "What to crawl:" */
  readonly jobSettingsTitle?: string;
}

/** A command that takes the given settings and `--json`. */
export function newCommand(text: CommandText, names: readonly SettingName[]): Command {
  const command = new Command(text.name)
    .description(text.summary)
    .addHelpText("after", () => columnsText(text.columns) + examplesText(text.examples));
  for (const name of names) command.addOption(optionOf(name, text));
  return command.option("--json", "print JSON on standard output and nothing else there");
}

function columnsText(columns: CommandText["columns"]): string {
  if (columns === undefined) return "";
  return `\nColumns:\n${table(
    columns.map(([name, meaning]) => [`  ${name}`, meaning]),
    ["left", "left"],
  )}`;
}

export function examplesText(examples: readonly Example[]): string {
  const shown = examples.map(([line, does]) => `  # ${does}\n  ${line}`);
  return `\n${examples.length === 1 ? "Example" : "Examples"}:\n${shown.join("\n")}`;
}

/** A command as it is typed. */
export function commandPath(command: Command): string {
  return command.parent === null
    ? command.name()
    : `${commandPath(command.parent)} ${command.name()}`;
}

/** Who names a URL alone wants it crawled. */
function meantBy(word: string, names: readonly string[]): string | undefined {
  const isSeed = names.includes("crawl") && /^https?:\/\//i.test(word);
  return isSeed ? `crawl ${printable(shellWord(word))}` : nearest(word, names);
}

/**
 * Fails with `CONFIG_INVALID` where words are left over: the first one names no command of `parent`, or one whose options
 * stand before its name.
 */
export function refuseUnknown(parent: Command, [word]: readonly string[]): void {
  if (word === undefined) return;
  const path = commandPath(parent);
  const names = parent.commands.map((command) => command.name());
  if (names.includes(word)) {
    const named = `${path} ${word}`;
    throw usageError(`options of "${named}" stand behind it; ${named} --help lists them`);
  }
  const meant = meantBy(word, names);
  const advice =
    meant === undefined ? `${path} --help lists the commands` : `did you mean "${path} ${meant}"?`;
  const given = `${path} ${word}`.replace("peer ", "");
  throw usageError(`there is no command ${JSON.stringify(given)}; ${advice}`);
}

/** `--file` of a command that takes URLs. A second one is refused: it would stand for the first, which nobody would read. */
export function fileOption(help: string): Option {
  return new Option("--file <file>", help).argParser((file, earlier: unknown) => {
    if (earlier === undefined) return file;
    throw usageError("--file stands for one file; for several: cat FILE... | peer ... --file -");
  });
}

/** A number that one command alone takes, with a default that its help shows. */
export function numberOption(flags: string, help: string, value: number): Option {
  return new Option(flags, help).default(value, String(value));
}

function optionOf(
  name: SettingName,
  { defaults, jobSettingsTitle = "What to crawl:" }: CommandText,
): Option {
  const setting: Setting<unknown> = settings[name];
  const { argument, help, negated, repeats } = setting;
  const defaultText = defaults?.[name] ?? setting.defaultText;
  const flag = `--${negated === true ? "no-" : ""}${name}`;
  const helped = defaultText === undefined ? help : `${help} (default: ${defaultText})`;
  const option = new Option(argument === undefined ? flag : `${flag} ${argument}`, helped);
  if (jobSettingNames.some((each) => each === name)) option.helpGroup(jobSettingsTitle);
  return repeats === true ? option.argParser(appended) : option;
}

function appended(value: string, earlier: unknown): string[] {
  return [...(Array.isArray(earlier) ? (earlier as string[]) : []), value];
}

/** Whether the command is to print JSON. */
export function wantsJson(command: Command): boolean {
  return givenTo(command, "json") === true;
}

/** Says once, to people, that nobody is named whom a site's operator could turn to. */
export async function sayContact(
  { terminal }: CommandContext,
  command: Command,
  values: SettingValues,
): Promise<void> {
  const note = contactNote(values);
  if (note !== undefined && !wantsJson(command)) await terminal.stderr.write(note);
}

/** The values of a command's settings, from all their sources. */
export function settingsOf(
  { terminal }: CommandContext,
  command: Command,
  names: readonly SettingName[],
): Promise<SettingValues> {
  return loadSettings(names, flagsOf(command, names), terminal.environment);
}

/** What the command line itself says, by setting name. */
export function flagsOf(
  command: Command,
  names: readonly SettingName[],
): Readonly<Record<string, unknown>> {
  const flags: Record<string, unknown> = {};
  for (const name of names) {
    const attribute = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    const value = givenTo(command, attribute);
    if (value !== undefined) flags[name] = value;
  }
  return flags;
}

/** An option as the command line has it: behind the command's own name, else before it (`jobs --data DIR cancel ID`). */
function givenTo(command: Command, attribute: string): unknown {
  if (command.getOptionValueSource(attribute) === "cli") return command.getOptionValue(attribute);
  return command.parent === null ? undefined : givenTo(command.parent, attribute);
}

/** Settings by which a command finds the running peer, and how long it waits for its answers. */
export const clientSettingNames = [
  "api",
  "data",
  "timeout",
  "config",
] as const satisfies readonly SettingName[];

/**
 * The running peer that the command is meant for. Fails with `CONFIG_INVALID` where its line names one in two ways, and where
 * nothing names one: port 0 is whichever was free, as the peer's directory tells.
 */
export async function clientOf(context: CommandContext, command: Command): Promise<ApiClient> {
  const values = await settingsOf(context, command, clientSettingNames);
  const flags = flagsOf(command, clientSettingNames);
  if (flags["api"] !== undefined && flags["data"] !== undefined) {
    throw usageError("give --api or --data, not both: each says which peer is meant");
  }
  const { data, timeout } = values;
  const api = values.api?.port === 0 ? undefined : values.api;
  if (api !== values.api && data === undefined) {
    throw usageError(
      "--api with port 0 names no peer: it takes a free port; name the peer's directory with --data DIR",
    );
  }
  // A flag is nearer than a variable, whichever of the two ways it names.
  const useData = flags["data"] !== undefined || api === undefined;
  const answerMsMax = timeout === undefined ? undefined : timeout * 1_000;
  return ApiClient.find(useData ? { data } : { api }, context.terminal.clock, answerMsMax);
}

/** A question to the running peer, as a command of its own. */
export interface PeerQuestion<T> {
  /** Name and meaning of the one word that the command takes, if it takes any. */
  readonly word?: readonly [name: string, help: string];
  readonly ask: (client: ApiClient, word: string) => Promise<T>;
  /** The answer for people. */
  readonly render: (answer: T) => string;
}

/** A command that asks the running peer one thing and prints the answer. */
export function questionCommand<T>(
  context: CommandContext,
  text: CommandText,
  { word, ask, render }: PeerQuestion<T>,
): Command {
  const command = newCommand(text, clientSettingNames);
  if (word !== undefined) command.argument(`<${word[0]}>`, word[1]);
  return command.action(async () => {
    const answer = await ask(await clientOf(context, command), command.args[0] ?? "");
    await printDocument(context, command, answer, render);
  });
}

/** Prints `document` on standard output: as JSON where that is wanted, else as `render` writes it for people. */
export async function printDocument<T>(
  context: CommandContext,
  command: Command,
  document: T,
  render: (document: T) => string,
): Promise<void> {
  if (wantsJson(command)) await printJson(context, document);
  else await context.terminal.stdout.write(render(document));
}

/** Prints a document on standard output. */
export function printJson({ terminal }: CommandContext, document: unknown): Promise<void> {
  return terminal.stdout.write(`${JSON.stringify(document)}\n`);
}
