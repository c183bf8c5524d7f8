import type { Summary } from "./comparison.ts";

/** A benchmark's result as it is kept, with where and when it was found. */
export interface StoredResult extends Summary {
  readonly node: string;
  readonly cpu: string;
  /** Day, as in `2026-03-01`. */
  readonly date: string;
}

export type StoredResults = Readonly<Record<string, StoredResult>>;

/** Reads a file of results; what is no result is left out, so that a change of their form asks for no more than new ones. */
export function parseResults(text: string): StoredResults {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return {};
  }
  if (!isRecord(document)) return {};
  return Object.fromEntries(
    Object.entries(document).filter((entry): entry is [string, StoredResult] => isResult(entry[1])),
  );
}

/** The file of results, in the order of `names`; others are dropped. */
export function formatResults(results: StoredResults, names: readonly string[]): string {
  const kept = names.flatMap((name) => {
    const result = results[name];
    return result === undefined ? [] : [[name, rounded(result)] as const];
  });
  return `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`;
}

/** Four figures are more than a measurement has. */
function rounded(result: StoredResult): StoredResult {
  const { ns, lowNs, highNs, calibration, node, cpu, date } = result;
  const figure = (value: number): number => Number(value.toPrecision(4));
  const { computeNs, memoryNs } = calibration;
  return {
    ns: figure(ns),
    lowNs: figure(lowNs),
    highNs: figure(highNs),
    calibration: { computeNs: figure(computeNs), memoryNs: figure(memoryNs) },
    node,
    cpu,
    date,
  };
}

function isResult(value: unknown): value is StoredResult {
  if (!isRecord(value) || !isRecord(value["calibration"])) return false;
  const { ns, lowNs, highNs, calibration, node, cpu, date } = value;
  const times = [ns, lowNs, highNs, calibration["computeNs"], calibration["memoryNs"]];
  return times.every(isTime) && [node, cpu, date].every((text) => typeof text === "string");
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
