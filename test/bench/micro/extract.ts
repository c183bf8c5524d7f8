/**
 * How fast pages are read: what a parser thread does with each but for its digest and its archive record.
 *
 *   node test/bench/micro/extract.ts FOLDER [ROUNDS]
 *
 * Reads all HTML files below FOLDER into memory, at most 256 MiB, and goes ROUNDS times (default 5) over them, first
 * extracting alone (charset, decoding, tags, resolved links), then with all of parsePage (rules, keys, fingerprints).
 * Each file is a page of one host whose path is the file's; the best round counts. `npm run bench:micro` measures the same
 * on pages of the sample web, against stored results.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { numberOr, scriptArguments, UsageError } from "../flags.ts";
import { threadMicros } from "./processor-time.ts";
import { extract, parse, type Page } from "./page-load.ts";

const bytesMax = 256 * 2 ** 20;
const origin = "http://docs.example";

async function readPages(folder: string): Promise<Page[]> {
  const pages: Page[] = [];
  let bytes = 0;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    // Some packages name a translation by its language: index.html.de.
    if (entry.isDirectory() || !/\.html?(?:\.|$)/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const body = new Uint8Array(await readFile(path));
    bytes += body.length;
    if (bytes > bytesMax) break;
    pages.push({ url: new URL(path.slice(folder.length), `${origin}/`).href, body });
  }
  return pages;
}

function measure(name: string, pages: readonly Page[], read: (page: Page) => number): void {
  const bytes = pages.reduce((sum, { body }) => sum + body.length, 0);
  let bestMs = Infinity;
  let links = 0;
  for (let round = 0; round < rounds; round++) {
    const startedAt = threadMicros();
    links = pages.reduce((sum, page) => sum + read(page), 0);
    bestMs = Math.min(bestMs, (threadMicros() - startedAt) / 1_000);
  }
  const perSecond = (count: number): string =>
    Math.round((count / bestMs) * 1_000).toLocaleString("en");
  console.log(
    `${name}: ${perSecond(bytes / 1e6)} MB/s, ${perSecond(pages.length)} pages/s, ` +
      `${perSecond(links)} links/s of processor time (${links.toLocaleString("en")} links)`,
  );
}

const { folder, rounds } = scriptArguments(
  "node test/bench/micro/extract.ts FOLDER [ROUNDS]",
  ([path, ...rest]) => {
    if (path === undefined) throw new UsageError("which folder?");
    return { folder: path, rounds: numberOr(5, "ROUNDS", rest) };
  },
);
const pages = await readPages(folder);
console.log(`${pages.length.toLocaleString("en")} pages`);
measure("extractLinks", pages, extract);
measure("parsePage", pages, parse);
