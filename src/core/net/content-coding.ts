/** A content coding that can be removed (RFC 9110, section 8.4.1; RFC 7932; RFC 8878). */
export type ContentCoding = "br" | "deflate" | "gzip" | "zstd";

/** A coding as it is found in the bytes: what servers call `deflate` may lack the zlib wrapper. */
export type ContentFormat = "br" | "gzip" | "raw-deflate" | "zlib" | "zstd";

/** More codings than this on one body have no honest use. */
const codingsMax = 3;

/** Bytes that are looked at to tell text from a coding that has no signature. */
export const sniffBytes = 64;

const codingByToken: ReadonlyMap<string, ContentCoding> = new Map([
  ["br", "br"],
  ["deflate", "deflate"],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["zstd", "zstd"],
] as const);

/**
 * Codings named by a Content-Encoding field, in the order in which they were applied; undefined when they are too many.
 *
 * Tokens that name no coding (`identity`, `none`, a charset) are passed over, as browsers do.
 */
export function parseContentEncoding(field: string): readonly ContentCoding[] | undefined {
  const codings: ContentCoding[] = [];
  for (const token of field.split(",", codingsMax * 2)) {
    const coding = codingByToken.get(token.trim().toLowerCase());
    if (coding !== undefined) codings.push(coding);
  }
  return codings.length > codingsMax ? undefined : codings;
}

/**
 * The format that `bytes`, the first of a body, really have; undefined when they are not of that coding at all.
 *
 * Many servers send plain content under a Content-Encoding. A coding with a signature is believed only with it; one
 * without (br, raw deflate) unless the content begins as text.
 */
export function sniffFormat(coding: ContentCoding, bytes: Uint8Array): ContentFormat | undefined {
  const [first = 0, second] = bytes;
  switch (coding) {
    case "gzip":
      return first === 0x1f && (second ?? 0x8b) === 0x8b ? "gzip" : undefined;
    case "zstd":
      return isZstd(bytes) ? "zstd" : undefined;
    case "br":
      return isText(bytes) && !isEmptyBrotli(bytes) ? undefined : "br";
    case "deflate":
      if (isZlib(first, second)) return "zlib";
      return isText(bytes) ? undefined : "raw-deflate";
  }
}

/** RFC 1950, section 2.2: method 8, a window of at most 32 KiB, and a check that makes the pair a multiple of 31. */
function isZlib(first: number, second: number | undefined): boolean {
  if ((first & 0x0f) !== 8 || first >> 4 > 7) return false;
  return second === undefined || (first * 256 + second) % 31 === 0;
}

/** RFC 8878, sections 3.1.1 and 3.1.2: a frame, or a skippable frame before it. */
function isZstd(bytes: Uint8Array): boolean {
  const [first = 0, second = 0xb5, third = 0x2f, fourth = 0xfd] = bytes;
  if (first === 0x28) return second === 0xb5 && third === 0x2f && fourth === 0xfd;
  return first >> 4 === 5 && bytes[1] === 0x2a && bytes[2] === 0x4d && bytes[3] === 0x18;
}

/**
 * What encoders make of nothing, in a body of its own (RFC 7932, sections 9.1 and 9.2): one byte, which is text for the windows
 * of 18 to 24 bits, as `;` for that of 22.
 */
function isEmptyBrotli(bytes: Uint8Array): boolean {
  const [first = 0] = bytes;
  return bytes.length === 1 && first >= 0x33 && first <= 0x3f && first % 2 === 1;
}

/** Whether `bytes` begin as text in UTF-8: in any other encoding its letters are not told from what a coder makes. */
function isText(bytes: Uint8Array): boolean {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const looked = bytes.subarray(start, start + sniffBytes);
  return looked.every(isTextByte) && isUtf8(looked);
}

function isTextByte(byte: number): boolean {
  const isControl = byte < 0x20 || byte === 0x7f;
  return !isControl || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    // The cut may go through a character, which makes the text no other than UTF-8.
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return false;
  }
}
