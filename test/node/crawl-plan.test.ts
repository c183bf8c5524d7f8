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
  ["/dev/shm/urls.txt", [], "crawl-urls"],
  ["/devices/urls.txt", [], "crawl-urls"],
])("keeps a crawl of --file %s and %j in %s, or where it is told to", (file, urls, expected) => {
  const source = urlSource(new FakeTerminal(), urls, file, new Rejections());
  expect(dataDirOf(source, urls, undefined)).toBe(expected);
  expect(dataDirOf(source, urls, "there")).toBe("there");
});

it.each([
  ["-", "standard input"],
  ["/dev/stdin", "/dev/stdin"],
  ["/dev/fd/63", "/dev/fd/63"],
  ["//dev/../dev/fd/63", "//dev/../dev/fd/63"],
  ["/proc/self/fd/0", "/proc/self/fd/0"],
])("keeps a crawl of --file %s only where it is told to", (file, name) => {
  const source = urlSource(new FakeTerminal(), [], file, new Rejections());
  expect(() => dataDirOf(source, [], undefined)).toThrow(
    `a crawl of URLs from ${name} needs --out DIR to keep its pages in`,
  );
  expect(dataDirOf(source, [], "there")).toBe("there");
});
