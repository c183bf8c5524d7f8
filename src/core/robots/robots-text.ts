import { byteOrderMark } from "../page/byte-order-mark.ts";
import { escapedBytes } from "../url/header-url.ts";
import { wholeLines } from "./read-robots.ts";

/**
 * The text of a robots.txt, its whole lines where the file was cut.
 *
 * It is to be UTF-8 (RFC 9309, 2.3). Of one that is not, the bytes beyond ASCII are escaped one by one, as they are in the
 * URLs of its server and to Google's reader (robots.cc, `MaybeEscapePattern`). One that begins with the mark of UTF-16 is read as
 * that, where Google's reader finds nothing in it: who wrote it closed what it names, not knowing how an editor would save it.
 */
export function robotsText(body: Uint8Array, isCut: boolean): string {
  const text = textOf(body, isCut);
  return isCut ? wholeLines(text) : text;
}

function textOf(body: Uint8Array, isCut: boolean): string {
  const marked = byteOrderMark(body);
  if (marked !== undefined && marked !== "utf-8") return new TextDecoder(marked).decode(body);
  try {
    // A cut may go through a character, which makes the file no other than UTF-8.
    return new TextDecoder("utf-8", { fatal: true }).decode(body, { stream: isCut });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const bytes = Array.from(body, (byte) => String.fromCharCode(byte)).join("");
    return escapedBytes(bytes.replace(/^\xEF\xBB\xBF/, ""));
  }
}
