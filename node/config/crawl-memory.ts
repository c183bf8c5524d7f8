import { readFile } from "node:fs/promises";
import { errorCode } from "../../src/core/errors.ts";
import { usageError } from "../error-line.ts";
import { readingFile, systemReason } from "../system-reason.ts";
import { writeWhole } from "../whole-file.ts";
import { parseConfig } from "./load-settings.ts";
import { addressText, dataLayout } from "./peer-config.ts";
import { resolveSettings } from "./resolve-settings.ts";
import type { SettingName, SettingValues } from "./settings.ts";

/** What must not be forgotten of a crawl: how it reaches the network, whom it names, and what it keeps. */
const networkNames = [
  "dns",
  "allow-private",
  "user-agent",
  "contact",
  "body-max",
  "warc-size",
] as const satisfies readonly SettingName[];

/** The same and the job that a crawl is of which goes on without seeds. The job's own options are kept with the job. */
const rememberedNames = ["job", ...networkNames] as const satisfies readonly SettingName[];

/** Settings of the last crawl in `dataDir`. Fails with `CONFIG_INVALID` where the file was spoilt, or cannot be read. */
export function recallSettings(dataDir: string): Promise<SettingValues> {
  return recall(dataDir, rememberedNames);
}

/**
 * The same without the job, for seeds, which are for the job that is named with them, and for a peer that is there for all
 * jobs: it goes on with what the crawl has queued. Without the crawl's name server and permissions it would give up what
 * they alone make reachable. Fails as {@link recallSettings}.
 */
export function recallNetwork(dataDir: string): Promise<SettingValues> {
  return recall(dataDir, networkNames);
}

async function recall(dataDir: string, names: readonly SettingName[]): Promise<SettingValues> {
  const { settingsFile } = dataLayout(dataDir);
  let text: string;
  try {
    text = await readFile(settingsFile, "utf8");
  } catch (error) {
    // A new crawl; whether the directory can be used is found out by those who write to it.
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return {};
    // Without them what they alone make reachable would be given up, and they would be overwritten.
    throw usageError(`${settingsFile} cannot be read (${systemReason(error, readingFile)})`);
  }
  const file = { name: settingsFile, content: jsonOrNothing(text) };
  const { values, problems } = resolveSettings(names, { file, environment: {}, flags: {} });
  if (problems.length > 0) throw usageError(...problems);
  return values;
}

/** Keeps the settings for the next run, in the form of a configuration file. */
export async function rememberSettings(dataDir: string, values: SettingValues): Promise<void> {
  const { settingsFile } = dataLayout(dataDir);
  const entries = rememberedNames.map((name) => [name, plain(values[name])]);
  const content = Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
  const text = `${JSON.stringify(content, undefined, 2)}\n`;
  await writeWhole(settingsFile, text, "the settings of the crawl");
}

/** A value as a configuration file has it. */
function plain(value: SettingValues[(typeof rememberedNames)[number]]): unknown {
  return typeof value === "object" ? addressText(value) : value;
}

function jsonOrNothing(text: string): unknown {
  try {
    return parseConfig(text);
  } catch {
    return undefined;
  }
}
