import { rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CrawlError } from "../src/core/errors.ts";
import type { JobReport } from "../src/ports/peer-control.ts";
import { dataLayout } from "./config/peer-config.ts";
import { skippedOf } from "./dashboard/progress-view.ts";
import {
  counted,
  formatBytes,
  formatCount,
  formatDuration,
  formatRate,
} from "../src/core/text/human.ts";
import { countsText } from "./text/job-text.ts";
import { labelled, type LabelledRow } from "./text/terminal-text.ts";

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
): CrawlSummary {
  const seconds = Math.round(counts.activeMs) / 1_000;
  return {
    job: definition.id,
    finished,
    pages: counts.pages,
    fetched: counts.fetched,
    failed: counts.failed,
    skipped: counts.skipped,
    queued: counts.queued,
    requests: counts.requests,
    duplicateFetches: counts.duplicateFetches,
    statuses: counts.statuses,
    bytes: counts.bytes,
    seconds,
    pagesPerSecond: seconds > 0 ? Math.round((counts.pages / seconds) * 10) / 10 : 0,
    out: dataDir,
    archive: files.map((file) => join(dataLayout(dataDir).archiveDir, file)),
  };
}

/** Writes the summary into its data directory, whole or not at all. */
export async function writeSummary(summary: CrawlSummary): Promise<void> {
  const { summaryFile } = dataLayout(summary.out);
  const draft = `${summaryFile}.new`;
  try {
    await writeFile(draft, `${JSON.stringify(summary, undefined, 2)}\n`);
    await rename(draft, summaryFile);
  } catch (cause) {
    const full = cause instanceof Error && "code" in cause && cause.code === "ENOSPC";
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CrawlError(
      full ? "DISK_FULL" : "DATA_DIR_UNUSABLE",
      `the summary cannot be written (${reason})`,
      { path: summaryFile },
      { cause },
    );
  }
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
