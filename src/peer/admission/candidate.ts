import type { ExclusionReason } from "../../core/jobs/exclusion.ts";
import { invariant } from "../../core/errors.ts";
import { packedUrl } from "../../core/page/packed-links.ts";
import type { PackedLinks } from "../../core/page/parsed-page.ts";
import { ExclusionRecord, OutboxEntry, UrlRecord } from "../../core/record/record.pb.ts";
import { exclusionSpace, urlKey } from "../../core/record/url-keys.ts";
import { urlState } from "../../core/record/url-state.ts";
import { outboxKey } from "../../core/record/outbox-key.ts";
import { ownText } from "../../core/text/own-text.ts";
import type { CanonicalUrl, Millis } from "../../core/units.ts";
import type { StoreOp } from "../../ports/store.ts";
import type { HostPlace, HostPlaces } from "../host-places.ts";
import type { AdmissionRequest } from "./admission.ts";
import type { SieveKey } from "./sieve-log.ts";
import { newParcel } from "../swarm/exchange/parcel.ts";
import type { Parcel } from "../swarm/exchange/parcel.ts";

/**
 * A URL that the sieve let through, or does not know. It outlives a look-up in the store, with thousands of others: what can
 * be made of it later, as its text and the key of its row, is not kept.
 */
export interface Candidate {
  readonly request: AdmissionRequest;
  readonly links: PackedLinks;
  readonly index: number;
  readonly reason: ExclusionReason | undefined;
  readonly place: HostPlace;
}

export function candidateOf(
  link: Pick<Candidate, "index" | "links" | "reason" | "request">,
  places: HostPlaces,
): Candidate {
  const { request, links, index, reason } = link;
  return { request, links, index, reason, place: places.of(packedUrl(links, index)) };
}

export function urlOf({ links, index }: Candidate): CanonicalUrl {
  return packedUrl(links, index);
}

/** Key of the row that it has, or is to have, at its owner. */
export function urlRowKeyOf(candidate: Candidate): Uint8Array<ArrayBuffer> {
  const { request, links, index, reason, place } = candidate;
  const tag = reason ? "exclusion" : "url";
  return urlKey(tag, place.keyPosition, links.fingerprints, index * 4, request.job.space);
}

/** The sieve has the URLs that a job lets in apart from those that it keeps out. */
export function spaceOf({ request, reason }: Pick<Candidate, "reason" | "request">): number {
  return reason ? exclusionSpace(request.job.space) : request.job.space;
}

export function sieveKeyOf(candidate: Candidate): SieveKey {
  const { links, index } = candidate;
  return { space: spaceOf(candidate), words: links.fingerprints, at: index * 4 };
}

/** A URL for its owner, and the row by which it survives. */
export function outboxParcelOf(
  candidate: Candidate,
  rowKey: Uint8Array<ArrayBuffer>,
  nowMs: Millis,
): { readonly parcel: Parcel; readonly op: StoreOp } {
  const { request, reason } = candidate;
  const { source, job, depth, via, redirectChain } = request;
  invariant(source !== undefined, "only a page's links leave through the outbox");
  const entry: OutboxEntry = {
    url: ownText(urlOf(candidate)),
    job: job.definition.id,
    depth,
    redirectChain: [...redirectChain],
    ...(via === undefined ? {} : { via }),
    ...(reason === undefined ? {} : { excluded: reason }),
  };
  const row = outboxKey(source.keys.position, rowKey);
  return {
    parcel: newParcel({ rowKey, outboxKey: row, entry, sinceMs: nowMs }),
    op: { type: "put", key: row, value: OutboxEntry.encode(entry) },
  };
}

/** What is kept of a URL that is kept out, by a rule or by a guard. */
export function keptOutRow(candidate: Candidate, excluded: ExclusionReason): Uint8Array {
  const url = urlOf(candidate);
  if (candidate.reason) return ExclusionRecord.encode({ url, reason: excluded });
  // A guard speaks after the sieve took the URL for one to be queued: its record says how that ended.
  const { depth } = candidate.request;
  return UrlRecord.encode({ ...urlState.fresh, state: urlState.done, url, excluded, depth });
}

/** Whether URLs that are let in, unless there is a reason, were named one by one: neither links, nor what a seed redirects to. */
export function areSeeds(
  { depth, redirectChain }: AdmissionRequest,
  reason?: ExclusionReason,
): boolean {
  return reason === undefined && depth === 0 && redirectChain.length === 0;
}

/** Links that a request brings, those kept out included. */
export function linkCount({ links, excluded }: AdmissionRequest): number {
  return excluded.reduce((sum, { links: out }) => sum + out.ends.length, links.ends.length);
}

/** Links of all requests of a round. */
export function linksOf(round: readonly { readonly request: AdmissionRequest }[]): number {
  return round.reduce((sum, { request }) => sum + linkCount(request), 0);
}
