import type { Row } from "../../../src/core/messages/rows.ts";
import { hostAddress, ringPosition } from "../../../src/core/record/host-keys.ts";
import { jobSpace, urlKey } from "../../../src/core/record/url-keys.ts";
import { queueKey } from "../../../src/core/record/queue-keys.ts";
import { QueueBundle } from "../../../src/core/record/queue-bundle.ts";
import { UrlRecord } from "../../../src/core/record/record.pb.ts";
import { urlState } from "../../../src/core/record/url-state.ts";
import type { CanonicalUrl } from "../../../src/core/units.ts";
import { dedupeKey } from "../../../src/core/url/dedupe-key.ts";
import { fingerprintOf } from "../../../src/core/url/fingerprint.ts";
import { hostOf, siteOfHost } from "../../../src/core/url/site-of.ts";
import { job } from "./swarm-bench.ts";

/** A queued URL of the job of this number: its place in the queue, and its record. */
export function queuedRows(url: CanonicalUrl, space = jobSpace(job)): [place: Row, record: Row] {
  const site = siteOfHost(hostOf(url));
  const key = urlKey("url", ringPosition(site), fingerprintOf(dedupeKey(url)), 0, space);
  const discovery = { depth: 0, attempts: 0, unseen: 0, redirectChain: [], discoveredAtMs: 1 };
  const place = queueKey(hostAddress(site, hostOf(url)), space, 5, 1, [key]);
  return [
    { key: place, value: QueueBundle.encode({ ...discovery, urls: [url], taken: 0 }) },
    { key, value: UrlRecord.encode({ ...urlState.fresh, state: urlState.queued }) },
  ];
}
