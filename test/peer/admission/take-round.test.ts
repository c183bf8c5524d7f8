import { describe, expect, it } from "vitest";
import { packLinks } from "../../../src/core/page/packed-links.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { takeRound } from "../../../src/peer/admission/take-round.ts";
import type { Pending } from "../../../src/peer/admission/take-round.ts";
import { JobRegistry } from "../../../src/peer/jobs/job-registry.ts";

const job = new JobRegistry().define("test");
const mebibyte = 1_024 * 1_024;

function linksTo(count: number): ReturnType<typeof packLinks> {
  const urls = Array.from({ length: count }, (_, at) => `http://a.example/${at}` as CanonicalUrl);
  return packLinks(urls, false);
}

/** A page with links, some of them kept out, and a capture of so many bytes. */
function page(links: number, excluded = 0, archiveBytes = 0): Pending {
  const none = (): void => undefined;
  const request = {
    job,
    links: linksTo(links),
    excluded: excluded === 0 ? [] : [{ reason: "scope" as const, links: linksTo(excluded) }],
    depth: 1,
    redirectChain: [],
    archiveBytes,
  };
  return { request, resolve: none, reject: none };
}

describe("a round of admission", () => {
  it.each([
    ["links", [page(2_000), page(2_000), page(2_000)], 2],
    ["links kept out", [page(100, 1_900), page(100, 1_900), page(100, 1_900)], 2],
    ["archived bytes", Array.from({ length: 5 }, () => page(1, 0, 20 * mebibyte)), 3],
    ["links of a page alone", [page(5_000), page(1)], 1],
    ["archived bytes of a page alone", [page(1, 0, 65 * mebibyte), page(1)], 1],
    ["links, to the last one", [page(2_048), page(2_000, 48), page(1)], 2],
    ["bytes, to the last one", [32, 32, 1].map((size) => page(1, 0, size * mebibyte)), 2],
    ["requests", Array.from({ length: 2_050 }, () => page(1)), 2_048],
    ["all that waits", [page(1), page(1), page(1)], 3],
  ])("has no more than its share of %s, and leaves the others waiting", (_, pages, expected) => {
    const waiting = [...pages];
    expect(takeRound(waiting)).toEqual(pages.slice(0, expected));
    expect(waiting).toEqual(pages.slice(expected));
  });
});
