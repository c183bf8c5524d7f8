import { isJobId } from "../jobs/validate-job-options.ts";
import { isMemberId } from "../membership/read-member.ts";
import type { OutboxEntry } from "../record/record.pb.ts";
import { redirectChainMax } from "../replication/entry-lattices.ts";
import { commonPrefix } from "../text/common-prefix.ts";
import type { MemberId } from "../units.ts";
import * as wire from "./messages.pb.ts";
import { decodePayload, isCount, isUrlText, payloadBytesMax, readAll } from "./read-payload.ts";

/** URLs of one message, at most. */
export const forwardUrlsMax = 1_000;

/** A field's number and the length of its text, which is below 2^21. */
const textHeadBytes = 4;

/** The same of one URL, and its numbers: job, shared, depth and via, at most 5 bytes and a field's number each. */
const entryHeadBytes = 4 + 4 * 6;

/** The form of an exclusion reason. */
const reasonForm = /^[a-z-]{1,64}$/;

/** One run of a member. */
export interface MemberRun {
  readonly member: MemberId;
  readonly generation: number;
}

/** A URL as a message brings it; one whose texts nobody takes is rejected, so that it does not keep the others back. */
export type ForwardedUrl = OutboxEntry | "rejected";

/** What became of one forwarded URL. */
export type ForwardResult =
  /** Queued now. */
  | "new"
  | "known"
  /** It will never be taken: it is no URL as the receiver knows them. */
  | "rejected"
  /** Another member holds its site, as far as the receiver knows. */
  | { readonly holder: MemberRun | undefined };

/** The texts that a message's URLs have in common, those of them that are what they should be. */
interface Sound {
  readonly jobs: ReadonlySet<string>;
  readonly vias: ReadonlySet<string>;
}

const resultCodes = { known: 0, new: 1, rejected: 2, elsewhere: 3, heldBy: 4 } as const;

/**
 * URLs on their way to the peer that holds their sites. What they have in common is written once: their jobs, the pages
 * on which they were found, and of each URL what it shares with the beginning of the one before it.
 */
export function encodeForward(entries: readonly OutboxEntry[]): Uint8Array<ArrayBuffer> {
  const jobs = new Map<string, number>();
  const vias = new Map<string, number>();
  let last = "";
  const urls = entries.map(({ url, depth, via, redirectChain, job, excluded }) => {
    const shared = commonPrefix(last, url);
    last = url;
    return {
      job: indexIn(jobs, job),
      shared,
      rest: url.slice(shared),
      depth,
      redirectChain,
      ...(via !== undefined && { via: indexIn(vias, via) }),
      ...(excluded !== undefined && { excluded }),
    };
  });
  return wire.Forward.encode({ jobs: [...jobs.keys()], vias: [...vias.keys()], urls });
}

/**
 * Bytes that an entry adds to a message, at most, where `before` goes ahead of it; its texts are ASCII. What it has in
 * common with the beginning of the URL before it is counted all the same, since its receiver has to hold it.
 */
export function forwardBytes(entry: OutboxEntry, before: OutboxEntry | undefined): number {
  const { url, via = "", redirectChain, job, excluded = "" } = entry;
  const texts = [url, excluded, ...redirectChain];
  if (via !== before?.via) texts.push(via);
  if (job !== before?.job) texts.push(job);
  return texts.reduce((sum, text) => sum + text.length + textHeadBytes, entryHeadBytes);
}

/**
 * The URLs of a message, in their order; nothing when it is no such message. Their texts are bounded, each and together;
 * that they are canonical, and what their jobs say of them, is for the receiver to see.
 */
export function decodeForward(payload: Uint8Array): readonly ForwardedUrl[] | undefined {
  const limits = {
    jobs: forwardUrlsMax,
    vias: forwardUrlsMax,
    urls: forwardUrlsMax,
    urls$: { redirectChain: redirectChainMax },
  };
  const message = decodePayload(payload, (bytes) => wire.Forward.decode(bytes, { limits }));
  if (!message) return undefined;
  const sound: Sound = {
    jobs: new Set(message.jobs.filter(isJobId)),
    vias: new Set(message.vias.filter(isUrlText)),
  };
  let last = "";
  let characters = 0;
  return readAll(message.urls, (entry) => {
    if (entry.shared > last.length) return undefined;
    const url = last.slice(0, entry.shared) + entry.rest;
    last = url;
    characters += url.length;
    // What is shared is short in the message and long in memory.
    if (characters > payloadBytesMax) return undefined;
    return readEntry(entry, url, message, sound);
  });
}

/** Results in the order of the message's URLs. */
export function encodeForwardReply(results: readonly ForwardResult[]): Uint8Array<ArrayBuffer> {
  const holders: MemberRun[] = [];
  const indexes = new Map<string, number>();
  const codes = results.map((result) => {
    if (typeof result === "string") return resultCodes[result];
    const { holder } = result;
    if (!holder) return resultCodes.elsewhere;
    const index = indexIn(indexes, `${holder.generation} ${holder.member}`);
    holders[index] = holder;
    return resultCodes.heldBy + index;
  });
  return wire.ForwardReply.encode({ results: codes, holders });
}

/** The reply to a message of `urlCount` URLs: one result for each. */
export function decodeForwardReply(
  payload: Uint8Array,
  urlCount: number,
): readonly ForwardResult[] | undefined {
  const limits = { results: urlCount, holders: urlCount };
  const reply = decodePayload(payload, (bytes) => wire.ForwardReply.decode(bytes, { limits }));
  if (reply?.results.length !== urlCount) return undefined;
  const holders = readAll(reply.holders, readMemberRun);
  return holders && readAll(reply.results, (code) => readResult(code, holders));
}

/** One run of a member as it is named in a message. */
export function readMemberRun({ member, generation }: wire.MemberRun): MemberRun | undefined {
  return isMemberId(member) && isCount(generation) ? { member, generation } : undefined;
}

function readResult(code: number, holders: readonly MemberRun[]): ForwardResult | undefined {
  switch (code) {
    case resultCodes.known:
      return "known";
    case resultCodes.new:
      return "new";
    case resultCodes.rejected:
      return "rejected";
    case resultCodes.elsewhere:
      return { holder: undefined };
    default: {
      const holder = holders[code - resultCodes.heldBy];
      return holder && { holder };
    }
  }
}

function readEntry(
  { job: jobIndex, depth, via: viaIndex, redirectChain, excluded }: wire.ForwardUrl,
  url: string,
  { jobs, vias }: wire.Forward,
  sound: Sound,
): ForwardedUrl | undefined {
  const job = jobs[jobIndex];
  const via = viaIndex === undefined ? undefined : vias[viaIndex];
  if (job === undefined || (viaIndex !== undefined && via === undefined)) return undefined;
  if (!sound.jobs.has(job) || (via !== undefined && !sound.vias.has(via))) return "rejected";
  if (!isUrlText(url) || !redirectChain.every(isUrlText)) return "rejected";
  if (excluded !== undefined && !reasonForm.test(excluded)) return "rejected";
  return {
    url,
    depth,
    redirectChain,
    job,
    ...(via !== undefined && { via }),
    ...(excluded !== undefined && { excluded }),
  };
}

/** Place of a text in a list that grows by the texts that are asked for. */
function indexIn(places: Map<string, number>, text: string): number {
  const known = places.get(text);
  if (known !== undefined) return known;
  places.set(text, places.size);
  return places.size - 1;
}
