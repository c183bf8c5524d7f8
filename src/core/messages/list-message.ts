import { decodeListKey, encodeListKey, listedTagOf, type ListedUrl } from "../answers/list-key.ts";
import type { ListStretch } from "../answers/merge-list.ts";
import { listedStates, type UrlFilter } from "../answers/url-list.ts";
import { isJobId } from "../jobs/validate-job-options.ts";
import { compareKeys } from "../record/compare-keys.ts";
import { ArcSet } from "../ring/arc-set.ts";
import type { JobId } from "../units.ts";
import { decodeJson, encodeJson } from "./json-payload.ts";
import { listOf, objectOf, oneOf, readCount, readMark, valueOf, type Read } from "./read-data.ts";
import { isUrlText } from "./read-payload.ts";

/** URLs of one reply, at most. */
export const listedUrlsMax = 500;

/** Characters of the URLs of one reply, at most, and one URL more: at three bytes each they fit a message. */
export const listedCharactersMax = 512 * 1_024;

/** Bounds of the arcs of one reply, at most: with the URLs they fit a message. */
export const listedBoundsMax = 2 ** 17;

/** Asks for the URLs of a job at sites that the member holds, by one kind of rows. */
export interface ListQuestion {
  readonly job: JobId;
  readonly filter: UrlFilter;
  /** The first key that is looked at; its kind is that of the rows. */
  readonly from: Uint8Array;
  /** URLs wanted, at most. */
  readonly count: number;
}

/** URLs as they stand in the member's database: what is true of them by now is to be asked. */
export interface ListReply extends ListStretch {
  /** What the member held all the while it looked: who asks all members learns whether any of the ring is missing. */
  readonly arcs: ArcSet;
}

export function encodeListQuestion({ from, ...question }: ListQuestion): Uint8Array<ArrayBuffer> {
  return encodeJson({ ...question, from: encodeListKey(from) });
}

const readKey: Read<Uint8Array> = (data) =>
  typeof data === "string" ? decodeListKey(data) : undefined;

const readQuestion = objectOf<ListQuestion>({
  job: valueOf(isJobId),
  filter: objectOf<object, Required<UrlFilter>>(
    {},
    { state: oneOf(listedStates), http: readCount, broken: readMark },
  ),
  from: readKey,
  count: readCount,
});

export function decodeListQuestion(payload: Uint8Array): ListQuestion | undefined {
  return readQuestion(decodeJson(payload));
}

export function encodeListReply({ urls, reached, arcs }: ListReply): Uint8Array<ArrayBuffer> {
  const named = urls.map(({ url, key }) => ({ url, key: encodeListKey(key) }));
  return encodeJson({
    urls: named,
    arcs: arcs.toBounds(),
    ...(reached && { reached: encodeListKey(reached) }),
  });
}

const readBounds = listOf(readCount, listedBoundsMax);

const readArcs: Read<ArcSet> = (data) => {
  const bounds = readBounds(data);
  return bounds && ArcSet.fromBounds(bounds);
};

const readReply = objectOf<Pick<ListReply, "urls" | "arcs">, Required<Pick<ListReply, "reached">>>(
  {
    urls: listOf(objectOf<ListedUrl>({ url: valueOf(isUrlText), key: readKey }), listedUrlsMax),
    arcs: readArcs,
  },
  { reached: readKey },
);

/** The reply to a question; one that names rows of another kind, or does not get on, is none: the list would never end. */
export function decodeListReply(
  payload: Uint8Array,
  { from }: ListQuestion,
): ListReply | undefined {
  const reply = readReply(decodeJson(payload));
  if (!reply) return undefined;
  const { urls, reached } = reply;
  const tag = listedTagOf(from);
  const isSound = (key: Uint8Array): boolean =>
    listedTagOf(key) === tag && compareKeys(key, from) >= 0;
  const getsOn = !reached || (isSound(reached) && compareKeys(reached, from) > 0);
  return getsOn && urls.every(({ key }) => isSound(key)) ? reply : undefined;
}
