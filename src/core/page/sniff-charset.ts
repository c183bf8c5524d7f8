import { byteOrderMark } from "./byte-order-mark.ts";
import { isXhtml, parseContentType } from "./content-type.ts";
import { encodingOfLabel, type EncodingName } from "./encoding-label.ts";
import { prescanEncoding, xmlEncoding } from "./meta-prescan.ts";

/** Encoding of a document and what decided it. */
export interface SniffedCharset {
  readonly charset: EncodingName;
  readonly source: "bom" | "header" | "meta" | "default";
}

/** Bytes searched for a declaration: the HTML Standard's recommendation, which browsers follow. */
const prescannedBytes = 1_024;

/**
 * Encoding of an HTML document as browsers decide it: byte order mark, then Content-Type header, then the declaration
 * in the document's first 1,024 bytes, then windows-1252 (HTML Standard, section 13.2.3.2). XHTML is XML: it declares
 * its encoding in the XML declaration and is UTF-8 without one.
 */
export function sniffCharset(html: Uint8Array, contentType?: string): SniffedCharset {
  const marked = byteOrderMark(html);
  if (marked !== undefined) return { charset: marked, source: "bom" };

  const label = parseContentType(contentType)?.charset;
  const charset = label === undefined ? undefined : encodingOfLabel(label);
  if (charset !== undefined) return { charset, source: "header" };

  const start = html.subarray(0, prescannedBytes);
  const xhtml = isXhtml(contentType);
  const declared = xhtml ? xmlEncoding(start) : prescanEncoding(start);
  if (declared !== undefined) return { charset: declared, source: "meta" };
  return { charset: xhtml ? "utf-8" : "windows-1252", source: "default" };
}
