import type { ExcludedLinks } from "../../core/page/parsed-page.ts";
import { packLinks } from "../../core/page/packed-links.ts";
import type { CanonicalUrl } from "../../core/units.ts";
import type { PageParser } from "../../ports/page-parser.ts";
import type { AdmissionRequest } from "../admission/admission.ts";
import type { Lease } from "../frontier/lease.ts";

/**
 * The sitemaps of the lease's host as links of its URL, where no page has come with which the parser would take them up. A
 * pattern that takes too long for them breaks the parser as it does for a page.
 */
export async function judgeSitemaps(
  parser: Pick<PageParser, "judgeUrls">,
  { job: { definition: job }, host: { visit }, url: { entry } }: Lease,
  sitemaps: readonly string[],
): Promise<Pick<AdmissionRequest, "links" | "excluded" | "depth">> {
  const { normalizeQuery } = job.options;
  const { depth } = entry;
  const urls = sitemaps as readonly CanonicalUrl[];
  const from = { host: visit.host, site: visit.site, depth };
  const reasons = await parser.judgeUrls({ job, urls, from });
  const byReason = Map.groupBy(urls, (_, at) => reasons[at]);
  const excluded = [...byReason].flatMap(([reason, some]): ExcludedLinks[] =>
    reason ? [{ reason, links: packLinks(some, normalizeQuery) }] : [],
  );
  const links = packLinks(byReason.get(undefined) ?? [], normalizeQuery);
  return { links, excluded, depth: depth + 1 };
}
