import {
  counted,
  formatBytes,
  formatCount,
  formatDuration,
  formatShare,
} from "../../src/core/text/human.ts";
import type { Millis } from "../../src/core/units.ts";
import type { SkipReason } from "../checkers/chronicle.ts";
import { trafficKinds } from "../world/traffic-counter.ts";
import { ranMs, totalOf, type RunReport } from "./run-log.ts";

/** One line of what a run came to. */
export interface Figure {
  readonly name: string;
  readonly value: string;
}

/** What a run came to, as people read it. */
export function figuresOf(report: RunReport, wallMs?: Millis): readonly Figure[] {
  const { answered, coverage, fetchedBytes, requests, traffic } = report;
  const sent = totalOf(traffic);
  const took = `${formatDuration(report.virtualMs)} virtual`;
  const figure = (name: string, value: string): Figure => ({ name, value });
  return [
    figure(
      "pages",
      `${formatCount(coverage.done)} of ${formatCount(coverage.must)} that had to be done`,
    ),
    figure("time", wallMs === undefined ? took : `${took}, ${formatDuration(wallMs)} real`),
    figure("crawl", `${formatDuration(report.crawlMs)}, ${pagesPerSecond(report)} pages/s`),
    figure(
      "requests",
      `${formatCount(requests)}, ${formatCount(answered)} answered, ${formatBytes(fetchedBytes)}`,
    ),
    figure("fetched again", duplicatesText(report)),
    figure("messages", `${formatCount(sent.messages)}, ${formatBytes(sent.bytes)}`),
    ...trafficKinds.map((kind) => {
      const { messages, bytes: size } = traffic[kind];
      return figure(`  ${kind}`, `${formatCount(messages)}, ${formatBytes(size)}`);
    }),
    figure(
      "a peer sends",
      `${formatRate(report, 0)} on average, ${formatRate(report, 0.75)} in the last quarter`,
    ),
    figure("forwarding", forwardingText(report)),
    figure(
      "machines",
      `${formatCount(report.machines)} in all, ${formatCount(report.lives.length)} lives`,
    ),
    figure("faults", faultsText(report)),
    figure("one swarm again", convergedText(report)),
    figure("end told", afterText(report.finishedAfterMs, "after the last answer")),
    figure("delays", delaysText(report)),
    figure("shortest slack", slackText(report.shortestSlackMs)),
    figure("longest queues", queuesText(report)),
    figure("status answers", `${formatCount(report.statusAnswers)} compared`),
    figure("trace", report.traceHash),
  ];
}

/** `PASSED`, or how many violations there were of what. */
export function verdictOf({ passed, violationCounts }: RunReport): string {
  if (passed) return "PASSED";
  const found = [...violationCounts].map(([checker, times]) => `${formatCount(times)} ${checker}`);
  return `FAILED: ${found.join(", ")}`;
}

/** What was run. */
export function titleOf({ plan: { scenario, size } }: RunReport): string {
  const { seed, peers, sites, pages } = size;
  return `${scenario}, seed ${seed}: ${formatCount(peers)} peers, ${formatCount(sites)} sites, ${formatCount(pages)} pages`;
}

/** Messages that a running peer has sent in a second, from that share of the run on. */
function formatRate({ lives, samples, virtualMs }: RunReport, share: number): string {
  const first = samples.find(({ atMs }) => atMs >= virtualMs * share);
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return "none";
  const messages = totalOf(last.traffic).messages - totalOf(first.traffic).messages;
  const rate = (messages * 1_000) / Math.max(1, ranMs(lives, first.atMs, last.atMs));
  return `${rate.toFixed(1)} messages/s`;
}

function pagesPerSecond({ coverage, crawlMs }: RunReport): string {
  return crawlMs > 0 ? ((coverage.done * 1_000) / crawlMs).toFixed(1) : "0";
}

function duplicatesText({ duplicates }: RunReport): string {
  const reasons = Object.entries(duplicates).filter(([, times]) => times > 0);
  if (reasons.length === 0) return "nothing";
  return reasons.map(([reason, times]) => `${formatCount(times)} ${reason}`).join(", ");
}

function forwardingText({ fetchedBytes, forwarded, traffic }: RunReport): string {
  const share = formatShare(traffic.forwarding.bytes / Math.max(1, fetchedBytes));
  const perMessage = forwarded.urls / Math.max(1, forwarded.messages);
  return `${share} of the bytes fetched, ${perMessage.toFixed(1)} URLs a message`;
}

function faultsText({ events, falseDeaths, plan }: RunReport): string {
  const kinds = new Set<string>(plan.faults.map(({ kind }) => kind));
  const faults = events.filter(({ kind }) => kinds.has(kind));
  const happened = faults.filter(({ skipped }) => skipped === undefined);
  const leftOut = Object.entries(skipTexts).flatMap(([reason, text]) => {
    const times = faults.filter(({ skipped }) => skipped === reason).length;
    return times === 0 ? [] : [`${formatCount(times)} ${text}`];
  });
  if (plan.faults.length === 0) return `none planned, ${counted(falseDeaths, "false death")}`;
  return [
    `${formatCount(happened.length)} of ${formatCount(plan.faults.length)} planned`,
    ...leftOut,
    counted(falseDeaths, "false death"),
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
  const told = `${formatCount(requests)} requests compared with the one before`;
  if (excused === 0) return `${told}, none excused`;
  return `${told}, ${formatCount(excused)} excused: sides of a split, senders dead by then`;
}

function afterText(ms: Millis | undefined, since: string): string {
  return ms === undefined ? "never" : `${formatDuration(ms)} ${since}`;
}

function slackText(ms: Millis): string {
  return Number.isFinite(ms) ? `${ms.toFixed(1)} ms beyond the delay` : "no two requests";
}

function queuesText({ queues }: RunReport): string {
  const named = Object.entries(queues).map(
    ([name, length]) => queueTexts[name]?.(length) ?? `${formatCount(length)} ${name}`,
  );
  return named.length === 0 ? "none" : named.join(", ");
}

/** What waits in the queues. */
const queueTexts: Readonly<Record<string, (length: number) => string>> = {
  pending: (length) => `${counted(length, "URL")} not acknowledged`,
  queuedRows: (length) => `${counted(length, "row")} to copy to a member`,
  pendingOps: (length) => `${counted(length, "operation")} to write`,
};
