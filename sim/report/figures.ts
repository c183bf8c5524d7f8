import type { Millis } from "../../src/core/units.ts";
import type { SkipReason } from "../checkers/chronicle.ts";
import { trafficKinds } from "../world/traffic-counter.ts";
import { totalOf, type RunReport } from "./run-log.ts";

/** One line of what a run came to. */
export interface Figure {
  readonly name: string;
  readonly value: string;
}

/** What a run came to, as people read it. */
export function figuresOf(report: RunReport, wallMs?: Millis): readonly Figure[] {
  const { coverage, fetchedBytes, pages, requests, traffic } = report;
  const sent = totalOf(traffic);
  const took = `${seconds(report.virtualMs)} virtual`;
  const figure = (name: string, value: string): Figure => ({ name, value });
  return [
    figure("pages", `${count(coverage.done)} of ${count(coverage.must)} that had to be done`),
    figure("time", wallMs === undefined ? took : `${took}, ${seconds(wallMs)} real`),
    figure("crawl", `${seconds(report.crawlMs)}, ${pagesPerSecond(report)} pages/s`),
    figure("requests", `${count(requests)}, ${count(pages)} answered, ${bytes(fetchedBytes)}`),
    figure("fetched again", duplicatesText(report)),
    figure("messages", `${count(sent.messages)}, ${bytes(sent.bytes)}`),
    ...trafficKinds.map((kind) => {
      const { messages, bytes: size } = traffic[kind];
      return figure(`  ${kind}`, `${count(messages)}, ${bytes(size)}`);
    }),
    figure("forwarding", forwardingText(report)),
    figure("machines", `${count(report.machines)} in all, ${count(report.lives.length)} lives`),
    figure("faults", faultsText(report)),
    figure("one swarm again", convergedText(report)),
    figure("end told", afterText(report.finishedAfterMs, "after the last answer")),
    figure("delays", delaysText(report)),
    figure("shortest slack", slackText(report.shortestSlackMs)),
    figure("longest queues", queuesText(report)),
    figure("status answers", `${count(report.statusAnswers)} compared`),
    figure("trace", report.traceHash),
  ];
}

/** `PASSED`, or how many violations there were of what. */
export function verdictOf({ passed, violationCounts }: RunReport): string {
  if (passed) return "PASSED";
  const found = [...violationCounts].map(([checker, times]) => `${count(times)} ${checker}`);
  return `FAILED: ${found.join(", ")}`;
}

/** What was run. */
export function titleOf({ plan: { scenario, size } }: RunReport): string {
  const { seed, peers, sites, pages } = size;
  return `${scenario}, seed ${seed}: ${count(peers)} peers, ${count(sites)} sites, ${count(pages)} pages`;
}

function pagesPerSecond({ coverage, crawlMs }: RunReport): string {
  return crawlMs > 0 ? ((coverage.done * 1_000) / crawlMs).toFixed(1) : "0";
}

function duplicatesText({ duplicates }: RunReport): string {
  const reasons = Object.entries(duplicates).filter(([, times]) => times > 0);
  if (reasons.length === 0) return "nothing";
  return reasons.map(([reason, times]) => `${count(times)} ${reason}`).join(", ");
}

function forwardingText({ fetchedBytes, forwarded, traffic }: RunReport): string {
  const share = percent(traffic.forwarding.bytes, fetchedBytes);
  const perMessage = forwarded.urls / Math.max(1, forwarded.messages);
  return `${share} of the bytes fetched, ${perMessage.toFixed(1)} URLs a message`;
}

function faultsText({ events, falseDeaths, plan }: RunReport): string {
  const kinds = new Set<string>(plan.faults.map(({ kind }) => kind));
  const faults = events.filter(({ kind }) => kinds.has(kind));
  const happened = faults.filter(({ skipped }) => skipped === undefined);
  const leftOut = Object.entries(skipTexts).flatMap(([reason, text]) => {
    const times = faults.filter(({ skipped }) => skipped === reason).length;
    return times === 0 ? [] : [`${count(times)} ${text}`];
  });
  if (plan.faults.length === 0) return `none planned, ${count(falseDeaths)} false deaths`;
  return [
    `${count(happened.length)} of ${count(plan.faults.length)} planned`,
    ...leftOut,
    `${count(falseDeaths)} false deaths`,
  ].join(", ");
}

const skipTexts: Readonly<Record<SkipReason, string>> = {
  unfit: "found nothing to break or to mend",
  "never-calm": "waited in vain for a calm swarm",
};

function convergedText({ convergedAfterMs, lastFaultAtMs }: RunReport): string {
  if (lastFaultAtMs === undefined) return "no faults";
  return afterText(convergedAfterMs, "after the last fault");
}

function delaysText({ delays: { excused, requests } }: RunReport): string {
  const told = `${count(requests)} requests compared with the one before`;
  if (excused === 0) return `${told}, none excused`;
  return `${told}, ${count(excused)} excused: sides of a split, senders dead by then`;
}

function afterText(ms: Millis | undefined, since: string): string {
  return ms === undefined ? "never" : `${seconds(ms)} ${since}`;
}

function slackText(ms: Millis): string {
  return Number.isFinite(ms) ? `${ms.toFixed(1)} ms beyond the delay` : "no two requests";
}

function queuesText({ queues }: RunReport): string {
  const named = Object.entries(queues).map(([name, length]) => `${name} ${count(length)}`);
  return named.length === 0 ? "none" : named.join(", ");
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "0%" : `${((part / whole) * 100).toFixed(2)}%`;
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** Time as seconds with one decimal, and as minutes where they are many. */
export function seconds(ms: Millis): string {
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
}

const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

export function bytes(value: number): string {
  const unit = value < 1 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log2(value) / 10));
  return `${(value / 1_024 ** unit).toFixed(unit === 0 ? 0 : 1)} ${byteUnits[unit] ?? ""}`;
}
