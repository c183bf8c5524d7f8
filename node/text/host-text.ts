import type { HostStatus } from "../../src/ports/peer-control.ts";
import { counted, formatDuration } from "./human.ts";
import { shortId } from "./member-text.ts";
import { printable } from "./terminal-text.ts";

/** What is known of a host, and why it is not asked now. */
export function renderHost(status: HostStatus): string {
  const rows: [string, string | undefined][] = [
    [
      "owner",
      `${shortId(status.owner)}${status.replica ? ", which does not answer; from a copy" : ""}`,
    ],
    ...queueRows(status),
    ["now", nowText(status)],
    ["next", status.nextFetchAt === undefined ? undefined : `${timeText(status.nextFetchAt)} UTC`],
    ["failures", status.failuresInRow === 0 ? undefined : `${status.failuresInRow} in a row`],
    [
      "delay",
      status.crawlDelayMs === undefined
        ? undefined
        : `${formatDuration(status.crawlDelayMs)}, as its robots.txt asks`,
    ],
    ...status.robots.map(({ origin, verdict, httpStatus, expiresAt }): [string, string] => [
      "robots",
      `${origin}: ${verdict}${httpStatus === 0 ? "" : ` (HTTP ${httpStatus})`}, kept until ${timeText(expiresAt)} UTC`,
    ]),
  ];
  const known = rows.filter((row): row is [string, string] => row[1] !== undefined);
  const lines = known.map(([label, value]) => `  ${label.padEnd(10)}${printable(value)}\n`);
  return `${printable(status.host)}\n${lines.join("")}`;
}

function queueRows({ queued }: HostStatus): [string, string][] {
  return queued.map(({ job, urls, orMore }) => [
    "queued",
    `${counted(urls, "URL")}${orMore ? " or more" : ""} of job ${job}`,
  ]);
}

function nowText({ known, unreachable, hold, detail, queued }: HostStatus): string {
  if (unreachable) return "nobody who could know it answers; ask again";
  if (!known) return "nothing of it was ever queued";
  if (hold !== undefined) return detail === undefined ? hold : `${hold}: ${detail}`;
  return queued.length === 0 ? "nothing is queued" : "nothing keeps it back";
}

/** `2026-01-02 03:04:05` of an ISO 8601 time. */
function timeText(iso: string): string {
  return iso.slice(0, 19).replace("T", " ");
}
