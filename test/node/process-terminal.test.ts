import { expect, it } from "vitest";
import { takesEscapes } from "../../node/process-terminal.ts";

it.each([
  [{ isTTY: true }, "xterm-256color", true],
  [{ isTTY: true }, undefined, true],
  [{ isTTY: true }, "dumb", false],
  [{ isTTY: false }, "xterm-256color", false],
  [{}, "xterm-256color", false],
])("moves no cursor but in a terminal that can do so: %j of kind %s", (stream, term, expected) => {
  expect(takesEscapes(stream, term)).toBe(expected);
});
