import { describe, expect, it } from "vitest";
import {
  ConsoleLogger,
  type ConsoleLoggerOptions,
} from "../../../src/adapters/system/console-logger.ts";
import type { Clock } from "../../../src/ports/clock.ts";

/** Its process has begun before the clock on the wall was set right. */
const clock: Clock = {
  nowMs: () => 0,
  wallMs: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  sleep: () => Promise.resolve(),
  call: () => expect.unreachable("nothing waits here"),
};

function logged(options: ConsoleLoggerOptions, log: (logger: ConsoleLogger) => void): string {
  let text = "";
  log(new ConsoleLogger(options, clock, (line) => (text += line)));
  return text;
}

const text: ConsoleLoggerOptions = { level: "info", format: "text" };
const json: ConsoleLoggerOptions = { level: "info", format: "json" };

describe("ConsoleLogger", () => {
  it("writes a line for people with the time, the level, the event and the facts", () => {
    expect(
      logged(text, (logger) =>
        logger.warn("host-halted", { host: "a.example", failures: 50, until: undefined }),
      ),
    ).toBe("2026-01-02T03:04:05.678Z WARN  host-halted            host=a.example failures=50\n");
  });

  it("writes one JSON document a line", () => {
    const line = logged(json, (logger) =>
      logger.error("store-failed", { path: "/data\nx", retried: true }),
    );
    expect(line.indexOf("\n")).toBe(line.length - 1);
    expect(JSON.parse(line)).toEqual({
      at: "2026-01-02T03:04:05.678Z",
      level: "error",
      event: "store-failed",
      path: "/data\nx",
      retried: true,
    });
  });

  it.each([
    ["debug", ["d", "i", "w", "e"]],
    ["info", ["i", "w", "e"]],
    ["warn", ["w", "e"]],
    ["error", ["e"]],
    ["silent", []],
  ] as const)("at level %s writes only what is as important", (level, events) => {
    const lines = logged({ level, format: "json" }, (logger) => {
      logger.debug("d");
      logger.info("i");
      logger.warn("w");
      logger.error("e");
    });
    const written = lines.split("\n").slice(0, -1);
    expect(written.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(events);
  });

  it.each(["a\nERROR forged", "\u001b[2Jgone", "\u009b31m", "\u202eright to left", 'quo"te', ""])(
    "keeps the hostile value %j inside its quotes and on its line",
    (value) => {
      const line = logged(text, (logger) => logger.info("seen", { value }));
      expect(line).toMatch(/^[^\p{Cc}\u2028\u202e]*\n$/u);
      expect(JSON.parse(line.slice(line.indexOf("value=") + 6))).toBe(value);
    },
  );

  it("leaves no control character in a document, and the value as it is", () => {
    const value = "\u001b[2J\u007f\u009b31m\u0085\u061c\u202eright to left\u2028";
    const line = logged(json, (logger) => logger.warn("odd", { value }));
    expect(line).toMatch(/^[\x20-\x7e]+\n$/);
    expect(JSON.parse(line)).toMatchObject({ value });
  });

  it("cuts long values and counts fields beyond the bound", () => {
    const fields = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`f${i}`, "x".repeat(100_000)]),
    );
    const line = logged(json, (logger) => logger.info("big", fields));
    expect(line.length).toBeLessThan(100_000);
    expect(JSON.parse(line)).toMatchObject({ fieldsLeftOut: 8 });
  });

  it("writes numbers that JSON has no form for as words", () => {
    const line = logged(json, (logger) => logger.info("odd", { rate: NaN, max: Infinity }));
    expect(JSON.parse(line)).toMatchObject({ rate: "NaN", max: "Infinity" });
  });

  it("leaves lines out that nobody reads, and says how many when there is room again", () => {
    const lines: string[] = [];
    let isFull = true;
    const write = (line: string): void => void lines.push(line);
    const logger = new ConsoleLogger(json, clock, write, () => isFull);
    logger.info("first");
    logger.info("second");
    isFull = false;
    logger.info("third");
    logger.info("fourth");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: "warn", event: "log-lines-left-out", lines: 2 },
      { event: "third" },
      { event: "fourth" },
    ]);
  });

  it("does not throw when the sink does", () => {
    const logger = new ConsoleLogger(text, clock, () => {
      throw new Error("EPIPE");
    });
    expect(() => logger.error("lost")).not.toThrow();
  });
});
