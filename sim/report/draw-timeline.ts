import { escaped } from "../../src/core/text/html.ts";
import type { ChronicleEvent, LifeEnd, Window } from "../checkers/chronicle.ts";
import { frameOf, timeAxis, xOf, type Frame } from "./axes.ts";
import { label, machineColor, px, svg } from "./markup.ts";
import type { RunReport } from "./run-log.ts";

const width = 920;
/** Rows of labels for what happens to all; what finds no room there is a stroke only. */
const lanes = 4;
const laneHeight = 14;
/** Width of a letter of a label, about. */
const letterWidth = 5.8;
const headHeight = 26 + lanes * laneHeight + 8;
const footHeight = 38;
/** Rows of one picture; of more machines those have one to which something happened. */
const rowsMax = 100;
/** Rows that have room for names. */
const namedMax = 60;

/** How the end of a life is drawn: what was taken down by force as a cross, what went in order as a stroke. */
const isViolent: Readonly<Record<LifeEnd, boolean>> = {
  kill: true,
  power: true,
  wipe: true,
  fail: true,
  stop: false,
  leave: false,
};

/** What a machine is asked to do for the job, which is no fault. */
const ofJob: ReadonlySet<ChronicleEvent["kind"]> = new Set<ChronicleEvent["kind"]>([
  "inject",
  "pause",
  "resume",
]);

/** Machines that have a row in the picture of their lives, in their order. */
export function drawnMachines({ events, lives, machines }: RunReport): readonly number[] {
  const all = Array.from({ length: machines }, (_, machine) => machine);
  if (machines <= rowsMax) return all;
  const ofLives = lives.filter(
    ({ fromMs, end, generation }) => fromMs > 0 || end !== undefined || generation > 1,
  );
  const ofEvents = events.filter(({ kind, skipped }) => kind !== "inject" && skipped === undefined);
  const eventful = new Set([...ofLives, ...ofEvents].map(({ machine }) => machine));
  return all.filter((machine) => eventful.has(machine)).slice(0, rowsMax);
}

/** Lives of machines, faults, and the times in which members may have lost sight of one another. */
export function drawTimeline(report: RunReport): string {
  const { lives, virtualMs, splits, thins, events } = report;
  const machines = drawnMachines(report);
  const rows = new Map(machines.map((machine, at) => [machine, at]));
  const row = machines.length <= namedMax ? 18 : 7;
  const height = headHeight + machines.length * row + footHeight;
  const frame: Frame = { ...frameOf(width, height, virtualMs / 1_000, 1), top: headHeight };
  let drawn = [
    ...splits.map((window) => band(frame, window, virtualMs, "split")),
    ...thins.map((window) => band(frame, window, virtualMs, "thin")),
  ].join("");
  for (const [machine, at] of machines.length <= namedMax ? rows : []) {
    drawn += label(frame.left - 8, headHeight + at * row + 13, `peer-${machine}`, "end");
  }
  for (const { machine, fromMs, toMs, end, generation } of lives) {
    const at = rows.get(machine);
    if (at === undefined) continue;
    const x = xOf(frame, fromMs / 1_000);
    const until = xOf(frame, Math.min(toMs, virtualMs) / 1_000);
    const y = headHeight + at * row;
    const title = `peer-${machine}, life ${generation}${end === undefined ? "" : `, ended by ${end}`}`;
    drawn += `<rect x="${px(x)}" y="${px(y + row * 0.2)}" width="${px(Math.max(1, until - x))}" height="${px(row * 0.6)}" rx="2" fill="${machineColor(machine)}"><title>${title}</title></rect>`;
    if (end !== undefined) drawn += endMark(until, y + row / 2, row * 0.3, end);
  }
  for (const event of events) {
    const at = event.machine === undefined ? undefined : rows.get(event.machine);
    if (at !== undefined) drawn += machineMark(frame, event, { at, height: row });
  }
  drawn += swarmEvents(frame, events) + timeAxis(frame);
  return svg(width, height, "Lives of the peers and faults over time", drawn);
}

function band(frame: Frame, { fromMs, toMs }: Window, endMs: number, kind: string): string {
  const x = xOf(frame, Math.max(0, fromMs) / 1_000);
  const until = xOf(frame, Math.min(toMs, endMs) / 1_000);
  return `<rect class="${kind}" x="${px(x)}" y="${px(frame.top)}" width="${px(Math.max(1, until - x))}" height="${px(frame.bottom - frame.top)}"/>`;
}

function endMark(x: number, y: number, reach: number, end: LifeEnd): string {
  const r = px(reach);
  const [d, style] = isViolent[end]
    ? [
        `M${px(x - reach)} ${px(y - reach)}l${r} ${r}l${r} ${r}m0 -${px(2 * reach)}l-${px(2 * reach)} ${px(2 * reach)}`,
        "crash",
      ]
    : [`M${px(x)} ${px(y - reach * 1.5)}v${px(reach * 3)}`, "ended"];
  return `<path class="${style}" d="${d}"><title>${end}</title></path>`;
}

/** Something that happened to one machine and is no end of a life: a dot on it. */
function machineMark(
  frame: Frame,
  event: ChronicleEvent,
  row: { readonly at: number; readonly height: number },
): string {
  const { atMs, kind, skipped } = event;
  if (skipped !== undefined || kind === "start" || kind in isViolent) return "";
  const x = xOf(frame, atMs / 1_000);
  const y = headHeight + (row.at + 0.5) * row.height;
  const style = ofJob.has(kind) ? "seeds" : "fault";
  return `<circle class="${style}" cx="${px(x)}" cy="${px(y)}" r="${px(row.height * 0.22)}"><title>${escaped(textOf(event))}</title></circle>`;
}

/** What happened to all: a stroke through all rows, with its name above. */
function swarmEvents(frame: Frame, events: readonly ChronicleEvent[]): string {
  const usedUntil: number[] = Array.from({ length: lanes }, () => 0);
  let drawn = "";
  for (const event of events) {
    const { atMs, kind, machine, skipped } = event;
    if (machine !== undefined || skipped !== undefined) continue;
    const x = xOf(frame, atMs / 1_000);
    const name = kind === "heal-all" ? "all healed" : kind;
    const labelWidth = name.length * letterWidth + 8;
    const isAtEdge = x + labelWidth > frame.right;
    const from = isAtEdge ? x - labelWidth : x;
    const lane = usedUntil.findIndex((until) => until <= from);
    const y = 26 + Math.max(0, lane) * laneHeight;
    const top = lane < 0 ? frame.top - 6 : y - 9;
    drawn += `<path class="event" d="M${px(x)} ${px(top)}V${px(frame.bottom)}"><title>${escaped(textOf(event))}</title></path>`;
    if (lane < 0) continue;
    usedUntil[lane] = from + labelWidth;
    drawn += label(isAtEdge ? x - 3 : x + 3, y, name, isAtEdge ? "end" : "start");
  }
  return drawn;
}

/** An event as one line. */
export function textOf({ atMs, kind, machine, detail, skipped }: ChronicleEvent): string {
  const whom = machine === undefined ? "" : ` peer-${machine}`;
  const what = detail === undefined ? "" : `: ${detail}`;
  return `${(atMs / 1_000).toFixed(1)} s ${kind}${whom}${what}${skipped !== undefined ? " (left out)" : ""}`;
}
