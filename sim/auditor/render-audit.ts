import { counted, formatCount, formatShare } from "../../src/core/text/human.ts";
import { auditChecks, type AuditCheck } from "./audit-rules.ts";
import type { AuditReport } from "./auditor.ts";
import type { PaceTotals } from "./pace-audit.ts";

/** The report as a table for people, no wider than a terminal of 80 columns, the verdict in its last line. */
export function renderAudit(report: AuditReport): string {
  const { pages } = report;
  return [
    ...tableOf(report.checks),
    "",
    `requests     ${formatCount(report.requests)} in ${(report.spanMs / 1_000).toFixed(1)} s, ${formatCount(report.robotsRequests)} of them for robots.txt`,
    `             ${counted(pages.retries, "retry", "retries")}, ${formatCount(pages.unfinished)} unfinished, ${formatCount(pages.trapPages)} in traps`,
    `per host     ${paceText(report.hostPace, counted(report.hosts, "host"))}`,
    `per address  ${paceText(report.addressPace, counted(report.addresses, "address", "addresses"))}`,
    "",
    ...idleText(report),
    verdict(report),
  ].join("\n");
}

function tableOf(checks: readonly AuditCheck[]): string[] {
  const widthOf = (head: string, count: "checked" | "violations"): number =>
    Math.max(head.length, ...checks.map((check) => formatCount(check[count]).length));
  const widths = { checked: widthOf("checked", "checked"), wrong: widthOf("wrong", "violations") };
  const row = (name: string, checked: string, wrong: string, proven: string): string =>
    `${name.padEnd(20)}  ${checked.padStart(widths.checked)}  ${wrong.padStart(widths.wrong)}  ${proven}`;
  const lines = [row("check", "checked", "wrong", "proves that")];
  for (const check of checks) {
    const [checked, wrong] = [formatCount(check.checked), formatCount(check.violations)];
    lines.push(row(`${markOf(check)} ${check.name}`, checked, wrong, auditChecks[check.name]));
    if (check.allowed > 0) {
      const allowed = formatCount(check.allowed);
      lines.push(`       ${allowed} allowed, for what was cut off or just answered at a crash`);
    }
    if (check.passed) continue;
    for (const { url, detail } of check.examples) lines.push(`       ${url}  ${detail}`);
    const more = check.violations - check.examples.length;
    if (more > 0) lines.push(`       and ${formatCount(more)} more`);
  }
  return lines;
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

function idleOf({ checks }: AuditReport): AuditCheck[] {
  return checks.filter(({ checked }) => checked === 0);
}

function idleText(report: AuditReport): string[] {
  const names = idleOf(report).map(({ name }) => name);
  return names.length === 0 ? [] : [`nothing to look at: ${names.join(", ")}`];
}

function holdText(report: AuditReport): string {
  const all = report.checks.length;
  const idle = idleOf(report).length;
  return idle === 0 ? `all ${all} checks hold` : `${all - idle} of ${all} checks hold`;
}

/** `units`: the hosts or addresses that there were. */
function paceText(pace: PaceTotals, units: string): string {
  if (pace.shortestGapMs === undefined) return `no two requests, ${units}`;
  const gap = `shortest gap ${pace.shortestGapMs.toFixed(2)} ms`;
  if (pace.rateUsed === undefined || pace.rateUsedLowest === undefined) return `${gap}, ${units}`;
  const used = `${formatShare(pace.rateUsed)} of the allowed rate used`;
  const lowest = `lowest ${formatShare(pace.rateUsedLowest)}`;
  return `${gap}, ${used},\n             ${lowest} (${formatCount(pace.rateHosts)} busy of ${units})`;
}
