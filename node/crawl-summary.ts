import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { JobReport } from "../src/ports/peer-control.ts";
import { dataLayout } from "./config/peer-config.ts";
import { skippedOf } from "./dashboard/progress-view.ts";
import { roundFigure } from "../src/core/round-figure.ts";
import {
  counted,
  formatBytes,
  formatCount,
  formatDuration,
  formatRate,
} from "../src/core/text/human.ts";
import { countsText } from "./text/job-text.ts";
import { labelled, type LabelledRow } from "./text/terminal-text.ts";
import { writeWhole } from "./whole-file.ts";

/** What a crawl did, over all its runs: the document that `peer crawl --json` prints. */
export interface CrawlSummary {
  readonly job: string;
  readonly finished: boolean;
  /** 200-answers that were HTML, and pages that the server says have not changed since another job. */
  readonly pages: number;
  /** URLs answered by the server, with any status. */
  readonly fetched: number;
  /** URLs given up after their last attempt. */
  readonly failed: number;
  /** URLs given up, or answered with an error: those of the list. Absent where a stop left no time for it. */
  readonly broken?: number;
  /** URLs kept out, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** URLs left for the next run; of a crawl that is finished, those left because of `--max-pages`. */
  readonly queued: number;
  readonly requests: number;
  readonly duplicateFetches: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Body bytes received. */
  readonly bytes: number;
  readonly seconds: number;
  readonly pagesPerSecond: number;
  readonly out: string;
  /** WARC files, oldest first. */
  readonly archive: readonly string[];
}

/** The summary of `report`; `files` are names in the archive's directory, `dataDir` is as the user wrote it. */
export function crawlSummary(
  { definition, counts, finished }: JobReport,
  files: readonly string[],
  dataDir: string,
  broken?: number,
): CrawlSummary {
  const seconds = Math.round(counts.activeMs) / 1_000;
  return {
    job: definition.id,
    finished,
    pages: counts.pages,
    fetched: counts.fetched,
    failed: counts.failed,
    ...(broken !== undefined && { broken }),
    skipped: counts.skipped,
    queued: counts.queued,
    requests: counts.requests,
    duplicateFetches: counts.duplicateFetches,
    statuses: counts.statuses,
    bytes: counts.bytes,
    seconds,
    pagesPerSecond: seconds > 0 ? roundFigure(counts.pages / seconds) : 0,
    out: dataDir,
    archive: files.map((file) => join(dataLayout(dataDir).archiveDir, file)),
  };
}

/** Writes the summary into its data directory, whole or not at all. */
export function writeSummary(summary: CrawlSummary): Promise<void> {
  const text = `${JSON.stringify(summary, undefined, 2)}\n`;
  return writeWhole(dataLayout(summary.out).summaryFile, text, "the summary");
}

/** Removes what an earlier run has said of its end: until this one has come to its own, that is no longer so. */
export async function forgetResults(dataDir: string): Promise<void> {
  const { brokenFile, summaryFile } = dataLayout(dataDir);
  for (const file of [summaryFile, brokenFile]) await rm(file, { force: true });
}

/** The summary for people. */
export function renderSummary(summary: CrawlSummary): string {
  const rows: LabelledRow[] = [
    [
      "pages",
      `${formatCount(summary.pages)} in ${formatDuration(summary.seconds * 1_000)} (${formatRate(summary.pagesPerSecond)}/s)`,
    ],
    ["fetched", fetchedText(summary)],
    ["repeated", repeatedText(summary)],
    ["failed", formatCount(summary.failed)],
    ["broken", brokenText(summary)],
    ["skipped", `${formatCount(skippedOf(summary.skipped))}${listed(summary.skipped)}`],
    ["queued", queuedText(summary)],
    ["received", formatBytes(summary.bytes)],
    ["archive", archiveText(summary)],
  ];
  return labelled(rows, "  ");
}

function fetchedText({ fetched, requests, statuses }: CrawlSummary): string {
  return `${counted(fetched, "URL")} by ${counted(requests, "request")}${listed(statuses)}`;
}

function brokenText({ broken = 0, out }: CrawlSummary): string | undefined {
  return broken === 0 ? undefined : `${counted(broken, "URL")} in ${dataLayout(out).brokenFile}`;
}

/** Only the limit of pages ends a crawl before its queue does. */
function queuedText({ finished, queued }: CrawlSummary): string {
  return `${formatCount(queued)}${finished && queued > 0 ? ", left because of --max-pages" : ""}`;
}

function repeatedText({ duplicateFetches }: CrawlSummary): string | undefined {
  if (duplicateFetches === 0) return undefined;
  return `${counted(duplicateFetches, "request")} that an interruption had cut off`;
}

function archiveText({ archive }: CrawlSummary): string {
  const [first] = archive;
  if (first === undefined) return "empty";
  return archive.length === 1 ? first : `${counted(archive.length, "file")} in ${dirname(first)}`;
}

/** `: 12 robots, 3 scope` */
function listed(counts: Readonly<Record<string, number>>): string {
  const text = countsText(counts);
  return text === "" ? "" : `: ${text}`;
}
