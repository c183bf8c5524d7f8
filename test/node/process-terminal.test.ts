import { expect, it } from "vitest";
import { stopSignalsOf, takesEscapes } from "../../node/process-terminal.ts";

it.each([
  [{ isTTY: true }, "xterm-256color", true],
  [{ isTTY: true }, undefined, true],
  [{ isTTY: true }, "dumb", false],
  [{ isTTY: false }, "xterm-256color", false],
  [{}, "xterm-256color", false],
])("moves no cursor but in a terminal that can do so: %j of kind %s", (stream, term, expected) => {
  expect(takesEscapes(stream, term)).toBe(expected);
});

it.each([
  [[0, 1, 2], true],
  [[0], true],
  [[1], true],
  [[2], true],
  [[], false],
  [[3], false],
])("stops as its terminal goes where one of its own is one: %j", (terminals, stops) => {
  const signals = stopSignalsOf((descriptor) => terminals.includes(descriptor));
  expect(signals).toEqual(["SIGINT", "SIGTERM", ...(stops ? ["SIGHUP"] : [])]);
});
