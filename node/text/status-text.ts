import type { UrlStatus } from "../../src/ports/peer-control.ts";
import { counted, formatBytes, formatTime } from "../../src/core/text/human.ts";
import { shortId } from "./member-text.ts";
import { cut, labelled, printable, table, widthsOf, type LabelledRow } from "./terminal-text.ts";

/** Longest URL that a table shows in full; a longer one would push the other columns off the screen. */
const urlColumnsMax = 60;

/** Most words for what came of a URL are no longer: of the usual ones `connection-reset` is the longest. */
const wordColumns = 16;

/** One URL in full. */
export function renderStatus(status: UrlStatus): string {
  const { fetchedAt, redirect, title, job, depth, archive, via, linkedAs } = status;
  const rows: LabelledRow[] = [
    ["state", `${status.state}${answerText(status)}`],
    ["why", whyText(status)],
    ["fetched", fetchedAt === undefined ? undefined : `${formatTime(fetchedAt)} UTC`],
    ["attempts", status.attempts === 0 ? undefined : String(status.attempts)],
    ["redirect", redirect],
    ["found on", via],
    ["linked as", linkedAs],
    ["title", title],
    ["job", job === undefined ? undefined : jobText(job, depth)],
    // What is no URL has no site that a peer could own: the one named is who was asked.
    ["owner", status.reason === "invalid-url" ? undefined : shortId(status.owner)],
    ["digest", status.digest],
    [
      "archive",
      archive === undefined
        ? undefined
        : `${archive.file}, ${formatBytes(archive.length)} at offset ${archive.offset}`,
    ],
  ];
  const hint = isUnmet(status) ? unknownHint : "";
  return `${printable(status.url)}\n${labelled(rows, "  ")}${hint}`;
}

const unknownHint = "  No job has met this URL; peer inject URL gives it to one.\n";

const statusHeads = ["URL", "STATE", "HTTP", "FETCHED (UTC)", "ATTEMPTS", "WHY"];
const statusAlignments = ["left", "left", "right", "left", "right", "left"] as const;

/** Many URLs, a line each, in parts: no column of one is narrower than in those before it, the first of which has the head. */
export class StatusTable {
  #widths: readonly number[] | undefined;

  next(statuses: readonly UrlStatus[]): string {
    const rows = statuses.map(statusCells);
    const before = this.#widths;
    if (before === undefined) rows.unshift(statusHeads);
    const widths = widthsOf(rows, statusHeads.length);
    this.#widths = widths.map((width, column) => Math.max(width, before?.[column] ?? 0));
    return table(rows, statusAlignments, this.#widths);
  }
}

function statusCells(status: UrlStatus): readonly string[] {
  return [
    cut(printable(status.url), urlColumnsMax),
    status.state,
    status.httpStatus === undefined ? "-" : String(status.httpStatus),
    status.fetchedAt === undefined ? "-" : formatTime(status.fetchedAt),
    String(status.attempts),
    printable(status.redirect === undefined ? whyNot(status) : `to ${status.redirect}`),
  ];
}

/** URLs of a list, a line each: what came of it, the URL, and where a broken link stands. */
export function renderListed(statuses: readonly UrlStatus[]): string {
  const lines = statuses.map((status) => {
    const { url, redirect, via, linkedAs } = status;
    const word = listedWord(status).padEnd(wordColumns);
    const target = redirect === undefined ? "" : `  to ${redirect}`;
    const source = via === undefined ? "" : `  on ${via}`;
    const link = linkedAs === undefined ? "" : `  as ${linkedAs}`;
    return `${printable(`${word}  ${url}${target}${source}${link}`)}\n`;
  });
  return lines.join("");
}

/** Of a redirect that is not followed the reason says more than the status: without it nothing tells why it is broken. */
function listedWord({ state, httpStatus, reason, redirect }: UrlStatus): string {
  if (state === "queued") return String(httpStatus ?? state);
  const isEnd = redirect !== undefined && reason !== undefined;
  return isEnd ? reason : String(httpStatus ?? reason ?? state);
}

/** A URL as a JSON line: every field that scripts rely on is there, with null for what is not known. */
export function statusLine(status: UrlStatus): object {
  const { url, state, httpStatus, fetchedAt, attempts, redirect, reason, owner, ...more } = status;
  return {
    url,
    state,
    httpStatus: httpStatus ?? null,
    fetchedAt: fetchedAt ?? null,
    attempts,
    redirect: redirect ?? null,
    reason: reason ?? null,
    owner,
    ...more,
  };
}

function answerText({ httpStatus, contentType, bodyBytes, truncated }: UrlStatus): string {
  if (httpStatus === undefined) return "";
  const length = bodyBytes === undefined ? undefined : formatBytes(bodyBytes);
  const body = [contentType, length, truncated && "without its end"];
  const known = body.filter((part) => part !== undefined);
  return `, HTTP ${httpStatus}${known.length === 0 ? "" : ` (${known.join(", ")})`}`;
}

function whyText({ reason, detail }: UrlStatus): string | undefined {
  if (reason === undefined) return detail;
  return detail === undefined ? reason : `${reason}: ${detail}`;
}

function whyNot(status: UrlStatus): string {
  return whyText(status) ?? (isUnmet(status) ? "no job has met it" : "");
}

/** Whether it is known that no job has met it: what is unknown for a reason is none to crawl, or its owner is silent. */
function isUnmet({ state, reason, httpStatus }: UrlStatus): boolean {
  return state === "unknown" && reason === undefined && httpStatus === undefined;
}

function jobText(job: string, depth: number | undefined): string {
  return depth === undefined ? job : `${job}, ${counted(depth, "link")} from a seed`;
}
