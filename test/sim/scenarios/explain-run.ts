import type { RunReport } from "../../../sim/report/run-log.ts";

/** Violations that are told; the replay shows the rest. */
const toldMax = 5;

/** Why a run failed, and the one command that replays it. */
export function explainRun(report: RunReport): string {
  const told = report.violations
    .slice(0, toldMax)
    .map(({ checker, text }) => `  ${checker}: ${text}`);
  return [`replay with: ${report.replay}`, ...told].join("\n");
}
