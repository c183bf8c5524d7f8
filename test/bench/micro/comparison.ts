import { median, quantile } from "../statistics.ts";
import type { Calibration } from "./calibration.ts";

/** One measurement of a benchmark, with what the machine was like just then. */
export interface Sample {
  /** Nanoseconds of processor time of one operation. */
  readonly ns: number;
  readonly calibration: Calibration;
}

/** What the samples of a benchmark come to, as if the machine had been as fast during each as in the middle of them. */
export interface Summary {
  /** Median time of one operation. */
  readonly ns: number;
  /** Half of the samples lie between these two. */
  readonly lowNs: number;
  readonly highNs: number;
  readonly calibration: Calibration;
}

export type Verdict = "same" | "slower" | "faster";

export interface Comparison {
  /** The time now by the stored one, had the machine been equally fast. */
  readonly ratio: number;
  readonly verdict: Verdict;
}

/** A difference up to this share is no news. */
const noticedShare = 0.1;

/** How much slower the machine was than at another moment: the geometric mean of both kinds of work. */
export function slowdown(one: Calibration, other: Calibration): number {
  return Math.sqrt((one.computeNs / other.computeNs) * (one.memoryNs / other.memoryNs));
}

/** Summarises samples, of which there is one at least. */
export function summarise(samples: readonly Sample[]): Summary {
  const calibration = {
    computeNs: median(samples.map((sample) => sample.calibration.computeNs)),
    memoryNs: median(samples.map((sample) => sample.calibration.memoryNs)),
  };
  const times = samples.map((sample) => sample.ns / slowdown(sample.calibration, calibration));
  return {
    ns: median(times),
    lowNs: quantile(times, 0.25),
    highNs: quantile(times, 0.75),
    calibration,
  };
}

/**
 * Compares two summaries of one benchmark. Slower or faster is what differs by more than a tenth and beyond the spread:
 * the middle halves of the samples do not overlap.
 */
export function compare(now: Summary, stored: Summary): Comparison {
  const factor = slowdown(now.calibration, stored.calibration);
  const ratio = now.ns / (stored.ns * factor);
  const isAbove = now.lowNs > stored.highNs * factor;
  const isBelow = now.highNs < stored.lowNs * factor;
  if (ratio > 1 + noticedShare && isAbove) return { ratio, verdict: "slower" };
  if (ratio < 1 - noticedShare && isBelow) return { ratio, verdict: "faster" };
  return { ratio, verdict: "same" };
}
