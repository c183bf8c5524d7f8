import { describe, expect, it } from "vitest";
import { parseRefresh } from "../../../src/core/page/meta-refresh.ts";

describe("parseRefresh", () => {
  it.each([
    ["5", { seconds: 5 }],
    [" 5  ; ", { seconds: 5 }],
    ["0;url=a", { seconds: 0, target: "a" }],
    ["0,URL = a b ", { seconds: 0, target: "a b " }],
    ["0 a", { seconds: 0, target: "a" }],
    ["0;'a'b", { seconds: 0, target: "a" }],
    ['0;url="a', { seconds: 0, target: "a" }],
    ["0;url", { seconds: 0, target: "url" }],
    ["0;ur'l'", { seconds: 0, target: "ur'l'" }],
    ["0;/a?url=b", { seconds: 0, target: "/a?url=b" }],
    ["1.25.2;a", { seconds: 1.25, target: "a" }],
    ["1..5;a", { seconds: 1, target: "a" }],
    [".5;a", { seconds: 0.5, target: "a" }],
    [".;a", { seconds: 0, target: "a" }],
    ["9".repeat(1_000), { seconds: 31_536_000 }],
    ["a", undefined],
    ["", undefined],
    ["a;5", undefined],
    ["5a;b", undefined],
    ["-5;a", undefined],
    ["\u0665;a", undefined],
  ])("reads %j", (value, expected) => {
    expect(parseRefresh(value)).toEqual(expected);
  });
});
