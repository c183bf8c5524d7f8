import { createMultibyteDecoder } from "@exodus/bytes/multi-byte.js";

/** Name of an encoding as the WHATWG Encoding Standard writes it, in lower case: `utf-8`, `windows-1252`. */
export type EncodingName = string;

/** Encodings that only ever served attacks on mixed interpretations: a document in one of them decodes to nothing. */
const replacementLabels: ReadonlySet<string> = new Set([
  "csiso2022kr",
  "hz-gb-2312",
  "iso-2022-cn",
  "iso-2022-cn-ext",
  "iso-2022-kr",
  "replacement",
]);

/**
 * Encodings that Node.js decodes otherwise than the Encoding Standard (sections 5 and 11 to 13): its tables, those of ICU, lack
 * the Hangul of Windows-949 and the characters of Hong Kong, let bytes pass that are none, and exchange control characters.
 * All others were compared, byte by byte or pair by pair.
 */
const deviating: ReadonlySet<EncodingName> = new Set([
  "big5",
  "euc-jp",
  "euc-kr",
  "iso-2022-jp",
  "shift_jis",
]);

/** Twice the longest label there is, so that a hostile one costs nothing. */
const labelCharsMax = 64;

/**
 * The encoding that a label names, case and surrounding ASCII white space aside (Encoding Standard, section 4.2).
 * `x-user-defined`, which has no letters beyond ASCII, counts as windows-1252 wherever it is declared.
 */
export function encodingOfLabel(label: string): EncodingName | undefined {
  if (label.length > labelCharsMax) return undefined;
  const name = label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "").toLowerCase();
  if (replacementLabels.has(name)) return "replacement";
  if (name === "x-user-defined") return "windows-1252";
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

/**
 * Text of `bytes`, without a byte order mark; malformed sequences become U+FFFD. `encoding` comes from
 * {@link encodingOfLabel}.
 */
export function decodeBytes(bytes: Uint8Array, encoding: EncodingName): string {
  if (encoding === "replacement") return bytes.length === 0 ? "" : "\uFFFD";
  // A decoder of the package that is not to throw; its tables are read at the first use.
  if (deviating.has(encoding)) return createMultibyteDecoder(encoding, true)(bytes);
  return new TextDecoder(encoding).decode(bytes);
}
