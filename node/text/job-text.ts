import type { JobOptions } from "../../src/core/jobs/job-definition.ts";
import type { OptionChange } from "../../src/core/jobs/option-changes.ts";
import type { JobReport, JobShare, SwarmJobReport } from "../../src/ports/peer-control.ts";
import { settingOf } from "../config/from-settings.ts";
import { skippedOf } from "../dashboard/progress-view.ts";
import { counted, formatBytes, formatCount, formatDuration } from "../../src/core/text/human.ts";
import { shortId } from "./member-text.ts";
import { headedTable, labelled, printable, type LabelledRow, type Table } from "./terminal-text.ts";

export function renderJobs(jobs: readonly JobReport[]): string {
  return headedTable(jobTable(jobs));
}

/** Jobs, a row each. */
export function jobTable(jobs: readonly JobReport[]): Table {
  const heads = [
    "JOB",
    "STATE",
    "PAGES",
    "FETCHED",
    "FAILED",
    "SKIPPED",
    "QUEUED",
    "RECEIVED",
    "TIME",
  ];
  const rows = jobs.map((job) => [
    job.definition.id,
    job.definition.state,
    formatCount(job.counts.pages),
    formatCount(job.counts.fetched),
    formatCount(job.counts.failed),
    formatCount(skippedOf(job.counts.skipped)),
    formatCount(job.counts.queued),
    formatBytes(job.counts.bytes),
    formatDuration(job.counts.activeMs),
  ]);
  const [left, right] = ["left", "right"] as const;
  const alignments = [left, left, right, right, right, right, right, right, right];
  return { heads, rows, alignments };
}

/** One job with its options, what it skipped, and who has done what of it. */
export function renderJob(job: SwarmJobReport): string {
  return `${renderJobs([job])}\n${renderJobDetails(job)}`;
}

/** What the row of a table has no room for. */
export function renderJobDetails(job: SwarmJobReport): string {
  const { options } = job.definition;
  const rows: LabelledRow[] = [
    ["scope", `${options.scope}, at most ${counted(options.depthMax, "link")} from a seed`],
    ["pages", options.pagesMax === 0 ? "no limit" : `at most ${formatCount(options.pagesMax)}`],
    ["delay", delayText(options)],
    ["priority", String(options.priority)],
    ...options.include.map((pattern): LabelledRow => ["include", pattern]),
    ...options.exclude.map((pattern): LabelledRow => ["exclude", pattern]),
    ["sitemaps", options.sitemaps ? "followed where robots.txt names them" : "not followed"],
    ["not HTML", options.otherContent === "archive" ? "archived" : "skipped"],
    ["queries", queriesText(options)],
    ["URLs", urlsText(options)],
    ["hosts", hostsText(options)],
    ["answers", countsText(job.counts.statuses) || "none"],
    ["skipped", countsText(job.counts.skipped) || "none"],
    ...(job.shares.length < 2 ? [] : job.shares.map(shareRow)),
  ];
  return labelled(rows);
}

/** `12 robots, 3 scope`: the most frequent first, of equal ones by name; empty where there is none. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .map(([name, count]) => `${formatCount(count)} ${name}`)
    .join(", ");
}

function queriesText({ normalizeQuery }: JobOptions): string {
  const make = normalizeQuery ? "no other URL" : "another URL";
  return `session ids, tracking and order of parameters make ${make}`;
}

/** The guards against endless sites, which no flag sets: whose URL they keep out wants to know where they stand. */
function urlsText({ urlBytesMax, pathSegmentsMax, segmentRepeatsMax }: JobOptions): string {
  const segments = `${counted(pathSegmentsMax, "path segment")}, each at most ${counted(segmentRepeatsMax, "time")}`;
  return `at most ${counted(urlBytesMax, "byte")} and ${segments}`;
}

function hostsText({ pagesPerHostMax, queriesPerPathMax }: JobOptions): string {
  const queries = counted(queriesPerPathMax, "query string");
  return `at most ${counted(pagesPerHostMax, "URL")} of one, and ${queries} of a path`;
}

function delayText({ delayMs, connectionsPerHost }: JobOptions): string {
  const open = counted(connectionsPerHost, "request");
  return `${formatCount(delayMs)} ms between requests to a host, ${open} open to it at once`;
}

function shareRow({ peer, counts, past }: JobShare): LabelledRow {
  const done = `${formatCount(counts.fetched)} fetched`;
  const rest = past ? "does not answer or has gone" : `${formatCount(counts.queued)} queued`;
  return ["member", `${shortId(peer)}, ${done}, ${rest}`];
}

/** What lets a paused job go on; `place` names its peer to a command, where that is known. */
export function resumeText(job: string, place = ""): string {
  return `to go on: peer jobs resume ${job}${place}`;
}

/** A line that tells what an injection has changed of a job that there was; empty where that is nothing. */
export function changesText(job: string, changes: readonly OptionChange[]): string {
  const told = changes.map(
    ({ option, before, after }) =>
      `${settingOf(option)} from ${valueText(before)} to ${valueText(after)}`,
  );
  return told.length === 0 ? "" : `job ${job} is changed from now on: ${told.join(", ")}\n`;
}

function valueText(value: OptionChange["before"]): string {
  if (Array.isArray(value)) return value.length === 0 ? "none" : printable(value.join(" "));
  return typeof value === "number" ? formatCount(value) : String(value);
}
