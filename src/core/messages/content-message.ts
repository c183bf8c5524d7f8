import type { PlaceInArchive } from "../answers/url-status.ts";
import type { Millis } from "../units.ts";
import { decodeJson, encodeJson } from "./json-payload.ts";
import { listOf, objectOf, readAmount, readCount, readFlag, textOf } from "./read-data.ts";
import { payloadBytesMax } from "./read-payload.ts";

/** Bytes of a body in one message. */
export const contentChunkBytes = 1_024 * 1_024;

/** Header fields of a response: a head of 32 KiB has no more names and values. */
const headersMax = 32_768;

/** Characters of a name, a value or a URL. */
const textCharactersMax = 65_536;

/** Asks for a part of an archived response. */
export interface ContentQuestion {
  readonly place: PlaceInArchive;
  /** Where the body stands when `place` is a revisit record. */
  readonly body?: PlaceInArchive;
  /** First byte of the body that is wanted. */
  readonly from: number;
}

/** All of a response but its body. */
export interface ContentHead {
  readonly url: string;
  readonly status: number;
  readonly statusLine: string;
  readonly fetchedAtMs: Millis;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  readonly truncated: boolean;
  /** Length of the whole body. */
  readonly bodyBytes: number;
}

/** What an archive says in a head's place that has a record and cannot read it. */
export const damaged = "damaged";

/** A part of a body, with the head that belongs to it; nothing where the archive has no such record. */
export interface ContentChunk {
  readonly head: ContentHead | typeof damaged | undefined;
  readonly bytes: Uint8Array;
}

/** No path: a name within the archive's directory. */
const placeFields = {
  file: textOf(255, /^[A-Za-z0-9][A-Za-z0-9._-]*$/),
  offset: readCount,
  length: readCount,
};

export const readPlace = Object.assign(objectOf<PlaceInArchive>(placeFields), {
  fields: placeFields,
});

export function encodeContentQuestion(question: ContentQuestion): Uint8Array<ArrayBuffer> {
  return encodeJson(question);
}

const readQuestion = objectOf<
  { readonly place: PlaceInArchive; readonly from: number },
  { readonly body: PlaceInArchive }
>({ place: readPlace, from: readCount }, { body: readPlace });

export function decodeContentQuestion(payload: Uint8Array): ContentQuestion | undefined {
  return readQuestion(decodeJson(payload));
}

/** The head as JSON, its length before it in four bytes, the part of the body behind it. */
export function encodeContentChunk({ head, bytes }: ContentChunk): Uint8Array<ArrayBuffer> {
  const text = encodeJson(head ?? null);
  const payload = new Uint8Array(4 + text.length + bytes.length);
  new DataView(payload.buffer).setUint32(0, text.length);
  payload.set(text, 4);
  payload.set(bytes, 4 + text.length);
  return payload;
}

/** Members of the first version do not send the status line. */
const readHead = objectOf<Omit<ContentHead, "statusLine">, Pick<ContentHead, "statusLine">>(
  {
    url: textOf(textCharactersMax),
    status: readCount,
    fetchedAtMs: readAmount,
    headers: listOf(textOf(textCharactersMax), headersMax),
    truncated: readFlag,
    bodyBytes: readCount,
  },
  { statusLine: textOf(textCharactersMax) },
);

export function decodeContentChunk(payload: Uint8Array): ContentChunk | undefined {
  if (payload.length < 4 || payload.length > payloadBytesMax) return undefined;
  const { buffer, byteOffset, byteLength } = payload;
  const headEnd = 4 + new DataView(buffer, byteOffset, byteLength).getUint32(0);
  if (headEnd > payload.length) return undefined;
  const data = decodeJson(payload.subarray(4, headEnd));
  const bytes = payload.subarray(headEnd);
  if (data === null || data === damaged) {
    return bytes.length === 0 ? { head: data ?? undefined, bytes } : undefined;
  }
  const head = readHead(data);
  const isWhole = head !== undefined && bytes.length <= head.bodyBytes;
  if (!isWhole || head.headers.length % 2 !== 0) return undefined;
  return { head: { statusLine: `HTTP/1.1 ${head.status}`, ...head }, bytes };
}
