import { posix } from "node:path";
import { parseArgs } from "node:util";
import { errorText } from "../../../src/core/errors.ts";
import { machine } from "../report.ts";
import { BenchSwarm } from "./bench-swarm.ts";

/** One number that a benchmark came to. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Where it should be: at most or at least so much. */
  readonly wanted?: { readonly most: number } | { readonly least: number };
}

/** What a benchmark found. */
export interface Findings {
  /** What was done, in one line. */
  readonly about: string;
  readonly figures: readonly Figure[];
  /** Single values behind the figures, for whoever looks closer; with `--json` alone. */
  readonly samples?: Readonly<Record<string, readonly unknown[]>>;
}

/** A flag of a benchmark: a number or a word, by its default. */
export type FlagDefaults = Readonly<Record<string, number | string>>;

export interface Benchmark<F extends FlagDefaults> {
  readonly name: string;
  /** Folder of its script under `test/bench`. @default "swarm" */
  readonly folder?: string;
  /** Flags with their defaults; those with a number take whole ones. */
  readonly flags: F;
  readonly run: (
    bench: BenchSwarm,
    flags: { readonly [N in keyof F]: F[N] extends number ? number : string },
  ) => Promise<Findings>;
}

/** Exit code of a shell's command that SIGINT ended. */
const interruptedCode = 130;

/**
 * Runs a benchmark as the whole of a process: reads its flags, prints a table or, with `--json`, one document, and leaves
 * no process and no directory behind, however it ends.
 */
export async function runBenchmark<F extends FlagDefaults>(benchmark: Benchmark<F>): Promise<void> {
  const { name, folder = "swarm", flags: defaults } = benchmark;
  const given = readFlags(defaults);
  if (given === undefined || given.help) {
    const known = Object.entries(defaults).map(([flag, value]) => `[--${flag} ${value}]`);
    const script = posix.join("test/bench", folder, `${name}.ts`);
    const usage = `usage: node ${script} ${known.join(" ")} [--json]\n`;
    (given === undefined ? process.stderr : process.stdout).write(usage);
    process.exitCode = given === undefined ? 2 : 0;
    return;
  }
  const bench = new BenchSwarm();
  const interrupt = (): void => {
    void bench.clear().finally(() => process.exit(interruptedCode));
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    // The flags of `defaults` are read by their own defaults, so each has the type of its default.
    const flags = given.flags as Parameters<typeof benchmark.run>[1];
    const findings = await benchmark.run(bench, flags);
    const document = { benchmark: name, machine: machine(), flags, ...findings };
    process.stdout.write(given.json ? `${JSON.stringify(document)}\n` : table(name, findings));
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    await bench.clear();
  }
}

/** Tells how far a benchmark is. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

interface GivenFlags {
  readonly flags: FlagDefaults;
  readonly json: boolean;
  readonly help: boolean;
}

/** Nothing where they cannot be read; that has been told. */
function readFlags(defaults: FlagDefaults): GivenFlags | undefined {
  const texts = Object.fromEntries(
    Object.keys(defaults).map((flag) => [flag, { type: "string" as const }]),
  );
  const switches = { json: { type: "boolean" }, help: { type: "boolean" } } as const;
  try {
    const { values } = parseArgs({ options: { ...texts, ...switches } });
    const given = new Map<string, string | boolean | undefined>(Object.entries(values));
    const flags = Object.entries(defaults).map(([flag, value]) => [
      flag,
      readFlag(given.get(flag), value),
    ]);
    return {
      flags: Object.fromEntries(flags) as FlagDefaults,
      json: given.get("json") === true,
      help: given.get("help") === true,
    };
  } catch (error) {
    process.stderr.write(`${errorText(error)}\n`);
    return undefined;
  }
}

function readFlag(text: string | boolean | undefined, value: number | string): number | string {
  if (typeof text !== "string") return value;
  if (typeof value === "string") return text;
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new RangeError(`${text} is not a whole number`);
}

const numbers = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 });
const shown = (value: number, unit: string): string => `${numbers.format(value)} ${unit}`.trim();

function table(name: string, { about, figures }: Findings): string {
  const rows = figures.map(({ name: figure, value, unit, wanted }) => {
    if (wanted === undefined) return [figure, shown(value, unit), ""];
    const isMost = "most" in wanted;
    const mark = isMost ? wanted.most : wanted.least;
    const isMet = isMost ? value <= mark : value >= mark;
    const words = `${isMost ? "at most" : "at least"} ${shown(mark, unit)}`;
    return [figure, shown(value, unit), `${words}: ${isMet ? "met" : "MISSED"}`];
  });
  const width = (column: number): number =>
    Math.max(0, ...rows.map((row) => (row[column] ?? "").length));
  const [first, second] = [width(0), width(1)];
  const lines = rows.map(([figure = "", value = "", wanted = ""]) =>
    `  ${figure.padEnd(first)}  ${value.padStart(second)}  ${wanted}`.trimEnd(),
  );
  return `${name}: ${about}\n${lines.join("\n")}\n`;
}
