import { chosen, readFlags, wholeNumber } from "../flags.ts";
import type { MicroBenchmark } from "./micro-benchmark.ts";

export const usage = `usage: npm run bench:micro -- [--only NAME[,NAME...]] [--rounds N] [--save] [--json]

  --only    benchmarks to run: by name, or by the group before its slash (default: all)
  --rounds  samples of each, interleaved; the median counts (default: 7)
  --save    store the results to compare with
  --json    one JSON document on standard output (npm run --silent bench:micro -- --json)
`;

export interface MicroOptions {
  readonly benchmarks: readonly MicroBenchmark[];
  readonly rounds: number;
  readonly save: boolean;
  readonly json: boolean;
  readonly help: boolean;
}

const roundsMax = 1_000;

export function microOptions(
  args: readonly string[],
  all: readonly MicroBenchmark[],
): MicroOptions {
  const values = readFlags(args, {
    only: { type: "string" },
    rounds: { type: "string", default: "7" },
    save: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  });
  return {
    benchmarks: chosen(all, withGroups(values.only, all), "benchmark"),
    rounds: wholeNumber("--rounds", values.rounds, roundsMax),
    save: values.save,
    json: values.json,
    help: values.help,
  };
}

/** The names with those of its benchmarks in the place of each group. */
function withGroups(names: string | undefined, all: readonly MicroBenchmark[]): string | undefined {
  const expanded = names?.split(",").map((name) => {
    const members = all.filter((benchmark) => benchmark.name.startsWith(`${name}/`));
    return members.length === 0 ? name : members.map((member) => member.name).join(",");
  });
  return expanded?.join(",");
}
