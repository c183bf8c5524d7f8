import type { SampleWebOptions } from "./sample-web-options.ts";
import { fraction } from "./site-layout.ts";

/** Character sets of the sample web, by the labels that its pages use. */
export const pageCharsets = ["utf-8", "windows-1252", "shift_jis", "utf-16le"] as const;
export type PageCharset = (typeof pageCharsets)[number];

/** Bytes of one line of filler; sizes are filled with whole lines and blanks, so that no character is cut. */
const lineBytes = 128;
const fillerBytes = 131_072;

/** A Japanese phrase in Shift_JIS ("search of the web"), which no platform encoder writes. */
const shiftJisPhrase = Buffer.from("8345834683758c9f8df5", "hex");

const words =
  "spider web page crawl link host site queue silk thread orb fetch polite delay frontier ring token record".split(
    " ",
  );

/**
 * Writes HTML bodies: markup from strings, the rest copied from filler made once, so that a page costs microseconds.
 *
 * Invariant: a body depends on the arguments and the options alone.
 */
export class BodyWriter {
  readonly #options: SampleWebOptions;
  readonly #fillers = new Map<PageCharset, Buffer>();

  constructor(options: SampleWebOptions) {
    this.#options = options;
    for (const charset of pageCharsets) this.#fillers.set(charset, filler(charset));
  }

  /** Size that the law of sizes gives to a page. `draw`: 32 random bits. */
  sizeOf(draw: number): number {
    const { bytesPerPage, bytesExponent, bytesMax } = this.#options;
    if (bytesExponent === 0) return bytesPerPage;
    // Pareto: mean = smallest * exponent / (exponent - 1).
    const smallest = (bytesPerPage * (bytesExponent - 1)) / bytesExponent;
    const size = smallest * (1 - fraction(draw)) ** (-1 / bytesExponent);
    return Math.round(Math.min(size, bytesMax));
  }

  /** `head` (to the body's links), filler chosen by `draw`, end of document: `size` bytes, or more where `head` needs it. */
  write(charset: PageCharset, head: string, size: number, draw: number): Buffer<ArrayBuffer> {
    const start = encodeText(charset, head);
    const end = encodeText(charset, "</body></html>\n");
    const source = this.#fillers.get(charset) ?? end;
    // An even number of bytes suits UTF-16 too.
    const total = Math.max(size + (size % 2), start.length + end.length);
    const body = Buffer.allocUnsafeSlow(total);
    start.copy(body, 0);
    let at = start.length;
    const fillEnd = total - end.length;
    let from = (draw % (fillerBytes / lineBytes)) * lineBytes;
    while (fillEnd - at >= lineBytes) {
      const wholeLines = fillEnd - at - ((fillEnd - at) % lineBytes);
      at += source.copy(body, at, from, Math.min(fillerBytes, from + wholeLines));
      from = 0;
    }
    if (charset === "utf-16le") body.fill(" \0", at, fillEnd, "latin1");
    else body.fill(32, at, fillEnd);
    end.copy(body, fillEnd);
    return body;
  }
}

/** A word that is not ASCII, in the characters that a charset has; for titles. */
export function foreignWord(charset: PageCharset): string {
  return charset === "shift_jis" ? "" : "caf\u00e9";
}

/** Bytes of `text`; text for `shift_jis` must be ASCII. */
function encodeText(charset: PageCharset, text: string): Buffer {
  switch (charset) {
    case "utf-8":
      return Buffer.from(text, "utf8");
    case "windows-1252":
    case "shift_jis":
      return Buffer.from(text, "latin1");
    case "utf-16le":
      return Buffer.from(text, "utf16le");
  }
}

/** Paragraphs of exactly `lineBytes` bytes, each with a few characters beyond ASCII. */
function filler(charset: PageCharset): Buffer {
  const lines: Buffer[] = [];
  const close = encodeText(charset, "</p>\n");
  for (let line = 0; line < fillerBytes / lineBytes; line += 1) {
    const open = encodeText(charset, "<p>");
    const phrase = charset === "shift_jis" ? shiftJisPhrase : encodeText(charset, "caf\u00e9 ");
    const room = lineBytes - open.length - phrase.length - close.length;
    let text = "";
    for (let word = line * 7; text.length < lineBytes; word = word * 5 + 3) {
      text += `${words[word % words.length] ?? ""} `;
      word %= 10_007;
    }
    const middle = encodeText(charset, text).subarray(0, room);
    lines.push(Buffer.concat([open, phrase, middle, close]));
  }
  return Buffer.concat(lines);
}
