import type { Load, MicroBenchmark } from "../micro-benchmark.ts";
import { extract, parse, type Page } from "../page-load.ts";
import { samplePages } from "../sample-pages.ts";

/** 14 KB with 60 links, as pages of handbooks are. */
const smallPages = (): Page[] => samplePages(100, { bytesPerPage: 14_336, linksPerPage: 60 });

/** 512 KiB with 2,000 links: lists and archives. */
const largePages = (): Page[] =>
  samplePages(4, { totalPages: 4_000, bytesPerPage: 2 ** 19, linksPerPage: 2_000 });

function loadOf(pages: readonly Page[], read: (page: Page) => number): Load {
  return {
    operations: pages.length,
    bytes: pages.reduce((sum, { body }) => sum + body.length, 0),
    pass: () => pages.reduce((sum, page) => sum + read(page), 0),
  };
}

export const benchmarks: readonly MicroBenchmark[] = [
  { name: "page/extract-small", operation: "page", start: () => loadOf(smallPages(), extract) },
  { name: "page/extract-large", operation: "page", start: () => loadOf(largePages(), extract) },
  { name: "page/parse-small", operation: "page", start: () => loadOf(smallPages(), parse) },
  { name: "page/parse-large", operation: "page", start: () => loadOf(largePages(), parse) },
];
