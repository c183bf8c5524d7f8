import { expect, it } from "vitest";
import { nearest } from "../../../node/text/nearest.ts";

it.each([
  ["dept", "depth"],
  ["dpeth", "depth"],
  ["jbos", "jobs"],
  ["ne", "new"],
  ["dleayy", "delay"],
  ["json", undefined],
  ["foo", undefined],
  ["depthless", undefined],
  ["", undefined],
])("takes %j for %j", (word, meant) => {
  expect(nearest(word, ["delay", "depth", "job", "jobs", "join", "new"])).toBe(meant);
});
