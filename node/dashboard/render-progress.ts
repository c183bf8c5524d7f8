import { formatBytes, formatClock, formatCount, formatRate } from "../../src/core/text/human.ts";
import { columnsOf, cut, printable, wrapped } from "../text/terminal-text.ts";
import type { ProgressView } from "./progress-view.ts";

export interface PanelStyle {
  readonly columns: number;
  readonly color: boolean;
}

/** How cells stand side by side. */
interface Layout {
  /** Columns of the terminal that it takes. */
  readonly columns: number;
  /** Of each cell of a row: narrower values would make the columns jump at every order of magnitude. */
  readonly cells: readonly { readonly label: number; readonly value: number }[];
  readonly gap: string;
}

/** The widest first. */
const layouts: readonly Layout[] = [
  {
    columns: 64,
    cells: [
      { label: 9, value: 11 },
      { label: 7, value: 10 },
      { label: 8, value: 10 },
    ],
    gap: "   ",
  },
  {
    columns: 40,
    cells: [
      { label: 9, value: 9 },
      { label: 8, value: 9 },
    ],
    gap: "  ",
  },
];

const panelWidthMax = 72;
/** Lines that what keeps it from going on may take. */
const troubleLinesMax = 4;
/** What stands before each line but the head. */
const indent = "  ";
/** Of the one cell of a row where there is room for no more. */
const narrowest = { label: 9, value: 11 } as const;

/** What it is, and what it is now, where that is known. */
type Cell = readonly [label: string, value: string | undefined];

/**
 * The live panel, one string a line, none wider than the terminal:
 *
 * ```text
 * crawling docs.example                                        00:01:23
 *   pages       12,345   now      480/s   mean     392/s
 *   queued       3,210   hosts       17   open        12
 *   received   1.2 GiB   failed      12   skipped  2,345
 * ```
 *
 * What keeps it from going on stands below, where something does. The place of what is not known stays empty, so
 * that the columns do not jump. A narrower terminal has more and shorter lines.
 */
export function renderPanel(view: ProgressView, { columns, color }: PanelStyle): string[] {
  const width = Math.max(1, Math.min(columns - 1, panelWidthMax));
  const title = printable(view.title) + (view.note === undefined ? "" : ` (${view.note})`);
  const clock = formatClock(view.elapsedMs);
  const left = cut(title, Math.max(1, width - clock.length - 2));
  const space = " ".repeat(Math.max(0, width - clock.length - columnsOf(left)));
  const head = cut(left + space + clock, width);
  const { activeHosts, currentRate, openRequests } = view;
  const cells: Cell[] = [
    ["pages", formatCount(view.pages)],
    ["now", currentRate === undefined ? undefined : perSecond(currentRate)],
    ["mean", perSecond(view.meanRate)],
    ["queued", formatCount(view.queued)],
    ["hosts", activeHosts === undefined ? undefined : formatCount(activeHosts)],
    ["open", openRequests === undefined ? undefined : formatCount(openRequests)],
    ["received", formatBytes(view.bytes)],
    ["failed", formatCount(view.failed)],
    ["skipped", formatCount(view.skipped)],
  ];
  const layout = layouts.find((one) => one.columns <= columns) ?? narrowLayout(width);
  const lines = rowsOf(cells, layout).map((line) => cut(line, width));
  const trouble = troubleOf(view, width);
  return color ? [bold(head), ...lines.map(dimLabels), ...trouble] : [head, ...lines, ...trouble];
}

/** One plain line: `00:01:23 pages 12,345 (480/s) queued 3,210 hosts 17 failed 12 skipped 2,345 received 1.2 GiB`. */
export function renderLine(view: ProgressView): string {
  const { activeHosts, currentRate } = view;
  const pages = `pages ${formatCount(view.pages)}`;
  return [
    formatClock(view.elapsedMs),
    currentRate === undefined ? pages : `${pages} (${perSecond(currentRate)})`,
    `queued ${formatCount(view.queued)}`,
    ...(activeHosts === undefined ? [] : [`hosts ${formatCount(activeHosts)}`]),
    `failed ${formatCount(view.failed)}`,
    `skipped ${formatCount(view.skipped)}`,
    `received ${formatBytes(view.bytes)}`,
    ...(view.note === undefined ? [] : [view.note]),
    ...(view.trouble === undefined ? [] : [printable(view.trouble)]),
  ].join("  ");
}

/** With its end, which says when it goes on, also where the terminal is narrow. */
function troubleOf({ trouble }: ProgressView, width: number): readonly string[] {
  if (trouble === undefined) return [];
  const lines = wrapped(printable(trouble), width - indent.length, troubleLinesMax);
  return lines.map((line) => cut(indent + line, width));
}

/** One cell a row, its value no further right than the terminal reaches: an end that is cut off would be the number. */
function narrowLayout(width: number): Layout {
  const { label, value } = narrowest;
  const room = Math.max(1, width - indent.length - label);
  return { columns: 0, cells: [{ label, value: Math.min(value, room) }], gap: "" };
}

function perSecond(rate: number): string {
  return `${formatRate(rate)}/s`;
}

function rowsOf(cells: readonly Cell[], { cells: widths, gap }: Layout): string[] {
  const rows: string[] = [];
  for (let at = 0; at < cells.length; at += widths.length) {
    const row = cells.slice(at, at + widths.length).map(([label, value], column) => {
      const width = widths[column] ?? { label: 0, value: 0 };
      if (value === undefined) return " ".repeat(width.label + width.value);
      return label.padEnd(width.label) + value.padStart(width.value);
    });
    rows.push(`${indent}${row.join(gap)}`.trimEnd());
  }
  return rows;
}

const escape = "\u001b[";

function bold(text: string): string {
  return `${escape}1m${text}${escape}0m`;
}

/** Labels step back, so that the numbers stand out. */
function dimLabels(line: string): string {
  return line.replace(/[a-z]{3,}(?= )/g, (label) => `${escape}2m${label}${escape}0m`);
}
