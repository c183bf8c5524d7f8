import { parseArgs } from "node:util";
import { benchSites, type BenchSite } from "./sites.ts";
import { benchTools, type BenchTool } from "./tools.ts";

export const usage = `usage: npm run bench -- [--site NAME[,NAME...]] [--tools NAME[,NAME...]] [--runs N]
                        [--connections N] [--timeout SECONDS] [--json] [--list]

  --site         sites to crawl (default: all that are installed)
  --tools        tools to compare (default: all that are installed)
  --runs         runs of each, interleaved; the median counts (default: 3)
  --connections  requests open at once (default: 16)
  --timeout      what still runs after so many seconds is killed (default: 300)
  --json         one JSON document on standard output (npm run --silent bench -- --json)
  --list         sites and tools, and which are installed
`;

export interface BenchOptions {
  readonly sites: readonly BenchSite[];
  readonly tools: readonly BenchTool[];
  readonly runs: number;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly json: boolean;
  readonly list: boolean;
  readonly help: boolean;
}

/** Thrown with a sentence for the user. */
export class UsageError extends Error {}

export function benchOptions(args: readonly string[]): BenchOptions {
  const values = parsed(args);
  return {
    sites: chosen(benchSites, values.site, "site"),
    tools: chosen(benchTools, values.tools, "tool"),
    runs: wholeNumber("--runs", values.runs, 100),
    connections: wholeNumber("--connections", values.connections, 1_000),
    timeoutMs: wholeNumber("--timeout", values.timeout, 86_400) * 1_000,
    json: values.json,
    list: values.list,
    help: values.help,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        site: { type: "string" },
        tools: { type: "string" },
        runs: { type: "string", default: "3" },
        connections: { type: "string", default: "16" },
        timeout: { type: "string", default: "300" },
        json: { type: "boolean", default: false },
        list: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Those of `all` that were named, in the order of `all`. */
function chosen<T extends { readonly name: string }>(
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

function wholeNumber(flag: string, text: string, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new UsageError(`${flag} must be a whole number from 1 to ${max}, got ${text}`);
}
