import { ringPosition } from "../../../src/core/record/host-keys.ts";
import { urlKey } from "../../../src/core/record/url-keys.ts";
import type { QueueBundle } from "../../../src/core/record/queue-bundle.ts";
import type { HostRecord, UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import type { SiteName } from "../../../src/core/units.ts";
import { fingerprintOf } from "../../../src/core/url/fingerprint.ts";

const startedAtMs = Date.UTC(2026, 2, 1);

/** A fetched page's record with all that a usual answer says. */
export function sampleUrlRecord(url: string, n: number): UrlRecord {
  return {
    ...urlState.fresh,
    state: urlState.done,
    url,
    fetchedAtMs: startedAtMs + n * 1_000,
    attempts: 1,
    httpStatus: 200,
    depth: 1 + (n % 12),
    bodyBytes: 14_336 + n,
    contentType: "text/html; charset=utf-8",
    title: `Page ${n} of a site with a title of usual length`,
    payloadDigest: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
    etag: `"${n}-5f3c9a"`,
    lastModified: "Sun, 01 Mar 2026 12:30:00 GMT",
    capture: {
      file: "orbweaver-20260301000000000-00001-peer.warc.gz",
      offset: n * 4_096,
      length: 4_011,
    },
    charset: "utf-8",
  };
}

export function sampleHostRecord(n: number): HostRecord {
  const nextFetchAtMs = startedAtMs + n * 1_000;
  return {
    host: `www.site-${n}.example`,
    nextFetchAtMs,
    failuresInRow: 0,
    politeUntilMs: nextFetchAtMs,
    breakerBuckets: Array.from({ length: 6 }, (_, i) => ({
      startAtMs: nextFetchAtMs - i * 10_000,
      total: 5,
      failed: i % 2,
    })),
    jobs: [{ space: 0x1234567, admitted: n }],
  };
}

/** URLs of each row of a queue. */
export const urlsPerBundle = 20;

/** The URLs in rows of a queue, each as if it were what one page led to. */
export function sampleBundles(urls: readonly string[]): QueueBundle[] {
  const bundles = Array.from({ length: Math.ceil(urls.length / urlsPerBundle) });
  return bundles.map((_, n) =>
    sampleBundle(urls.slice(n * urlsPerBundle, (n + 1) * urlsPerBundle), n),
  );
}

function sampleBundle(urls: readonly string[], n: number): QueueBundle {
  return {
    urls,
    taken: 0,
    depth: 1 + (n % 12),
    attempts: 0,
    unseen: 0,
    redirectChain: [],
    via: `https://www.site-${n % 40}.example/articles/2026/index.html`,
    discoveredAtMs: startedAtMs + n,
  };
}

/** Key of the row of a URL, the site's position left to its number. */
export function sampleUrlKey(url: string, n: number): Uint8Array<ArrayBuffer> {
  const position = ringPosition(`site-${n % 40}.example` as SiteName);
  return urlKey("url", position, fingerprintOf(url), 0, 0x1234567);
}
