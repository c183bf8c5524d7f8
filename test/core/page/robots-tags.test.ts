import { describe, expect, it } from "vitest";
import { parseDirectives } from "../../../src/core/page/robots-directives.ts";
import { parseXRobotsTag } from "../../../src/core/page/x-robots-tag.ts";

describe("parseDirectives", () => {
  it.each([
    ["NoIndex, NOFOLLOW", true, true],
    ["none", true, true],
    ["noindex nofollow", true, true],
    ["index,follow", false, false],
    ["nofollowing, noindexed", false, false],
    ["index, max-image-preview: none", false, false],
    ["max-image-preview:none, none", true, true],
    ["", false, false],
  ])("reads %j", (content, noindex, nofollow) => {
    expect(parseDirectives(content)).toEqual({ noindex, nofollow });
  });
});

describe("parseXRobotsTag", () => {
  it.each([
    [["noindex"], true, false],
    [["noindex", "nofollow"], true, true],
    [["nofollow", "noindex"], true, true],
    [["orbweaver: nofollow"], false, true],
    [["orbweaver:nofollow"], false, true],
    [["OrbWeaver : none"], true, true],
    [["otherbot: noindex, nofollow"], false, false],
    [["otherbot: noindex, orbweaver: nofollow"], false, true],
    [["*: noindex"], true, false],
    [["unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"], true, false],
    [["unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex"], true, false],
    [["max-snippet: 10, nofollow"], false, true],
    [["Max-Snippet: 10, nofollow"], false, true],
    [["max-video-preview: -1, nofollow"], false, true],
    [["max-image-preview: none"], false, false],
    [["max-image-preview: large, nofollow"], false, true],
    [["orbweaver: max-image-preview: none, noindex"], true, false],
    [[], false, false],
  ])("reads %j", (headers, noindex, nofollow) => {
    expect(parseXRobotsTag(headers, "orbweaver")).toEqual({ noindex, nofollow });
  });

  it("knows a crawler by the name that it is given", () => {
    const headers = ["mybot: nofollow", "orbweaver: noindex"];
    expect(parseXRobotsTag(headers, "mybot")).toEqual({ noindex: false, nofollow: true });
  });
});
