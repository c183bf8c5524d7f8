import type { RunReport } from "../../sim/report/run-log.ts";

/** A report with that many violations of one checker, all with the same text. */
export function failedReport(report: RunReport, times: number, text: string): RunReport {
  const violation = {
    checker: "coverage",
    atMs: 1_000,
    text,
    details: { url: "http://a.example/" },
  } as const;
  return {
    ...report,
    passed: false,
    violations: Array.from({ length: times }, () => violation),
    violationCounts: new Map([["coverage", times]]),
  };
}
