import { counted, formatCount, formatShare } from "../../src/core/text/human.ts";
import { auditChecks, type AuditCheck } from "./audit-rules.ts";
import type { AuditReport } from "./auditor.ts";
import type { PaceTotals } from "./pace-audit.ts";

/** The report as a table for people, the verdict in its last line. */
export function renderAudit(report: AuditReport): string {
  const lines = ["check                  checked     violations  proves that"];
  for (const check of report.checks) {
    const mark = markOf(check);
    const allowed = check.allowed > 0 ? `, ${formatCount(check.allowed)} allowed` : "";
    const found = formatCount(check.violations) + allowed;
    lines.push(
      `${mark} ${check.name.padEnd(16)} ${formatCount(check.checked).padStart(9)} ${found.padStart(14)}  ${auditChecks[check.name]}`,
    );
    if (check.passed) continue;
    for (const { url, detail } of check.examples) lines.push(`       ${url}  ${detail}`);
    const more = check.violations - check.examples.length;
    if (more > 0) lines.push(`       and ${formatCount(more)} more`);
  }
  const { pages } = report;
  lines.push(
    "",
    `requests     ${formatCount(report.requests)} in ${(report.spanMs / 1_000).toFixed(1)} s, ` +
      `${formatCount(report.robotsRequests)} of them for robots.txt, ${counted(pages.retries, "retry", "retries")}, ` +
      `${formatCount(pages.unfinished)} unfinished, ${formatCount(pages.trapPages)} in traps`,
    `per host     ${paceText(report.hostPace, counted(report.hosts, "host"))}`,
    `per address  ${paceText(report.addressPace, counted(report.addresses, "address", "addresses"))}`,
    "",
    verdict(report),
  );
  return lines.join("\n");
}

function verdict(report: AuditReport): string {
  const failed = report.checks.filter((check) => !check.passed);
  const { fetched, mustFetch } = report.pages;
  const pages = `${formatCount(fetched)} of ${formatCount(mustFetch)} reachable pages fetched`;
  if (failed.length === 0) return `PASSED: ${pages}, ${holdText(report)}`;
  return `FAILED: ${pages}; ${failed.map((check) => check.name).join(", ")}`;
}

/** A check that had nothing to look at proves nothing. */
function markOf({ checked, passed }: AuditCheck): string {
  if (!passed) return "FAIL";
  return checked === 0 ? "-   " : "ok  ";
}

function holdText({ checks }: AuditReport): string {
  const idle = checks.filter(({ checked }) => checked === 0).length;
  if (idle === 0) return `all ${checks.length} checks hold`;
  return `${checks.length - idle} of ${checks.length} checks hold, ${idle} had nothing to look at`;
}

/** `units`: the hosts or addresses that there were. */
function paceText(pace: PaceTotals, units: string): string {
  if (pace.shortestGapMs === undefined) return `no two requests, ${units}`;
  const gap = `shortest gap ${pace.shortestGapMs.toFixed(2)} ms`;
  if (pace.rateUsed === undefined || pace.rateUsedLowest === undefined) return `${gap}, ${units}`;
  const used = `${formatShare(pace.rateUsed)} of the allowed rate used, lowest ${formatShare(pace.rateUsedLowest)}`;
  return `${gap}, ${used} (${formatCount(pace.rateHosts)} busy of ${units})`;
}
