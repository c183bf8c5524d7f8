import { describe, expect, it } from "vitest";
import { runCli } from "../../../node/cli.ts";
import { SimProgress } from "../../../node/commands/sim-progress.ts";
import type { RunProgress } from "../../../sim/simulate.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";

const look: RunProgress = {
  phase: "faults",
  virtualMs: 83_000,
  running: 498,
  pages: 1_234,
  pagesMax: 10_000,
};

const clearLine = "\r\u001b[2K";

describe("the progress of a simulation", () => {
  it("is a line every ten seconds where nobody watches a terminal", async () => {
    const clock = new VirtualClock();
    const terminal = new FakeTerminal({ clock });
    const progress = new SimProgress(terminal, { seed: 7, run: 0, runs: 1 });
    await clock.run(
      (async () => {
        for (let second = 0; second < 25; second += 1) {
          progress.onProgress({ ...look, pages: second });
          await clock.sleep(1_000);
        }
      })(),
    );
    await progress.clear();
    const rest = (second: number): string =>
      `faults, ${second} of 10,000 pages, 1 min 23 s virtual, ${second}.0 s real, 498 peers\n`;
    expect(terminal.stderr.text).toBe(rest(10) + rest(20));
  });

  it("is one line on a terminal, no longer than it, that says which run of many it is", async () => {
    const terminal = new FakeTerminal({ clock: new VirtualClock(), isTTY: true });
    terminal.stderr.columns = 40;
    const progress = new SimProgress(terminal, { seed: 7, run: 2, runs: 50 });
    progress.onProgress(look);
    progress.onProgress(look);
    await progress.clear();
    const shown = "2 of 50 done, seed 7: faults, 1,234 of 10,000 pages".slice(0, 39);
    expect(terminal.stderr.text).toBe(clearLine + shown + clearLine);
  });

  it("is shown by the command and taken away before the report", async () => {
    const terminal = new FakeTerminal({ isTTY: true });
    const words = ["sim", "steady", "--peers", "2", "--sites", "3", "--pages", "9"];
    expect(await runCli(words, terminal)).toBe(0);
    expect(terminal.stderr.text).toMatch(/founding, 0 of \d pages, 0\.0 s virtual, .*, 2 peers/);
    expect(terminal.stderr.text.endsWith(clearLine)).toBe(true);
  });
});
