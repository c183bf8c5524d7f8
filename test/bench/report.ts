import { cpus } from "node:os";
import type { Figures, JudgedRun } from "./figures.ts";
import { ceilingName, ownName } from "./tools.ts";

/** How a tool's figures stand to the two that everything is compared with. */
export interface Ratios {
  readonly pagesPerSecond?: number;
  readonly crawlPagesPerSecond?: number;
  readonly pagesPerCpuSecond?: number;
  readonly peakMebibytes?: number;
}

export interface ToolReport {
  readonly tool: string;
  readonly version: string;
  readonly about: string;
  readonly median: Figures;
  /** This tool's figure divided by the ceiling's. */
  readonly ofCeiling: Ratios;
  /** This crawler's figure divided by this tool's. */
  readonly orbweaverTimes: Ratios;
  readonly runs: readonly JudgedRun[];
}

export interface SiteReport {
  readonly site: string;
  readonly about: string;
  readonly software: string;
  /** Pages that a walk of its own found reachable. */
  readonly pagesExpected: number;
  readonly pagesKnown: number;
  readonly tools: readonly ToolReport[];
}

/** The document that `--json` prints. */
export interface BenchReport {
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
  readonly connections: number;
  readonly runs: number;
  readonly skipped: readonly string[];
  readonly sites: readonly SiteReport[];
}

export function machine(): BenchReport["machine"] {
  const all = cpus();
  return { cpu: all[0]?.model ?? "unknown", cores: all.length, node: process.version };
}

/** Adds the ratios; they are absent where that tool did not run. */
export function withRatios(
  tools: readonly Omit<ToolReport, "ofCeiling" | "orbweaverTimes">[],
): ToolReport[] {
  const medianOf = (name: string): Figures | undefined =>
    tools.find(({ tool }) => tool === name)?.median;
  const [ceiling, own] = [medianOf(ceilingName), medianOf(ownName)];
  return tools.map((report) => ({
    ...report,
    ofCeiling: ceiling === undefined ? {} : ratios(report.median, ceiling),
    orbweaverTimes: own === undefined ? {} : ratios(own, report.median),
  }));
}

function ratios(a: Figures, b: Figures): Ratios {
  const of = (x: number, y: number): number | undefined => (y > 0 ? x / y : undefined);
  return JSON.parse(
    JSON.stringify({
      pagesPerSecond: of(a.pagesPerSecond, b.pagesPerSecond),
      crawlPagesPerSecond: of(a.crawlPagesPerSecond, b.crawlPagesPerSecond),
      pagesPerCpuSecond: of(a.pagesPerCpuSecond, b.pagesPerCpuSecond),
      peakMebibytes: of(a.peakMebibytes, b.peakMebibytes),
    }),
  ) as Ratios;
}

interface Column {
  readonly group: string;
  readonly head: string;
  readonly cell: (report: ToolReport) => string;
}

const columns: readonly Column[] = [
  { group: "", head: "", cell: ({ tool }) => tool },
  { group: "pages", head: "got", cell: ({ median }) => whole(median.pages) },
  { group: "pages", head: "missed", cell: ({ median }) => whole(median.missing) },
  { group: "pages", head: "again", cell: ({ median }) => whole(median.again) },
  { group: "start to exit", head: "first", cell: ({ median }) => seconds(median.firstPageSeconds) },
  { group: "start to exit", head: "all", cell: ({ median }) => seconds(median.seconds) },
  { group: "start to exit", head: "pages/s", cell: ({ median }) => whole(median.pagesPerSecond) },
  ...ratioColumns("start to exit", "pagesPerSecond"),
  {
    group: "first to last request",
    head: "pages/s",
    cell: ({ median }) => whole(median.crawlPagesPerSecond),
  },
  ...ratioColumns("first to last request", "crawlPagesPerSecond"),
  { group: "processor", head: "time", cell: ({ median }) => seconds(median.cpuSeconds) },
  { group: "processor", head: "pages/s", cell: ({ median }) => whole(median.pagesPerCpuSecond) },
  ...ratioColumns("processor", "pagesPerCpuSecond"),
  { group: "memory", head: "MiB", cell: ({ median }) => whole(median.peakMebibytes) },
];

function ratioColumns(group: string, key: keyof Ratios): Column[] {
  return [
    { group, head: "ceiling", cell: ({ ofCeiling }) => percent(ofCeiling[key]) },
    { group, head: "ours", cell: ({ orbweaverTimes }) => times(orbweaverTimes[key]) },
  ];
}

const counts = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const whole = (value: number): string => counts.format(value);
const seconds = (value: number): string => `${value.toFixed(2)} s`;
const percent = (value: number | undefined): string =>
  value === undefined ? "-" : `${whole(value * 100)}%`;
/** Two figures that count, so that 0.83x and 15x are told equally well. */
const times = (value: number | undefined): string =>
  value === undefined
    ? "-"
    : `${value < 9.95 ? value.toFixed(value < 0.995 ? 2 : 1) : whole(value)}x`;

/** A site's figures as a table, with notes of what was not as it should be. */
export function renderSite(report: SiteReport): string {
  const lines = [
    `${report.site}: ${whole(report.pagesExpected)} reachable pages, ${report.software}`,
    "",
    ...table(report.tools),
  ];
  if (report.pagesExpected !== report.pagesKnown) {
    const known = whole(report.pagesKnown);
    lines.push("", `Not the version of the site that other figures are of (${known} pages).`);
  }
  const notes = report.tools.flatMap(notesOf);
  return `${[...lines, ...(notes.length > 0 ? ["", ...notes] : [])].join("\n")}\n`;
}

function table(tools: readonly ToolReport[]): string[] {
  const cells = columns.map(({ head, cell }) => [head, ...tools.map(cell)]);
  const widths = cells.map((column) => Math.max(...column.map((text) => text.length)));
  const rowAt = (row: number): string =>
    cells
      .map((column, at) => {
        const text = column[row] ?? "";
        const padded = at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0);
        return opensGroup(at) ? `  | ${padded}` : at === 0 ? padded : `  ${padded}`;
      })
      .join("");
  const rows = Array.from({ length: tools.length + 1 }, (_, row) => rowAt(row));
  return [groupLine(widths), ...rows];
}

function opensGroup(at: number): boolean {
  return at > 0 && columns[at]?.group !== columns[at - 1]?.group;
}

/** Names of the groups, each above its first column. */
function groupLine(widths: readonly number[]): string {
  let line = "";
  let end = 0;
  columns.forEach(({ group }, at) => {
    if (opensGroup(at)) line = `${line.padEnd(end)}  | ${group}`;
    end += (widths[at] ?? 0) + (at === 0 ? 0 : opensGroup(at) ? 4 : 2);
  });
  return line;
}

const namedInNotesMax = 5;

function notesOf({ tool, runs, median }: ToolReport): string[] {
  const notes = runs.flatMap(({ problem }, run) =>
    problem === undefined ? [] : [`${tool}, run ${run + 1}: ${problem}`],
  );
  const missing =
    runs.find(({ figures }) => figures.missing === median.missing)?.missingPages ?? [];
  if (missing.length > 0) {
    const named = missing.slice(0, namedInNotesMax).join(" ");
    const more = median.missing > namedInNotesMax ? " ..." : "";
    notes.push(`${tool} missed: ${named}${more}`);
  }
  return notes;
}

/** How to read the tables, and what was compared. */
export function renderFooter(report: BenchReport): string {
  const { connections, machine: host, runs } = report;
  const tools = new Map(
    report.sites.flatMap(({ tools: ran }) => ran.map((tool) => [tool.tool, tool] as const)),
  );
  const wide = Math.max(0, ...[...tools.keys()].map((name) => name.length));
  return [
    ...report.skipped.map((line) => `Left out: ${line}`),
    `${host.cores} cores, ${host.cpu}; Node ${host.node}. ${
      runs === 1 ? "One run" : `Medians of ${runs} interleaved runs`
    }; pages by the server's log.`,
    `${connections} requests open at once (wget: 1), no delay, robots.txt obeyed by all but the ceiling, a, area,`,
    "frame and iframe links alone. 'ceiling': share of the bare loop's figure. 'ours': orbweaver's figure by this one's.",
    "'first': until the first page was sent. Processor and memory: the tool's own process tree, not the server.",
    "",
    ...[...tools.values()].map(
      ({ tool, version, about }) => `${tool.padEnd(wide)}  ${version}: ${about}`,
    ),
    "",
  ].join("\n");
}
