import { stripVTControlCharacters } from "node:util";
import type { Millis } from "../../src/core/units.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Terminal, TextSink } from "../terminal.ts";
import { columnsOf } from "../text/terminal-text.ts";
import type { ProgressView } from "./progress-view.ts";
import { renderLine, renderPanel } from "./render-progress.ts";

/** Time between two drawings on a terminal: no eye follows more. */
const panelEveryMs: Millis = 250;
/** Time between two lines where the output is no terminal. */
const lineEveryMs: Millis = 5_000;

const escape = "\u001b[";
const hideCursor = `${escape}?25l`;
const showCursor = `${escape}?25h`;
const clearDown = `${escape}0J`;

/**
 * Shows progress on standard error: a panel that is redrawn in place on a terminal, a line now and then elsewhere.
 *
 * A drawing is one write that overwrites the one before line by line, so that nothing flickers. Other output of the
 * process goes through {@link print}, above the panel.
 *
 * Invariant: after {@link stop} the cursor is visible and stands below the panel.
 */
export class ProgressDisplay {
  readonly #sink: TextSink;
  readonly #clock: Clock;
  readonly #read: () => ProgressView | Promise<ProgressView>;
  readonly #color: boolean;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  #linesDrawn: readonly string[] = [];

  constructor(
    { clock, environment, stderr }: Pick<Terminal, "clock" | "environment" | "stderr">,
    read: () => ProgressView | Promise<ProgressView>,
  ) {
    this.#sink = stderr;
    this.#clock = clock;
    this.#read = read;
    this.#color = stderr.isTTY && (environment["NO_COLOR"] ?? "") === "";
  }

  /** Begins to draw; idempotent. */
  start(): void {
    this.#loop ??= this.#sink.isTTY ? this.#redraw() : this.#printLines();
  }

  /** Draws a last time, gives the cursor back, and ends; idempotent. */
  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    await this.#loop;
    this.restore();
  }

  /** Makes the cursor visible again, for a process that ends at once. */
  restore(): void {
    if (this.#linesDrawn.length > 0) void this.#sink.write(showCursor);
    this.#linesDrawn = [];
  }

  /** Prints whole lines above the panel. */
  print(lines: string): void {
    const panel = this.#linesDrawn;
    const again = panel.map((line) => `${line}\n`).join("");
    const rows = this.#rowsDrawn(this.#sink.columns);
    void this.#sink.write(panel.length === 0 ? lines : `${up(rows)}${clearDown}${lines}${again}`);
  }

  async #redraw(): Promise<void> {
    const { signal } = this.#stopping;
    do {
      await this.#draw();
      await this.#clock.sleep(panelEveryMs, signal);
    } while (!signal.aborted);
    await this.#draw();
  }

  async #draw(): Promise<void> {
    const view = await this.#read();
    const { columns } = this.#sink;
    const lines = renderPanel(view, { columns, color: this.#color });
    const drawn = this.#linesDrawn.length;
    const rows = this.#rowsDrawn(columns);
    const start = drawn === 0 ? hideCursor : up(rows) + (rows > drawn ? clearDown : "");
    const end = lines.length < drawn ? clearDown : "";
    this.#linesDrawn = lines;
    await this.#sink.write(start + lines.map((line) => `${line}${escape}K\n`).join("") + end);
  }

  /** A terminal that is narrower than it was has broken the lines that no longer fit. */
  #rowsDrawn(columns: number): number {
    const rowsOf = (line: string): number =>
      Math.max(1, Math.ceil(columnsOf(stripVTControlCharacters(line)) / columns));
    return this.#linesDrawn.reduce((rows, line) => rows + rowsOf(line), 0);
  }

  async #printLines(): Promise<void> {
    const { signal } = this.#stopping;
    let last = "";
    for (;;) {
      await this.#clock.sleep(lineEveryMs, signal);
      if (signal.aborted) return;
      const line = renderLine(await this.#read());
      if (line !== last) await this.#sink.write(`${line}\n`);
      last = line;
    }
  }
}

function up(lines: number): string {
  return `${escape}${lines}A`;
}
