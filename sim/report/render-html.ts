import type { Millis } from "../../src/core/units.ts";
import { escaped, htmlPage, htmlSection } from "../../src/core/text/html.ts";
import { counted, formatCount } from "../../src/core/text/human.ts";
import { checkerNames, checkers, factsOf, type Violation } from "../checkers/violation.ts";
import { trafficKinds } from "../world/traffic-counter.ts";
import { drawAnswered, drawLoad, drawTraffic, trafficColors } from "./draw-charts.ts";
import { drawRing } from "./draw-ring.ts";
import { drawnMachines, drawTimeline, textOf } from "./draw-timeline.ts";
import { figuresOf, titleOf, verdictOf } from "./figures.ts";
import { legend, machineColor } from "./markup.ts";
import { reportStyle } from "./report-style.ts";
import type { RunReport } from "./run-log.ts";

/** Machines that a legend names. */
const legendMax = 60;
/** Events that are listed. */
const eventsMax = 500;

/** A run as one HTML page that needs nothing else: no scripts, no other files, readable in light and dark. */
export function renderHtml(report: RunReport, wallMs?: Millis): string {
  const title = titleOf(report);
  const sections = [
    violationsSection(report),
    figuresSection(report, wallMs),
    section("Requests over time", drawAnswered(report) + machineLegend(report)),
    ringsSection(report),
    section("Load", drawLoad(report)),
    timelineSection(report),
    trafficSection(report),
    checksSection(report),
    eventsSection(report),
  ];
  const content = `<h1 class="${report.passed ? "good" : "bad"}">${escaped(verdictOf(report))}</h1>
<p>${escaped(title)}</p>
<p><code>${escaped(report.replay)}</code></p>
${sections.join("\n")}`;
  return htmlPage({
    title: `${report.passed ? "Passed" : "Failed"}: ${title}`,
    style: reportStyle,
    content,
  });
}

function section(heading: string, content: string, note = ""): string {
  return htmlSection(heading, content, note === "" ? "" : `<p>${escaped(note)}</p>`);
}

function table(rows: readonly (readonly [name: string, value: string])[]): string {
  const shown = rows.map(
    ([name, value]) => `<tr><th scope="row">${escaped(name)}</th><td>${escaped(value)}</td></tr>`,
  );
  return `<table>${shown.join("")}</table>`;
}

function violationsSection({ violations, violationCounts }: RunReport): string {
  if (violations.length === 0) return "";
  let total = 0;
  for (const times of violationCounts.values()) total += times;
  const shown = violations.map((violation): [string, string] => [
    `${(violation.atMs / 1_000).toFixed(3)} s  ${violation.checker}`,
    violationText(violation),
  ]);
  const note = total > shown.length ? `${formatCount(shown.length)} of ${formatCount(total)}` : "";
  return section("Violations", table(shown), note);
}

function violationText(violation: Violation): string {
  const { text } = violation;
  const facts = factsOf(violation).map(([name, value]) => `${name}: ${value}`);
  return facts.length === 0 ? text : `${text} (${facts.join("; ")})`;
}

function figuresSection(report: RunReport, wallMs: Millis | undefined): string {
  const rows = figuresOf(report, wallMs).map(({ name, value }): [string, string] => [name, value]);
  return section("Figures", table(rows));
}

function machineLegend({ machines }: RunReport): string {
  if (machines > legendMax) return "";
  return legend(
    Array.from({ length: machines }, (_, machine) => [machineColor(machine), `peer-${machine}`]),
  );
}

function ringsSection(report: RunReport): string {
  const before = drawRing("before", report.holdingsBefore);
  const after = drawRing("after", report.holdingsAfter);
  const note = "Who holds which part of the circle of sites when the seeds come, and at the end.";
  return section(
    "Ownership",
    `<div class="rings">${before}${after}</div>${machineLegend(report)}`,
    note,
  );
}

function timelineSection(report: RunReport): string {
  const leftOut = report.machines - drawnMachines(report).length;
  const note =
    "Bars are lives: a cross ends one by a crash, a stroke one in order. Rings are seeds and changes of the job, red dots faults of one machine." +
    (leftOut > 0
      ? ` Left out: ${counted(leftOut, "machine")} to which nothing happened, or for which there is no room.`
      : "");
  const keys = legend([
    ["var(--split)", "members may have lost sight of one another"],
    ["var(--thin)", "as many machines down as there are copies"],
  ]);
  return section("Lives and faults", drawTimeline(report) + keys, note);
}

function trafficSection(report: RunReport): string {
  const keys = legend(trafficKinds.map((kind) => [trafficColors[kind], kind]));
  const pictures = drawTraffic(report, "messages") + drawTraffic(report, "bytes");
  return section("Messages between peers", pictures + keys);
}

function checksSection({ violationCounts }: RunReport): string {
  const rows = checkerNames.map((name): [string, string] => {
    const times = violationCounts.get(name) ?? 0;
    return [name, `${times === 0 ? "holds" : counted(times, "violation")}: ${checkers[name]}`];
  });
  return section("What was checked", table(rows));
}

function eventsSection({ events }: RunReport): string {
  const shown = events.slice(0, eventsMax).map((event) => {
    const style = event.skipped !== undefined ? ' class="left-out"' : "";
    return `<li${style}>${escaped(textOf(event))}</li>`;
  });
  const more = events.length - shown.length;
  if (more > 0) shown.push(`<li>and ${formatCount(more)} more</li>`);
  return `<section><details><summary>Events (${formatCount(events.length)})</summary><ol>${shown.join("")}</ol></details></section>`;
}
