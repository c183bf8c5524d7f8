import { nearest } from "../text/nearest.ts";
import { settings, type SettingName, type SettingValues } from "./settings.ts";
import { shown } from "./value-readers.ts";

/** Where values come from, before they are read. A later one wins: file, environment, flags. */
export interface SettingSources {
  /** A configuration file that was read, and its name. */
  readonly file?: { readonly name: string; readonly content: unknown };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By setting name, as given on the command line. */
  readonly flags: Readonly<Record<string, unknown>>;
}

export interface ResolvedSettings {
  readonly values: SettingValues;
  /** One line for each thing that is wrong; the values mean nothing unless this is empty. */
  readonly problems: readonly string[];
}

const environmentPrefix = "ORBWEAVER_";
/**
 * Variables that Kubernetes gives to every container beside a service whose name begins with "orbweaver": where that is
 * (Kubernetes documentation, "Service", section "Environment variables").
 */
const serviceVariable = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?$/;
const serviceAddress = /^(?:tcp|udp|sctp):\/\//;
const allNames = Object.keys(settings) as SettingName[];
/** A file does not name another one. */
const fileNames = allNames.filter((name) => name !== "config");

/**
 * Reads the settings that a command takes from all their sources.
 *
 * All problems of all sources are reported, each with its key and where it came from; unknown keys are problems, because
 * a misspelt limit that is silently ignored is a crawl that nobody asked for. Settings of other commands are let pass
 * in the file and the environment, which commands share.
 */
export function resolveSettings(
  names: readonly SettingName[],
  sources: SettingSources,
): ResolvedSettings {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  const given = [
    ...fromFile(sources, problems),
    ...fromEnvironment(sources, problems),
    ...fromFlags(sources),
  ];
  for (const { name, raw, where } of given) {
    if (!names.includes(name)) continue;
    const reading = settings[name].read(raw);
    if (reading.ok) values[name] = reading.value;
    else problems.push(`${where} ${reading.problem}`);
  }
  return { values, problems };
}

/** Name of the environment variable of a setting. */
export function environmentName(name: SettingName): string {
  return environmentPrefix + name.toUpperCase().replaceAll("-", "_");
}

/** An environment that sets nothing: for a process whose settings are all on its command line. */
export function withoutSettings(
  environment: SettingSources["environment"],
): SettingSources["environment"] {
  const others = Object.entries(environment).filter(
    ([name]) => !name.startsWith(environmentPrefix),
  );
  return Object.fromEntries(others);
}

interface Given {
  readonly name: SettingName;
  readonly raw: unknown;
  /** How the user calls the place: a flag, a variable, a key of a file. */
  readonly where: string;
}

function fromFile({ file }: SettingSources, problems: string[]): Given[] {
  if (file === undefined) return [];
  const { name: fileName, content } = file;
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    problems.push(`${fileName}: expected a JSON object of settings`);
    return [];
  }
  return Object.entries(content as Readonly<Record<string, unknown>>).flatMap(([key, raw]) => {
    const name = fileNames.find((each) => each === key);
    if (name !== undefined) {
      return [{ name, raw, where: `${fileName}, key "${name}"` }];
    }
    problems.push(`${fileName}: unknown key ${shown(key)}${suggestion(key, fileNames)}`);
    return [];
  });
}

function fromEnvironment({ environment }: SettingSources, problems: string[]): Given[] {
  const known = allNames.map(environmentName);
  return Object.entries(environment).flatMap(([variable, raw]) => {
    if (!variable.startsWith(environmentPrefix) || raw === undefined || raw === "") return [];
    const name = allNames[known.indexOf(variable)];
    if (name !== undefined) return [{ name, raw, where: variable }];
    if (isOfService(variable, raw)) return [];
    problems.push(`unknown environment variable ${variable}${variableSuggestion(variable, known)}`);
    return [];
  });
}

function isOfService(variable: string, value: string): boolean {
  return (
    serviceVariable.test(variable) || (variable.endsWith("_PORT") && serviceAddress.test(value))
  );
}

function fromFlags({ flags }: SettingSources): Given[] {
  return allNames.flatMap((name) => {
    const raw = flags[name];
    return raw === undefined ? [] : [{ name, raw, where: `--${name}` }];
  });
}

/** By what follows the prefix: it would be most of what they have in common. */
function variableSuggestion(variable: string, known: readonly string[]): string {
  const [word = "", ...words] = [variable, ...known].map((each) =>
    each.replace(environmentPrefix, ""),
  );
  return suggestion(word, words, (name) => environmentPrefix + name);
}

function suggestion(
  word: string,
  candidates: readonly string[],
  wholeOf = (name: string): string => name,
): string {
  const meant = nearest(word, candidates);
  if (meant !== undefined) return didYouMean(wholeOf(meant));
  const switched = candidates.find((each) => isFlagOff(word, each));
  return switched === undefined ? "" : didYouMean(wholeOf(switched), " with the value false");
}

/** Whether `word` is the flag that switches a setting off: only a flag has a `no` in its name. */
function isFlagOff(word: string, candidate: string): boolean {
  const [flag, name] = [word, candidate].map((each) => each.toLowerCase().replaceAll("_", "-"));
  return (
    flag === `no-${name}` && allNames.some((each) => each === name && "negated" in settings[each])
  );
}

function didYouMean(name: string, value = ""): string {
  return `; did you mean ${JSON.stringify(name)}${value}?`;
}
