import type { ExclusionReason } from "../../core/jobs/exclusion.ts";
import { invariant } from "../../core/errors.ts";
import { packedUrl } from "../../core/page/packed-links.ts";
import type { PackedLinks } from "../../core/page/parsed-page.ts";
import { OutboxEntry } from "../../core/record/record.pb.ts";
import type { QueueEntry } from "../../core/record/queue-entry.ts";
import { exclusionSpace, outboxKey, ringPosition, urlKey } from "../../core/record/keys.ts";
import { ownText } from "../../core/text/own-text.ts";
import type { CanonicalUrl, HostName, Millis, SiteName } from "../../core/units.ts";
import { hostOf, siteOfHost } from "../../core/url/site-of.ts";
import type { StoreOp } from "../../ports/store.ts";
import type { AdmissionRequest } from "./admission.ts";
import type { SieveKey } from "./sieve-keeper.ts";
import { newParcel } from "../swarm/exchange/parcel.ts";
import type { Parcel } from "../swarm/exchange/parcel.ts";

/** A URL that the sieve let through. */
export interface Candidate {
  readonly request: AdmissionRequest;
  readonly links: PackedLinks;
  readonly index: number;
  readonly reason: ExclusionReason | undefined;
  readonly url: CanonicalUrl;
  readonly host: HostName;
  readonly site: SiteName;
}

export function candidateOf(
  request: AdmissionRequest,
  links: PackedLinks,
  index: number,
  reason: ExclusionReason | undefined,
): Candidate {
  const url = packedUrl(links, index);
  const host = hostOf(url);
  return { request, links, index, reason, url, host, site: siteOfHost(host) };
}

export function spaceOf({ request, reason }: Candidate): number {
  return reason ? exclusionSpace(request.job.space) : request.job.space;
}

export function sieveKeyOf(candidate: Candidate): SieveKey {
  const { links, index } = candidate;
  return { space: spaceOf(candidate), words: links.fingerprints, at: index * 4 };
}

export function rowKey(candidate: Candidate): Uint8Array<ArrayBuffer> {
  const { request, links, index, reason, site } = candidate;
  const tag = reason ? "exclusion" : "url";
  return urlKey(tag, ringPosition(site), links.fingerprints, index * 4, request.job.space);
}

/** What is queued of a URL that is found for the first time. */
export function queueEntryOf({ request, url }: Candidate, nowMs: Millis): QueueEntry {
  return {
    url,
    depth: request.depth,
    attempts: 0,
    redirectChain: [...request.redirectChain],
    discoveredAtMs: Math.floor(nowMs),
    ...(request.via === undefined ? {} : { via: request.via }),
  };
}

/** A URL for its owner, and the row by which it survives; `key` is that of its own row there. */
export function outboxParcelOf(
  { request, url, reason }: Candidate,
  key: Uint8Array,
  nowMs: Millis,
): { readonly parcel: Parcel; readonly op: StoreOp } {
  const { source, job, depth, via, redirectChain } = request;
  invariant(source !== undefined, "only a page's links leave through the outbox");
  const entry: OutboxEntry = {
    url: ownText(url),
    job: job.definition.id,
    depth,
    redirectChain: [...redirectChain],
    ...(via === undefined ? {} : { via }),
    ...(reason === undefined ? {} : { excluded: reason }),
  };
  const row = outboxKey(source.keys.position, key);
  return {
    parcel: newParcel({ rowKey: key, outboxKey: row, entry, sinceMs: nowMs }),
    op: { type: "put", key: row, value: OutboxEntry.encode(entry) },
  };
}

/** Links that a request brings, those kept out included. */
export function linkCount({ links, excluded }: AdmissionRequest): number {
  return excluded.reduce((sum, { links: out }) => sum + out.ends.length, links.ends.length);
}

/** Links of all requests of a round. */
export function linksOf(round: readonly { readonly request: AdmissionRequest }[]): number {
  return round.reduce((sum, { request }) => sum + linkCount(request), 0);
}
