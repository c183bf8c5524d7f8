import { defaultJobOptions, type JobDefinition } from "../../../src/core/jobs/job-definition.ts";
import { compileJobRules } from "../../../src/core/jobs/job-rules.ts";
import { defaultExtractOptions, extractLinks } from "../../../src/core/page/extract-links.ts";
import { parsePage } from "../../../src/core/page/parse-page.ts";
import { EncodingTables } from "../../../src/core/page/query-encoder.ts";
import type { JobId } from "../../../src/core/units.ts";

export interface Page {
  readonly url: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** As web servers send it: the charset is the document's own business. */
export const contentHeaders = ["Content-Type", "text/html"];

export const job: JobDefinition = {
  id: "bench" as JobId,
  revision: 1,
  stateRevision: 1,
  state: "running",
  options: defaultJobOptions,
};

const rules = compileJobRules(job);
const tables = new EncodingTables();
const options = { ...defaultExtractOptions, tables };

/** Charset, decoding, tags and resolved links of a page; returns their number, so that nothing is optimised away. */
export function extract({ url, body }: Page): number {
  const { links, nofollowLinks } = extractLinks(body, { url, contentType: "text/html" }, options);
  return links.length + nofollowLinks.length;
}

/** The same and the job's rules, the keys and their fingerprints; returns the number of links to follow. */
export function parse({ url, body }: Page): number {
  const page = { url, headers: contentHeaders, body, follow: true, depth: 1, sitemaps: [] };
  const ofJob = { rules, normalizeQuery: true, readsSitemaps: false, botName: "orbweaver" };
  return parsePage({ ...page, ...ofJob }, tables).links.ends.length;
}
