/**
 * Runs the benchmarks of the swarm one after the other: `npm run bench:swarm`, or with `-- --quick` for a minute or two each
 * that says only whether they work, or with `-- --json` for one document a line.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { scriptArguments, UsageError } from "../flags.ts";

interface Entry {
  readonly name: string;
  /** What it measures where that is not what it does by default. */
  readonly flags?: readonly string[];
  /** Flags of a run that measures little. */
  readonly quick: readonly string[];
}

const benchmarks: readonly Entry[] = [
  { name: "kills", quick: ["--kills", "3", "--sites", "50"] },
  { name: "saturated", quick: ["--seconds", "15"] },
  { name: "two-peers", quick: ["--runs", "1", "--pages", "5000", "--warm-up", "2000"] },
  { name: "polite", quick: ["--settle", "5", "--seconds", "10"] },
  { name: "join-busy", quick: ["--pages", "15000", "--after", "4"] },
  { name: "forwarding", flags: ["--known", "100", "--replicas", "1"], quick: ["--urls", "50000"] },
  { name: "forwarding", quick: ["--urls", "50000"] },
  {
    name: "answers",
    quick: ["--seconds", "5", "--sites", "150", "--lists", "20", "--probes", "20", "--settle", "5"],
  },
  { name: "eight-peers", quick: ["--seconds", "15", "--settle", "5"] },
];

const known = ["--quick", "--json"];

const words = scriptArguments(`npm run bench:swarm -- [${known.join("] [")}]`, (given) => {
  const unknown = given.find((word) => !known.includes(word));
  if (unknown !== undefined) throw new UsageError(`${JSON.stringify(unknown)} is no flag`);
  return given;
});
const isQuick = words.includes("--quick");
const shared = words.filter((word) => word === "--json");
for (const { name, flags = [], quick } of benchmarks) {
  const script = join(import.meta.dirname, `${name}.ts`);
  const given = [...flags, ...(isQuick ? quick : []), ...shared];
  const child = spawn(process.execPath, [script, ...given], { stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code === 0) continue;
  process.stderr.write(`${name} failed\n`);
  process.exitCode = 1;
}
