import { formatBytes, formatClock, formatCount, formatRate } from "../../src/core/text/human.ts";
import { cut, printable } from "../text/terminal-text.ts";
import type { ProgressView } from "./progress-view.ts";

export interface PanelStyle {
  readonly columns: number;
  readonly color: boolean;
}

/** Narrower numbers would make the columns jump at every order of magnitude. */
const countWidth = 11;
const sideWidth = 10;
const panelWidthMax = 72;

/** What it is, and what it is now, where that is known. */
type Cell = readonly [label: string, value: string | undefined];

const emptyCell: Cell = ["", undefined];

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
 * The place of what is not known stays empty, so that the columns do not jump.
 */
export function renderPanel(view: ProgressView, { columns, color }: PanelStyle): string[] {
  const width = Math.max(1, Math.min(columns - 1, panelWidthMax));
  const title = printable(view.title) + (view.note === undefined ? "" : ` (${view.note})`);
  const clock = formatClock(view.elapsedMs);
  const left = cut(title, Math.max(1, width - clock.length - 2));
  const head = cut(left.padEnd(width - clock.length) + clock, width);
  const { activeHosts, currentRate, openRequests } = view;
  const rows: Cell[][] = [
    [
      ["pages", formatCount(view.pages)],
      ["now", currentRate === undefined ? undefined : perSecond(currentRate)],
      ["mean", perSecond(view.meanRate)],
    ],
    [
      ["queued", formatCount(view.queued)],
      ["hosts", activeHosts === undefined ? undefined : formatCount(activeHosts)],
      ["open", openRequests === undefined ? undefined : formatCount(openRequests)],
    ],
    [
      ["received", formatBytes(view.bytes)],
      ["failed", formatCount(view.failed)],
      ["skipped", formatCount(view.skipped)],
    ],
  ];
  const lines = rows.map((cells) => cut(panelRow(cells), width));
  return color ? [bold(head), ...lines.map(dimLabels)] : [head, ...lines];
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
  ].join("  ");
}

function perSecond(rate: number): string {
  return `${formatRate(rate)}/s`;
}

function panelRow(cells: readonly Cell[]): string {
  const [first = emptyCell, second = emptyCell, third = emptyCell] = cells;
  return [`  ${cell(first, 9, countWidth)}`, cell(second, 7, sideWidth), cell(third, 8, sideWidth)]
    .join("   ")
    .trimEnd();
}

function cell([label, value]: Cell, labelWidth: number, valueWidth: number): string {
  if (value === undefined) return " ".repeat(labelWidth + valueWidth);
  return label.padEnd(labelWidth) + value.padStart(valueWidth);
}

const escape = "\u001b[";

function bold(text: string): string {
  return `${escape}1m${text}${escape}0m`;
}

/** Labels step back, so that the numbers stand out. */
function dimLabels(line: string): string {
  return line.replace(/[a-z]{3,}(?= )/g, (label) => `${escape}2m${label}${escape}0m`);
}
