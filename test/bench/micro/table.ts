import type { Comparison, Sample, Summary } from "./comparison.ts";
import type { StoredResult } from "./stored-results.ts";

/** What is told of a benchmark. */
export interface Finding extends Summary {
  readonly name: string;
  readonly operation: string;
  /** Bytes of one operation, where they say something. */
  readonly bytes?: number;
  /** As they were measured, not scaled. */
  readonly samples: readonly Sample[];
  readonly stored?: StoredResult;
  readonly comparison?: Comparison;
}

const marks = { same: "", slower: "SLOWER", faster: "faster" } as const;

/** One line for each benchmark. */
export function renderTable(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => [
    finding.name,
    timeOf(finding.ns),
    `±${(((finding.highNs - finding.lowNs) / 2 / finding.ns) * 100).toFixed(0)}%`,
    `${shown(1e9 / finding.ns)} ${finding.operation}s/s`,
    finding.bytes === undefined ? "" : `${shown((finding.bytes * 1e3) / finding.ns)} MB/s`,
    finding.stored === undefined ? "-" : timeOf(finding.stored.ns),
    finding.comparison?.ratio.toFixed(2) ?? "-",
    finding.comparison === undefined ? "new" : marks[finding.comparison.verdict],
  ]);
  const head = ["", "now", "spread", "rate", "", "stored", "ratio", ""];
  const widths = head.map((_, at) =>
    Math.max(...[head, ...rows].map((row) => (row[at] ?? "").length)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) =>
        at === 0
          ? cell.padEnd(widths[at] ?? 0)
          : cell.padStart(at === row.length - 1 ? 0 : (widths[at] ?? 0)),
      )
      .join("  ")
      .trimEnd();
  return `${[head, ...rows].map(line).join("\n")}\n`;
}

const units = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "us"],
  [1, "ns"],
] as const;

function timeOf(ns: number): string {
  const [size, unit] = units.find(([least]) => ns >= least) ?? [1, "ns"];
  return `${shown(ns / size)} ${unit}`;
}

const numbers = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const shown = (value: number): string => numbers.format(value);
