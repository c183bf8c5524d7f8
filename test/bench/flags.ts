import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { errorText } from "../../src/core/errors.ts";

/** Thrown with a sentence for the user. */
export class UsageError extends Error {}

/** The values of these flags; other words are refused. */
export function readFlags<F extends ParseArgsOptionsConfig>(args: readonly string[], options: F) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(errorText(error));
  }
}

/** Those of `all` that were named, in the order of `all`. */
export function chosen<T extends { readonly name: string }>(
  all: readonly T[],
  names: string | undefined,
  kind: string,
): readonly T[] {
  if (names === undefined) return all;
  const wanted = names.split(",");
  const unknown = wanted.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined) {
    const known = all.map(({ name }) => name).join(", ");
    throw new UsageError(`there is no ${kind} ${JSON.stringify(unknown)}; there are ${known}`);
  }
  return all.filter(({ name }) => wanted.includes(name));
}

export function wholeNumber(flag: string, text: string, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new UsageError(`${flag} must be a whole number from 1 to ${max}, got ${text}`);
}

/** Runs a bench as the whole of a process: `main` gives its exit code; 2 where it was used wrongly, which is told. */
export async function runToExit(main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`bench: ${error.message}\n`);
    process.exitCode = 2;
  }
}

/** What `read` makes of a script's words. Where they ask for help or are wrong, its usage is printed and the process ends. */
export function scriptArguments<T>(usage: string, read: (words: readonly string[]) => T): T {
  const words = process.argv.slice(2);
  if (words.includes("--help")) {
    process.stdout.write(`usage: ${usage}\n`);
    process.exit(0);
  }
  try {
    return read(words);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`bench: ${error.message}\nusage: ${usage}\n`);
    process.exit(2);
  }
}

/** The one number that `words` may be. */
export function numberOr(value: number, name: string, [word, more]: readonly string[]): number {
  if (more !== undefined) throw new UsageError(`${JSON.stringify(more)} is one word too many`);
  return word === undefined ? value : wholeNumber(name, word, Number.MAX_SAFE_INTEGER);
}
