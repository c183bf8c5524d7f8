import { describe, expect, it } from "vitest";
import { withReadableHead } from "../../../src/adapters/undici/readable-head.ts";

function rewritten(text: string): string {
  return withReadableHead(Buffer.from(text, "latin1")).toString("latin1");
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

describe("a field that frames the body", () => {
  it.each([
    ["Content-Length: 3\t", "Content-Length: 3"],
    ["content-length:3 \t ", "content-length:3"],
    ["Transfer-Encoding: chunked\t", "Transfer-Encoding: chunked"],
    ["Transfer-Encoding: gzip, chunked , ,", "Transfer-Encoding: gzip, chunked"],
    ["Transfer-Encoding : chunked\t", "Transfer-Encoding: chunked"],
  ])("loses what does not belong to its value: %j", (field, expected) => {
    for (const text of [`${ok}A: b\r\n${field}\r\n\r\nabc`, `${ok}${field}\r\nA: b\t\r\n\r\n`]) {
      expect(rewritten(text)).toBe(text.replace(field, expected));
      const lines = text.replaceAll("\r\n", "\n");
      expect(rewritten(lines)).toBe(lines.replace(field, expected));
    }
  });

  it.each(["Content-Length: 3 ", "Content-Length: 3,", "Transfer-Encoding: chunked", "A: b\t"])(
    "is left as it is where it is read as it stands, or as none: %j",
    (field) => {
      const text = `${ok}${field}\r\n\r\nabc`;
      expect(rewritten(text)).toBe(text);
    },
  );

  it("may be nothing but blanks, as many as a head may have", () => {
    const text = `${ok}Content-Length: ${"\t".repeat(60_000)}x\r\n\r\n`;
    expect(rewritten(text)).toBe(text);
  });
});

describe("a head behind those of informational responses", () => {
  const hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
  const once = "Content-Length: 3\r\nX-Orig-Content-Length: 3\r\nX-Orig-Content-Length: 3\r\n";

  it.each([
    ["of one", hints],
    ["of several", `HTTP/1.1 100 Continue\r\n\r\n${hints}${hints}`],
    ["that end with a line feed alone", hints.replaceAll("\r\n", "\n")],
  ])("is read as any other: %s", (_what, before) => {
    expect(rewritten(`${before}${ok}${twice}\r\nabc`)).toBe(`${before}${ok}${once}\r\nabc`);
  });

  it("is read as any other where that one had to be changed, too", () => {
    const before = "HTTP/1.1 103 Early Hints\r\nnonsense\r\n\r\n";
    const changed = before.replace("nonsense", "X-Orig-Line: nonsense");
    const text = `${ok}${once}\r\n${ok}${twice}\r\n`;
    expect(rewritten(`${before}${ok}${twice}\r\n${ok}${twice}\r\n`)).toBe(changed + text);
  });

  it.each([
    ["has not come whole", `${hints}${ok}${twice}`],
    ["is none, but a body", `${ok}\r\n${ok}${twice}\r\n`],
    ["stands behind odd lines", `HTTP/1.1 103 Early Hints\r\nA: b\r\n c\r\n\r\n${ok}${twice}\r\n`],
    ["stands behind more of them than anybody sends", `${hints.repeat(33)}${ok}${twice}\r\n`],
  ])("is left as it is where it %s", (_what, text) => {
    expect(rewritten(text)).toBe(text);
  });
});

describe("a line of a head that is no field", () => {
  const length = "Content-Length: 3\r\n";

  it.each([
    ["without a colon", "nonsense", "X-Orig-Line: nonsense"],
    ["with a space in its name", "Set Cookie: a=b", "X-Orig-Line: Set Cookie: a=b"],
    ["with other characters in its name", "(c) \xe9: d", "X-Orig-Line: (c) \xe9: d"],
    ["without a name", ": a", "X-Orig-Line: : a"],
    ["that is a field but for the space before its colon", "Server \t: a", "Server: a"],
    ["that lets a length be named twice", "Content-Length : 3", "X-Orig-Content-Length: 3"],
  ])("is passed over: %s", (_what, line, expected) => {
    const text = `${ok}A: b\r\n${line}\r\n${length}\r\nabc`;
    const lengths = expected.includes("Length") ? `Content-Length: 3\r\n${expected}` : expected;
    const own = expected.includes("Length") ? `X-Orig-${length}` : length;
    expect(rewritten(text)).toBe(`${ok}A: b\r\n${lengths}\r\n${own}\r\nabc`);
  });

  it.each([
    ["is folded", `${ok}nonsense\r\n more\r\n${length}\r\nabc`],
    ["has a stray carriage return", `${ok}non\rsense\r\n${length}\r\nabc`],
    ["stands in the body", `${ok}${length}\r\nnonsense\r\n\r\n`],
    ["stands in a head without end", `${ok}nonsense\r\n${length}`],
  ])("is left as it is where it %s", (_what, text) => {
    expect(rewritten(text)).toBe(text);
  });
});
