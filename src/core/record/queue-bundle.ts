import { MalformedMessage } from "../protobuf/malformed-message.ts";
import { invariant } from "../errors.ts";
import { commonPrefix } from "../text/common-prefix.ts";
import type { Millis } from "../units.ts";
import { QueueRow } from "./record.pb.ts";

/** URLs of one bundle, at most: those that have left it are told by the bits of a 32-bit number. */
export const bundleUrlsMax = 32;

/** What is queued with a URL, and is the same for all that were found together. */
export interface Discovery {
  /** Links from a seed. */
  readonly depth: number;
  /** Requests made so far. */
  readonly attempts: number;
  /** Those of them that no server saw. */
  readonly unseen: number;
  /** URLs that redirected here, first one first. */
  readonly redirectChain: string[];
  /** The page on which it was found. */
  readonly via?: string;
  /** By the wall clock. */
  readonly discoveredAtMs: Millis;
}

/** One URL in the queue of its host. */
export interface QueueEntry extends Discovery {
  readonly url: string;
}

/**
 * One row of a host's queue: URLs that were found together. One that leaves the queue is marked, and with the last one the row
 * is deleted.
 *
 * A broad crawl finds ten times the URLs that it will ever fetch, some tens on each page; a row of its own for each would be
 * most of what the database does.
 */
export interface QueueBundle extends Discovery {
  readonly urls: readonly string[];
  /** A bit for each URL that has left the queue, the first one's the lowest. */
  readonly taken: number;
}

/** Whether the URL at this place is still queued. */
export function isQueued({ taken }: Pick<QueueBundle, "taken">, place: number): boolean {
  return ((taken >>> place) & 1) === 0;
}

/** URLs of it that are still queued. */
export function queuedIn({ urls, taken }: QueueBundle): number {
  return urls.reduce((count, _, place) => count + Number(isQueued({ taken }, place)), 0);
}

/** What stands before the marks of a row, at its end: field 11, of four bytes. */
const takenTag = (11 << 3) | 5;
const takenBytes = 4;

/** URLs after the first one are lines of one text: no canonical URL has a line feed. */
const lineFeed = "\n";

/**
 * The bundle as a row of the database. What the page and the other URLs share with the beginning of the first URL is left
 * out: most links lead to the host of their page, and a queue is little else than URLs.
 */
function encode(bundle: QueueBundle): Uint8Array<ArrayBuffer> {
  const { urls, depth, attempts, unseen, redirectChain, via, discoveredAtMs, taken } = bundle;
  const [url, ...others] = urls;
  invariant(url !== undefined, "a bundle has a URL");
  const row = { url, depth, attempts, redirectChain, discoveredAtMs };
  if (others.length === 0) return QueueRow.encode({ ...row, unseen, ...sharedPage(url, via) });
  return QueueRow.encode({ ...row, ...sharedPage(url, via), ...sharedUrls(url, others), taken });
}

/** The bytes of an {@link encode} of several URLs, but with others of them marked. */
function mark(value: Uint8Array, taken: number): Uint8Array<ArrayBuffer> {
  const marked = new Uint8Array(value);
  const at = marked.length - takenBytes;
  invariant(marked[at - 1] === takenTag, "a row of several URLs ends with their marks");
  new DataView(marked.buffer).setUint32(at, taken, true);
  return marked;
}

function sharedPage(url: string, via: string | undefined): Partial<QueueRow> {
  if (via === undefined) return {};
  const viaShared = commonPrefix(url, via);
  return { viaShared, viaRest: via.slice(viaShared) };
}

function sharedUrls(url: string, others: readonly string[]): Partial<QueueRow> {
  const urlShared = Math.min(...others.map((other) => commonPrefix(url, other)));
  return { urlShared, urlRests: others.map((other) => other.slice(urlShared)).join(lineFeed) };
}

/**
 * Errors: {@link MalformedMessage}, also where more is shared than there is, the URLs are too many or not to be told apart, or
 * the attempts do not add up.
 */
function decode(value: Uint8Array, options?: Parameters<typeof QueueRow.decode>[1]): QueueBundle {
  const row = QueueRow.decode(value, options);
  const { depth, attempts, unseen, redirectChain, discoveredAtMs, taken = 0 } = row;
  if (unseen > attempts)
    throw new MalformedMessage("more attempts that no server saw than attempts");
  const discovery = { depth, attempts, unseen, redirectChain, discoveredAtMs };
  const bundle = { urls: urlsOf(row), ...discovery, taken };
  const page = pageOf(row);
  return page === undefined ? bundle : { ...bundle, via: page };
}

function pageOf({ url, via, viaShared, viaRest }: QueueRow): string | undefined {
  if (viaShared > url.length)
    throw new MalformedMessage("a page shares more than there is of its URL");
  return viaRest === undefined ? via : url.slice(0, viaShared) + viaRest;
}

function urlsOf({ url, urlShared, urlRests }: QueueRow): string[] {
  if (urlRests === undefined) return [url];
  if (urlShared > url.length)
    throw new MalformedMessage("URLs share more than there is of the first");
  if (url.includes(lineFeed)) throw new MalformedMessage("a URL of a bundle has a line feed");
  const rests = urlRests.split(lineFeed, bundleUrlsMax);
  if (rests.length === bundleUrlsMax) throw new MalformedMessage("a bundle has too many URLs");
  const start = url.slice(0, urlShared);
  return [url, ...rests.map((rest) => start + rest)];
}

export const QueueBundle = { encode, decode, mark };
