import { expect, it } from "vitest";
import { dataDirOf } from "../../node/crawl-plan.ts";
import { Rejections, urlSource } from "../../node/url-source.ts";
import { FakeTerminal } from "../support/fake-terminal.ts";

it.each([
  [undefined, ["https://docs.example/a"], "crawl-docs.example"],
  [undefined, ["http://[::1]:80/"], "crawl-1"],
  ["urls.txt", [], "crawl-urls"],
  ["../lists/my urls.2026.txt", [], "crawl-my urls.2026"],
  ["/lists/.urls", [], "crawl-.urls"],
])("keeps a crawl of --file %s and %j in %s, or where it is told to", (file, urls, expected) => {
  const source = urlSource(new FakeTerminal(), urls, file, new Rejections());
  expect(dataDirOf(source, urls, undefined)).toBe(expected);
  expect(dataDirOf(source, urls, "there")).toBe("there");
});
