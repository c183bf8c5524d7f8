import { median, quantile } from "../statistics.ts";
import type { Figure } from "./bench-run.ts";

/** Median, 99th percentile and maximum of times, with what is wanted of the first two. */
export function timeFigures(
  name: string,
  ms: readonly number[],
  wanted: { readonly medianMs?: number; readonly p99Ms?: number } = {},
): Figure[] {
  const { medianMs, p99Ms } = wanted;
  const of = (label: string, value: number, most?: number): Figure => ({
    name: `${name}, ${label}`,
    value,
    unit: "ms",
    ...(most !== undefined && { wanted: { most } }),
  });
  return [
    of("median", median(ms), medianMs),
    of("p99", quantile(ms, 0.99), p99Ms),
    of("max", quantile(ms, 1)),
  ];
}
