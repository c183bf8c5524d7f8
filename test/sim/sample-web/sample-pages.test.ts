import { describe, expect, test } from "vitest";

import { defaultSampleWebOptions } from "../../../sim/sample-web/sample-web-options.ts";
import { SampleWeb } from "../../../sim/sample-web/sample-web.ts";
import { extractLinks } from "../../../src/core/page/extract-links.ts";
import { parseRobots } from "../../../src/core/robots/parse-robots.ts";
import { canonicalizeUrl } from "../../../src/core/url/canonicalize-url.ts";
import { dedupeKey } from "../../../src/core/url/dedupe-key.ts";
import { siteOf } from "../../../src/core/url/site-of.ts";

/** Every oddity of markup often, so that each meets each. */
const web = new SampleWeb(
  {
    ...defaultSampleWebOptions,
    totalPages: 1_500,
    charsetShare: 0.4,
    baseShare: 0.2,
    refreshShare: 0.2,
    variantShare: 0.4,
    sessionShare: 0.2,
  },
  8080,
);
const ids = Array.from({ length: web.layout.pageCount }, (_, id) => id);

describe("what the crawler reads in the sample web is what the web means", () => {
  test("links of every page, in every charset and spelling", () => {
    let read = 0;
    for (const id of ids) {
      const url = web.urlOf(id);
      const { status, headers, body } = web.page(url);
      const contentType = new Map(headers).get("content-type") ?? "";
      if (status !== 200 || !contentType.startsWith("text/html")) continue;
      const found = extractLinks(Uint8Array.from(body), { url, contentType });
      const isUnindexed = web.kindOf(id) === "unindexed";
      const followed = new Set<string>();
      const shunned = new Set<string>();
      for (const link of web.links(id)) {
        const isShunned = link.via === "nofollow" && !isUnindexed;
        (isShunned ? shunned : followed).add(dedupeKey(web.urlOf(link.id)));
      }
      const refresh = found.refresh?.url === undefined ? [] : [found.refresh.url];
      const keys = new Set([...found.links, ...refresh].map((link) => dedupeKey(link)));
      expect([url, keys]).toEqual([url, followed]);
      expect(new Set(found.nofollowLinks.map((link) => dedupeKey(link)))).toEqual(shunned);
      expect([found.nofollow, found.noindex]).toEqual([isUnindexed, isUnindexed]);
      read += 1;
    }
    expect(read).toBeGreaterThan(1_200);
  });

  test("the pages that robots.txt keeps out", () => {
    let disallowed = 0;
    for (const id of ids) {
      const url = web.urlOf(id);
      const robots = web.page(new URL("/robots.txt", url).href);
      const rules = parseRobots(robots.status === 200 ? Buffer.from(robots.body).toString() : "");
      const { site, index } = web.layout.placeOf(id);
      expect([url, rules.isAllowed(url, "orbweaver")]).toEqual([
        url,
        !web.isDisallowed(site, index),
      ]);
      if (web.isDisallowed(site, index)) disallowed += 1;
    }
    expect(disallowed).toBeGreaterThan(10);
  });

  test("URLs are canonical, and a site is its registrable domain", () => {
    for (const id of ids) {
      const url = web.urlOf(id);
      expect(canonicalizeUrl(url)).toBe(url);
      const { site } = web.layout.placeOf(id);
      expect(siteOf(url)).toBe(`site-${String(site).padStart(4, "0")}.example`);
    }
  });
});
