import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { ProgressDisplay } from "../../../node/dashboard/progress-display.ts";
import { progressView } from "../../../node/dashboard/progress-view.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { FakePeerControl, jobReport } from "../../support/fake-peer-control.ts";
import { MemorySink } from "../../support/fake-terminal.ts";

const escape = "\u001b[";

function displayOn(sink: MemorySink, clock: VirtualClock) {
  const control = new FakePeerControl();
  control.reports.set("j", jobReport("j", { queued: 5 }));
  const shown: { trouble: string | undefined } = { trouble: undefined };
  let reads = 0;
  const read = () => {
    reads += 1;
    control.reports.set("j", jobReport("j", { queued: 5, pages: reads }));
    const { trouble } = shown;
    return {
      ...progressView(control.stats(), "j", "crawling"),
      ...(trouble !== undefined && { trouble }),
    };
  };
  const terminal = { stderr: sink, clock, environment: { NO_COLOR: "1" } };
  return { display: new ProgressDisplay(terminal, read), reads: () => reads, shown };
}

describe("ProgressDisplay on a terminal", () => {
  it("draws over itself four times a second and gives the cursor back", async () => {
    const clock = new VirtualClock();
    const sink = new MemorySink(true);
    const { display, reads } = displayOn(sink, clock);
    display.start();
    display.start();
    await clock.run(clock.sleep(1_001));
    expect(reads()).toBe(5);
    await clock.run(display.stop());
    await display.stop();
    const drawings = sink.text.split(`${escape}4A`);
    expect(drawings).toHaveLength(6);
    expect(drawings[0]?.startsWith(`${escape}?25l`)).toBe(true);
    expect(drawings[5]).toMatch(/pages +6 .*\n.*\n.*\n.*\[\?25h$/s);
    for (const drawing of drawings) expect(drawing.split("\n")).toHaveLength(5);
  });

  it("leaves nothing of a line that the panel has no more", async () => {
    const clock = new VirtualClock();
    const sink = new MemorySink(true);
    const { display, shown } = displayOn(sink, clock);
    shown.trouble = "it rests";
    display.start();
    await clock.run(clock.sleep(1));
    shown.trouble = undefined;
    await clock.run(clock.sleep(250));
    await clock.run(display.stop());
    const [, before, after] = sink.text.split("crawling");
    expect(before).toMatch(/it rests\u001b\[K\n\u001b\[5A$/);
    expect(after).toMatch(/\u001b\[K\n\u001b\[0J\u001b\[4A$/);
  });

  it("leaves nothing of lines that a narrower terminal has broken", async () => {
    const clock = new VirtualClock();
    const sink = new MemorySink(true);
    const { display } = displayOn(sink, clock);
    display.start();
    await clock.run(clock.sleep(1));
    const widths = sink.text
      .trimEnd()
      .split("\n")
      .map((line) => stripVTControlCharacters(line).length);
    sink.columns = 30;
    const drawn = sink.text.length;
    await clock.run(clock.sleep(250));
    await clock.run(display.stop());
    const rows = widths.reduce((sum, width) => sum + Math.ceil(width / 30), 0);
    expect(rows).toBeGreaterThan(widths.length);
    expect(sink.text.slice(drawn).startsWith(`${escape}${rows}A${escape}0Jcrawling`)).toBe(true);
  });

  it("prints other lines above the panel", async () => {
    const clock = new VirtualClock();
    const sink = new MemorySink(true);
    const { display } = displayOn(sink, clock);
    display.print("before\n");
    display.start();
    await clock.run(clock.sleep(1));
    const drawn = sink.text.length;
    display.print("a log line\n");
    expect(sink.text.slice(drawn)).toMatch(/^\u001b\[4A\u001b\[0Ja log line\ncrawling/);
    expect(sink.text.startsWith("before\n")).toBe(true);
    await clock.run(display.stop());
  });
});

describe("ProgressDisplay elsewhere", () => {
  it("prints a plain line every five seconds, and no escape", async () => {
    const clock = new VirtualClock();
    const sink = new MemorySink(false);
    const { display } = displayOn(sink, clock);
    display.start();
    await clock.run(clock.sleep(10_001));
    await clock.run(display.stop());
    expect(sink.text.trimEnd().split("\n")).toHaveLength(2);
    expect(sink.text).not.toContain("\u001b");
  });

  it("writes nothing when it was never started", async () => {
    const sink = new MemorySink(true);
    await displayOn(sink, new VirtualClock()).display.stop();
    expect(sink.text).toBe("");
  });
});
