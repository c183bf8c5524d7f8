import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { errorText } from "../../src/core/errors.ts";
import { usageError } from "../error-line.ts";
import { readingFile, systemReason } from "../system-reason.ts";
import { environmentName, resolveSettings } from "./resolve-settings.ts";
import type { SettingName, SettingValues } from "./settings.ts";

/** A configuration file is written by hand; a larger one is something else. */
const configBytesMax = 1_024 * 1_024;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The values that a command runs with: file, then environment, then flags. Fails with `CONFIG_INVALID` and a line for
 * each thing that is wrong.
 */
export async function loadSettings(
  names: readonly SettingName[],
  flags: Readonly<Record<string, unknown>>,
  environment: Environment,
): Promise<SettingValues> {
  const fileName = flags["config"] ?? environment[environmentName("config")];
  const file =
    typeof fileName === "string" && fileName !== "" ? await readConfig(fileName) : undefined;
  const { values, problems } = resolveSettings(names, {
    environment,
    flags,
    ...(file === undefined ? {} : { file }),
  });
  if (problems.length > 0) throw usageError(...problems);
  return values;
}

async function readConfig(path: string): Promise<{ name: string; content: unknown }> {
  const name = basename(path);
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > configBytesMax) throw new Error(`it is larger than ${configBytesMax} bytes`);
    text = await readFile(path, "utf8");
  } catch (error) {
    throw usageError(`--config: ${path} cannot be read (${systemReason(error, readingFile)})`);
  }
  try {
    return { name, content: parseConfig(text) };
  } catch (error) {
    // V8 cites the file where it stops, line breaks included; each would begin a line, as if it were a problem more.
    throw usageError(`${name} is not JSON (${errorText(error).replace(/\s+/g, " ")})`);
  }
}

/** What a configuration file holds. Some editors begin it with a byte order mark (RFC 8259, section 8.1, lets it be passed over). */
export function parseConfig(text: string): unknown {
  return JSON.parse(text.replace(/^\ufeff/, "")) as unknown;
}
