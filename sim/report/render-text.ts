import type { Millis } from "../../src/core/units.ts";
import { formatCount } from "../../src/core/text/human.ts";
import { factsOf, type Violation } from "../checkers/violation.ts";
import { figuresOf, titleOf, verdictOf, type Figure } from "./figures.ts";
import type { RunReport } from "./run-log.ts";

/** Violations that are shown; the others are counted. */
const shownMax = 20;
/** Characters of one violation: details may name a URL for each peer. */
const lineMax = 400;

/** Columns of a terminal that a figure takes, at most, where its parts are no longer. */
const columns = 80;

/** A run as people read it: the verdict, the figures, what did not hold, and how to run it again. */
export function renderText(report: RunReport, wallMs?: Millis): string {
  const figures = figuresOf(report, wallMs);
  const width = Math.max(...figures.map(({ name }) => name.length));
  return [
    verdictOf(report),
    titleOf(report),
    "",
    ...figures.flatMap((figure) => figureLines(figure, width)),
    ...violationLines(report),
    "",
    `replay: ${report.replay}`,
    "",
  ].join("\n");
}

/** A figure, broken between its parts where it is too long for one line. */
function figureLines({ name, value }: Figure, width: number): readonly string[] {
  const lines: string[] = [];
  let line = `${name.padEnd(width)} `;
  for (const [at, part] of value.split(/(?<=,) /).entries()) {
    if (at > 0 && line.length + 1 + part.length > columns) {
      lines.push(line);
      line = " ".repeat(width + 1);
    }
    line += ` ${part}`;
  }
  return [...lines, line];
}

function violationLines({ violations, violationCounts }: RunReport): readonly string[] {
  if (violations.length === 0) return [];
  const shown = violations.slice(0, shownMax);
  let total = 0;
  for (const times of violationCounts.values()) total += times;
  const more = total - shown.length;
  const lines = ["", "violations:", ...shown.map(violationLine)];
  return more > 0 ? [...lines, `  and ${formatCount(more)} more`] : lines;
}

/** One violation as one line that cannot steer a terminal. */
function violationLine(violation: Violation): string {
  const { atMs, checker, text } = violation;
  const facts = factsOf(violation).map(([name, value]) => `${name}=${value}`);
  const told = facts.length === 0 ? text : `${text} (${facts.join(", ")})`;
  const line = `  ${(atMs / 1_000).toFixed(3)} s  ${checker}: ${told}`;
  const plain = line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "\ufffd");
  return plain.length > lineMax ? `${plain.slice(0, lineMax - 1)}…` : plain;
}
