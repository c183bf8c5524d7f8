/**
 * How fast pages are read: what a parser thread does with each but for its digest and its archive record.
 *
 *   node test/bench/micro/extract.ts FOLDER [ROUNDS]
 *
 * Reads all HTML files below FOLDER into memory, at most 256 MiB, and goes ROUNDS times (default 5) over them, first
 * extracting alone (charset, decoding, tags, resolved links), then with all of parsePage (rules, keys, fingerprints).
 * Each file is a page of one host whose path is the file's; the best round counts.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { defaultJobOptions } from "../../../src/core/jobs/job-definition.ts";
import { compileJobRules } from "../../../src/core/jobs/job-rules.ts";
import { extractLinks } from "../../../src/core/page/extract-links.ts";
import { parsePage } from "../../../src/core/page/parse-page.ts";
import { EncodingTables } from "../../../src/core/page/query-encoder.ts";
import type { JobId } from "../../../src/core/units.ts";

const bytesMax = 256 * 2 ** 20;
const origin = "http://docs.example";
/** As web servers send it: the charset is the document's own business. */
const headers = ["Content-Type", "text/html"];

interface Page {
  readonly url: string;
  readonly body: Uint8Array;
}

async function readPages(folder: string): Promise<Page[]> {
  const pages: Page[] = [];
  let bytes = 0;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    // Some packages name a translation by its language: index.html.de.
    if (entry.isDirectory() || !/\.html?(?:\.|$)/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const body = await readFile(path);
    bytes += body.length;
    if (bytes > bytesMax) break;
    pages.push({ url: new URL(path.slice(folder.length), `${origin}/`).href, body });
  }
  return pages;
}

const rules = compileJobRules({
  id: "bench" as JobId,
  revision: 1,
  state: "running",
  options: defaultJobOptions,
});
const tables = new EncodingTables();
const options = { linksMax: 50_000, linkUnitsMax: 16 * 2 ** 20, tables };

/** Each reader returns the number of links found, so that runs can be compared and none is optimised away. */
function extract({ url, body }: Page): number {
  const { links, nofollowLinks } = extractLinks(body, { url, contentType: "text/html" }, options);
  return links.length + nofollowLinks.length;
}

function parse({ url, body }: Page): number {
  const input = { url, headers, body, follow: true, depth: 1, rules, normalizeQuery: true };
  return parsePage(input, tables).links.ends.length;
}

/** Processor time of this thread, whatever else the machine does. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function measure(name: string, pages: readonly Page[], read: (page: Page) => number): void {
  const bytes = pages.reduce((sum, { body }) => sum + body.length, 0);
  let bestMs = Infinity;
  let links = 0;
  for (let round = 0; round < rounds; round++) {
    const startedAt = threadMs();
    links = pages.reduce((sum, page) => sum + read(page), 0);
    bestMs = Math.min(bestMs, threadMs() - startedAt);
  }
  const perSecond = (count: number): string =>
    Math.round((count / bestMs) * 1_000).toLocaleString("en");
  console.log(
    `${name}: ${perSecond(bytes / 1e6)} MB/s, ${perSecond(pages.length)} pages/s, ` +
      `${perSecond(links)} links/s of processor time (${links.toLocaleString("en")} links)`,
  );
}

const [folder, roundsText = "5"] = process.argv.slice(2);
if (folder === undefined)
  throw new Error("usage: node test/bench/micro/extract.ts FOLDER [ROUNDS]");
const rounds = Number(roundsText);
const pages = await readPages(folder);
console.log(`${pages.length.toLocaleString("en")} pages`);
measure("extractLinks", pages, extract);
measure("parsePage", pages, parse);
