import type { RunProgress } from "../../sim/simulate.ts";
import type { Millis } from "../../src/core/units.ts";
import type { Terminal } from "../terminal.ts";
import { formatCount, formatDuration } from "../../src/core/text/human.ts";

/** Which run of several it is, from 0. */
interface RunOfMany {
  readonly seed: number;
  readonly run: number;
  readonly runs: number;
}

/** Real time between two drawings on a terminal. */
const redrawMs: Millis = 250;
/** Real time between two lines where the output is no terminal: short runs have none. */
const lineMs: Millis = 10_000;

const clearLine = "\r\u001b[2K";

/** Tells on standard error how far a run is: one line that is overwritten on a terminal, a line now and then elsewhere. */
export class SimProgress {
  readonly #terminal: Terminal;
  readonly #which: RunOfMany;
  readonly #startedAtMs: Millis;
  #toldAtMs: Millis;
  #isDrawn = false;

  constructor(terminal: Terminal, which: RunOfMany) {
    this.#terminal = terminal;
    this.#which = which;
    this.#startedAtMs = terminal.clock.nowMs();
    // On a terminal the first look is shown at once.
    this.#toldAtMs = terminal.stderr.isTTY ? -Infinity : this.#startedAtMs;
  }

  readonly onProgress = (progress: RunProgress): void => {
    const { clock, stderr } = this.#terminal;
    const nowMs = clock.nowMs();
    if (nowMs - this.#toldAtMs < (stderr.isTTY ? redrawMs : lineMs)) return;
    this.#toldAtMs = nowMs;
    const line = this.#lineOf(progress, nowMs - this.#startedAtMs);
    this.#isDrawn = stderr.isTTY;
    void stderr.write(stderr.isTTY ? clearLine + line.slice(0, stderr.columns - 1) : `${line}\n`);
  };

  /** Takes the line away from a terminal. */
  async clear(): Promise<void> {
    if (this.#isDrawn) await this.#terminal.stderr.write(clearLine);
    this.#isDrawn = false;
  }

  #lineOf(progress: RunProgress, realMs: Millis): string {
    const { seed, run, runs } = this.#which;
    const { pages, pagesMax, phase, running, virtualMs } = progress;
    return [
      runs > 1 ? `${run} of ${formatCount(runs)} done, seed ${seed}: ${phase}` : phase,
      // Before what a narrow terminal has no room for: it alone tells how much is left.
      `${formatCount(pages)} of ${formatCount(pagesMax)} pages`,
      `${formatDuration(virtualMs)} virtual`,
      `${formatDuration(realMs)} real`,
      `${formatCount(running)} peers`,
    ].join(", ");
  }
}
