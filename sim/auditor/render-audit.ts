import { auditChecks } from "./audit-rules.ts";
import type { AuditReport } from "./auditor.ts";
import type { PaceTotals } from "./pace-audit.ts";

/** The report as a table for people, the verdict in its last line. */
export function renderAudit(report: AuditReport): string {
  const lines = ["check                  checked     violations  proves that"];
  for (const check of report.checks) {
    const mark = check.passed ? "ok  " : "FAIL";
    const allowed = check.allowed > 0 ? `, ${count(check.allowed)} allowed` : "";
    const found = count(check.violations) + allowed;
    lines.push(
      `${mark} ${check.name.padEnd(16)} ${count(check.checked).padStart(9)} ${found.padStart(14)}  ${auditChecks[check.name]}`,
    );
    if (check.passed) continue;
    for (const { url, detail } of check.examples) lines.push(`       ${url}  ${detail}`);
    const more = check.violations - check.examples.length;
    if (more > 0) lines.push(`       and ${count(more)} more`);
  }
  const { pages } = report;
  lines.push(
    "",
    `requests   ${count(report.requests)} in ${(report.spanMs / 1_000).toFixed(1)} s, ` +
      `${count(report.robotsRequests)} of them for robots.txt, ${count(pages.retries)} retries, ` +
      `${count(pages.unfinished)} unfinished, ${count(pages.trapPages)} in traps`,
    `per host   ${paceText(report.hostPace)} (${count(report.hosts)} hosts)`,
    `per address ${paceText(report.addressPace)} (${count(report.addresses)} addresses)`,
    "",
    verdict(report),
  );
  return lines.join("\n");
}

function verdict(report: AuditReport): string {
  const failed = report.checks.filter((check) => !check.passed);
  const { fetched, mustFetch } = report.pages;
  const pages = `${count(fetched)} of ${count(mustFetch)} reachable pages fetched`;
  if (failed.length === 0) return `PASSED: ${pages}, all ${report.checks.length} checks hold`;
  return `FAILED: ${pages}; ${failed.map((check) => check.name).join(", ")}`;
}

function paceText(pace: PaceTotals): string {
  if (pace.shortestGapMs === undefined) return "no two requests";
  const gap = `shortest gap ${pace.shortestGapMs.toFixed(2)} ms`;
  if (pace.rateUsed === undefined || pace.rateUsedLowest === undefined) return gap;
  return `${gap}, ${percent(pace.rateUsed)} of the allowed rate used, lowest ${percent(pace.rateUsedLowest)} (${count(pace.rateHosts)} busy)`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
