import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { plainSampleWebOptions } from "../../sim/sample-web/sample-web-options.ts";
import { contact, ProcessBench, summaryOf } from "../support/process-bench.ts";

const bench = new ProcessBench();
afterAll(() => bench.clear());

it("crawls the URLs of a file into a directory of its name, and continues by the same command", async () => {
  const site = await bench.site({
    ...plainSampleWebOptions,
    sites: 3,
    hostsPerSite: 1,
    totalPages: 60,
  });
  const cwd = await bench.directory();
  await writeFile(join(cwd, "urls.txt"), ["# roots", ...site.seeds, "no url"].join("\n"));
  const words = ["crawl", "--file", "urls.txt", ...site.flags, "--delay", "0", "--json"];
  const ended = await bench.run(words, { cwd });
  expect(ended.stderr).toContain('peer: urls.txt, line 5: "no url" is rejected: invalid-url');
  expect(summaryOf(ended)).toMatchObject({ finished: true, pages: 60, out: "crawl-urls" });
  expect((await readdir(cwd)).sort()).toEqual(["crawl-urls", "urls.txt"]);

  const before = site.server.hits.length;
  const again = await bench.run(words, { cwd });
  expect(summaryOf(again)).toMatchObject({ finished: true, pages: 60 });
  expect(site.server.hits).toHaveLength(before);
});

it("leaves nothing behind where no line can be crawled", async () => {
  const cwd = await bench.directory();
  const words = ["crawl", "--file", "-", "--out", "out", "--contact", contact];
  const ended = await bench.run(words, { cwd, input: "no url\nhttp://127.0.0.1/\n" });
  expect(ended).toMatchObject({ code: 2, stdout: "" });
  expect(ended.stderr.trimEnd().split("\n")).toEqual([
    expect.stringContaining("standard input, line 1: "),
    expect.stringMatching(/standard input, line 2: .* add --allow-private$/),
    "peer: standard input has no URL to start from",
  ]);
  expect(await readdir(cwd)).toEqual([]);
});
