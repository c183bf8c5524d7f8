import type { HostAnswer, OriginRobots } from "../../src/core/answers/host-status.ts";
import type { HostStatus } from "../../src/ports/peer-control.ts";
import { counted, formatDuration, formatTime } from "../../src/core/text/human.ts";
import { shortId } from "./member-text.ts";
import { labelled, printable, type LabelledRow } from "./terminal-text.ts";

/** What is known of a host, and why it is not asked now. */
export function renderHost(status: HostStatus): string {
  const rows: LabelledRow[] = [
    [
      "owner",
      `${shortId(status.owner)}${status.replica ? ", which does not answer; from a copy" : ""}`,
    ],
    ...queueRows(status),
    ["now", nowText(status)],
    [
      "next",
      status.nextFetchAt === undefined ? undefined : `${formatTime(status.nextFetchAt)} UTC`,
    ],
    ["failures", failuresText(status)],
    [
      "delay",
      status.crawlDelayMs === undefined
        ? undefined
        : `${formatDuration(status.crawlDelayMs)}, as its robots.txt asks`,
    ],
    ...status.robots.map((robots): LabelledRow => ["robots", robotsText(robots)]),
  ];
  return `${printable(status.host)}\n${labelled(rows, "  ")}`;
}

function robotsText({ origin, verdict, expiresAt, ...answer }: OriginRobots): string {
  const isSilent = answer.failure === undefined && answer.httpStatus === 0;
  const told = isSilent ? "" : ` (${answerWord(answer)})`;
  return `${origin}: ${verdict}${told}, kept until ${formatTime(expiresAt)} UTC`;
}

function answerWord({ httpStatus, failure }: HostAnswer): string {
  return failure ?? `HTTP ${httpStatus}`;
}

function failuresText({ failuresInRow, lastFailure }: HostStatus): string | undefined {
  const count = failuresInRow === 0 ? [] : [`${failuresInRow} in a row`];
  if (lastFailure === undefined) return count[0];
  return [...count, `the last one ${answerWord(lastFailure)}`].join(", ");
}

function queueRows({ queued }: HostStatus): LabelledRow[] {
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
