import { chosen, readFlags, wholeNumber } from "./flags.ts";
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

export function benchOptions(args: readonly string[]): BenchOptions {
  const values = readFlags(args, {
    site: { type: "string" },
    tools: { type: "string" },
    runs: { type: "string", default: "3" },
    connections: { type: "string", default: "16" },
    timeout: { type: "string", default: "300" },
    json: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  });
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
