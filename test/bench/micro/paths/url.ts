import { canonicalizeUrl } from "../../../../src/core/url/canonicalize-url.ts";
import { dedupeKey } from "../../../../src/core/url/dedupe-key.ts";
import { writeFingerprint } from "../../../../src/core/url/fingerprint.ts";
import type { Load, MicroBenchmark } from "../micro-benchmark.ts";
import { sampleReferences, sampleUrls } from "../sample-pages.ts";

/** Passes over the same URLs make one, so that it is long enough to be timed. */
const repeats = 5;

function startCanonicalize(): Load {
  const references = sampleReferences();
  return {
    operations: references.length * repeats,
    pass: () => {
      let units = 0;
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        for (const { href, base } of references) units += canonicalizeUrl(href, base)?.length ?? 0;
      }
      return units;
    },
  };
}

/** Half of the URLs have a query, a quarter one with something that does not count. */
function startDedupeKey(): Load {
  const queries = [
    "",
    "",
    "?page=2&order=date",
    "?utm_source=feed&id=7&PHPSESSID=0123456789abcdef",
  ];
  const urls = sampleUrls(5_000).map((url, i) => url + (queries[i % queries.length] ?? ""));
  const words = new Uint32Array(4);
  return {
    operations: urls.length,
    pass: () => {
      for (const url of urls) writeFingerprint(dedupeKey(url), words, 0);
      return words;
    },
  };
}

export const benchmarks: readonly MicroBenchmark[] = [
  { name: "url/canonicalize", operation: "URL", start: startCanonicalize },
  { name: "url/dedupe-key", operation: "URL", start: startDedupeKey },
];
