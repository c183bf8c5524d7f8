import { describe, expect, it } from "vitest";
import { withOneLength } from "../../../src/adapters/undici/repeated-length.ts";

function rewritten(text: string): string {
  return withOneLength(Buffer.from(text, "latin1")).toString("latin1");
}

const ok = "HTTP/1.1 200 OK\r\n";
const twice = "Content-Length: 3\r\nContent-Length: 3\r\n";

describe("a response's length that is named more than once", () => {
  it.each([
    [
      "in two fields",
      `${ok}${twice}\r\nabc`,
      `${ok}Content-Length: 3\r\nX-Orig-Content-Length: 3\r\nX-Orig-Content-Length: 3\r\n\r\nabc`,
    ],
    [
      "in a list",
      `${ok}A: b\xe9\r\ncontent-length:3 ,\t3 \r\nC: d\r\n\r\n\xff`,
      `${ok}A: b\xe9\r\nContent-Length: 3\r\nX-Orig-content-length:3 ,\t3 \r\nC: d\r\n\r\n\xff`,
    ],
    [
      "in lines that end with a line feed alone",
      `${ok}${twice}\r\nabc`.replaceAll("\r\n", "\n"),
      "HTTP/1.1 200 OK\nContent-Length: 3\r\n" +
        "X-Orig-Content-Length: 3\nX-Orig-Content-Length: 3\n\nabc",
    ],
  ])("counts once: %s", (_where, text, expected) => {
    expect(rewritten(text)).toBe(expected);
  });

  it.each([
    ["none", `${ok}\r\nabc`],
    ["one", `${ok}Content-Length: 3\r\n\r\nabc`],
    ["other fields", `${ok}X-Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc`],
    ["different ones", `${ok}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`],
    ["different ones in a list", `${ok}Content-Length: 3, 4\r\n\r\nabcd`],
    ["a different spelling", `${ok}Content-Length: 3\r\nContent-Length: 03\r\n\r\nabc`],
    ["no number", `${ok}Content-Length: 3x\r\nContent-Length: 3x\r\n\r\nabc`],
    ["an empty part of a list", `${ok}Content-Length: 3,\r\n\r\nabc`],
    ["a folded one", `${ok}Content-Length: 3\r\nContent-Length: 3\r\n 4\r\n\r\nabc`],
    ["one in another field's fold", `${ok}Content-Length: 3\r\nA: b\r\n Content-Length: 3\r\n\r\n`],
    ["two in the body", `${ok}\r\nabc\r\n${twice}\r\n`],
    ["two in the body, behind a short end of the head", `HTTP/1.1 200 OK\n\n\r\n${twice}\r\n`],
    ["two in the body, behind a line of white space", `${ok} \r\n${twice}\r\n`],
    ["two in the body, behind a stray carriage return", `${ok}A:\r\r\n${twice}\r\n`],
    ["two in a head without end", `${ok}${twice}`],
    ["two where no head begins", `\r\n${twice}\r\n`],
  ])("is left as it is where there is %s", (_what, text) => {
    expect(rewritten(text)).toBe(text);
  });
});
