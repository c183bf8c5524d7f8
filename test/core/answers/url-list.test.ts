import { describe, expect, it } from "vitest";
import {
  isListed,
  listedStateOf,
  parseHttpFilter,
  type UrlFilter,
} from "../../../src/core/answers/url-list.ts";

const states = [
  { state: "queued" },
  { state: "excluded" },
  { state: "done", httpStatus: 200 },
  { state: "done", httpStatus: 404 },
  { state: "done" },
  { state: "unknown" },
  { state: "done", httpStatus: 302, reason: "redirect-loop" },
  { state: "excluded", reason: "redirect-limit" },
] as const;

function listed(filter: UrlFilter): number[] {
  return states.flatMap((status, at) => (isListed(status, filter) ? [at] : []));
}

describe("the filter of a list of URLs", () => {
  it("knows what became of a URL in the words of a crawl's summary", () => {
    expect(states.map(listedStateOf)).toEqual([
      "queued",
      "excluded",
      "fetched",
      "fetched",
      "failed",
      undefined,
      "fetched",
      "excluded",
    ]);
  });

  it("lets through what is all of what it asks for", () => {
    expect(listed({})).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(listed({ state: "fetched" })).toEqual([2, 3, 6]);
    expect(listed({ state: "failed" })).toEqual([4]);
    expect(listed({ http: 404 })).toEqual([3]);
    expect(listed({ http: 2 })).toEqual([2]);
    expect(listed({ state: "failed", http: 4 })).toEqual([]);
    expect(listed({ broken: true })).toEqual([3, 4, 6]);
    expect(listed({ broken: true, http: 3 })).toEqual([6]);
    expect(listed({ broken: true, state: "failed" })).toEqual([4]);
  });

  it("reads a status or a class of them, and nothing else", () => {
    const texts = ["404", "4xx", "5XX", "999", "9xx", "1000", "4x", "40", "4xx0", "", "0xx"];
    const [none] = [undefined];
    expect(texts.map(parseHttpFilter)).toEqual([
      404,
      4,
      5,
      999,
      9,
      ...Array<undefined>(6).fill(none),
    ]);
  });
});
