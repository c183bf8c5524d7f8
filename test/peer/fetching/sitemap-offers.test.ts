import { expect, it } from "vitest";
import { parseRobots } from "../../../src/core/robots/parse-robots.ts";
import type { Lease } from "../../../src/peer/frontier/lease.ts";
import { SitemapOffers } from "../../../src/peer/fetching/sitemap-offers.ts";

const robots = parseRobots("Sitemap: http://e.org/s.xml");

it("offers them once to a job, also where it wants them only after pages have come", () => {
  const offers = new SitemapOffers();
  const options = { sitemaps: false };
  const url = { entry: { depth: 0 } };
  const lease = { robots, url, job: { definition: { options } } } as unknown as Lease;
  const before = offers.due(lease);
  expect(before).toEqual([]);
  options.sitemaps = true;
  // It comes to want them while the page is on its way.
  offers.taken(lease, before);
  expect(offers.due(lease)).toEqual(["http://e.org/s.xml"]);
  offers.taken(lease, robots.sitemaps);
  expect(offers.due(lease)).toEqual([]);
});

it("offers them once more to a page that is nearer to a seed", () => {
  const offers = new SitemapOffers();
  const job = { definition: { options: { sitemaps: true } } };
  const leaseAt = (depth: number): Lease => {
    return { robots, url: { entry: { depth } }, job } as unknown as Lease;
  };
  offers.taken(leaseAt(2), robots.sitemaps);
  expect(offers.due(leaseAt(2))).toEqual([]);
  expect(offers.due(leaseAt(1))).toEqual(["http://e.org/s.xml"]);
  offers.taken(leaseAt(1), robots.sitemaps);
  offers.taken(leaseAt(2), robots.sitemaps);
  expect(offers.due(leaseAt(1))).toEqual([]);
});
