import { decodeBytes, type EncodingName } from "./encoding-label.ts";

const nonAscii = /[^\0-\x7f]/;
const nonAsciiAll = /[^\0-\x7f]/gu;

/** Encodings whose characters beyond ASCII have one byte or two; gb18030 has some of four. */
const doubleByte: ReadonlySet<EncodingName> = new Set([
  "big5",
  "euc-jp",
  "euc-kr",
  "gb18030",
  "gbk",
  "shift_jis",
]);

/** Encodings in which a form or link writes UTF-8 all the same (Encoding Standard, "get an output encoding"). */
const writesUtf8: ReadonlySet<EncodingName> = new Set([
  "utf-8",
  "utf-16be",
  "utf-16le",
  "replacement",
  // Stateful; left out, since its pages hardly ever have raw queries.
  "iso-2022-jp",
]);

/** Lead bytes that only decode: vendors' duplicates, for which the standard's encoders use another code. */
const decodeOnlyLeads: Readonly<Record<EncodingName, (lead: number) => boolean>> = {
  big5: (lead) => lead < 0xa1,
  shift_jis: (lead) => lead === 0xed || lead === 0xee,
};

/** Characters that are written as others, of which the index has none (Encoding Standard, sections 12.1.2 and 12.3.2). */
const writtenAs: Readonly<Record<EncodingName, Readonly<Record<string, string>>>> = {
  "euc-jp": { "\u00A5": "\\", "\u203E": "~", "\u2212": "\uFF0D" },
  shift_jis: { "\u00A5": "\\", "\u203E": "~", "\u2212": "\uFF0D" },
};

/** Pointers of gb18030's four-byte codes: where those of the plane 0 end, and where those of the others begin. */
const gb18030PlaneZeroEnd = 39_420;
const gb18030BeyondPlaneZero = 189_000;

/** Characters whose last code in Big5 is the one written (Encoding Standard, "index Big5 pointer"). */
const lastInBig5 = "\u2550\u255E\u2561\u256A\u5341\u5345";

const unmapped = "\uFFFD";

/**
 * Bytes of the characters of legacy encodings.
 *
 * The platform decodes these encodings but does not encode them, so its tables are turned round, each when it is first
 * needed. That takes about 20 ms, and 50 ms for gb18030, which has all characters; whoever reads many pages keeps one
 * instance for all of them.
 */
export class EncodingTables {
  /** Bounded by the number of encodings that there are. */
  readonly #byCharset = new Map<EncodingName, ReadonlyMap<string, readonly number[]>>();

  bytesOf(char: string, charset: EncodingName): readonly number[] | undefined {
    const written = writtenAs[charset]?.[char] ?? char;
    const codePoint = written.codePointAt(0) ?? 0;
    if (codePoint < 0x80) return [codePoint];
    if (codePoint > 0xffff && charset === "gb18030") {
      return fourBytes(gb18030BeyondPlaneZero + codePoint - 0x1_0000);
    }
    let table = this.#byCharset.get(charset);
    if (table === undefined) {
      table = encodingTable(charset);
      this.#byCharset.set(charset, table);
    }
    return table.get(written);
  }
}

/** Writes the queries of a document's links in the document's own encoding. */
export class QueryEncoder {
  readonly #charset: EncodingName;
  readonly #tables: EncodingTables;

  constructor(charset: EncodingName, tables: EncodingTables) {
    this.#charset = charset;
    this.#tables = tables;
  }

  /** `reference` with the characters beyond ASCII of its query escaped; unchanged where UTF-8 is written anyway. */
  encodeQuery(reference: string): string {
    if (!nonAscii.test(reference) || writesUtf8.has(this.#charset)) return reference;
    const start = reference.indexOf("?") + 1;
    if (start === 0) return reference;
    const query = reference.slice(start).replace(nonAsciiAll, (char) => this.#escape(char));
    return reference.slice(0, start) + query;
  }

  #escape(char: string): string {
    const codes = this.#tables.bytesOf(char, this.#charset);
    if (codes === undefined) return `%26%23${char.codePointAt(0) ?? 0}%3B`;
    return codes
      .map((code) => (staysBare(code) ? String.fromCharCode(code) : percent(code)))
      .join("");
  }
}

/** Bytes outside the special-query percent-encode set (URL Standard, section 1.3). */
function staysBare(code: number): boolean {
  return code > 0x20 && code < 0x7f && !"\"#<>'".includes(String.fromCharCode(code));
}

function percent(code: number): string {
  return `%${code.toString(16).toUpperCase().padStart(2, "0")}`;
}

/** Bytes of every character beyond ASCII that `charset` has. */
function encodingTable(charset: EncodingName): Map<string, readonly number[]> {
  const table = new Map<string, readonly number[]>();
  const candidates = codesOf(charset);
  const lines = decodeBytes(
    Uint8Array.from(candidates.flatMap((code) => [...code, 0x0a])),
    charset,
  ).split("\n");
  candidates.forEach((code, index) => {
    const char = lines[index] ?? unmapped;
    if (!isOneCharacter(char) || char === unmapped) return;
    const replaces = charset === "big5" && lastInBig5.includes(char);
    if (replaces || !table.has(char)) table.set(char, code);
  });
  return table;
}

/** Those of Hong Kong in Big5 are beyond plane 0, and so two units each. */
function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}

function codesOf(charset: EncodingName): (readonly number[])[] {
  const codes: (readonly number[])[] = [];
  // What a single 0x80 stands for in gb18030 is read, but written with two bytes.
  const first = charset === "gb18030" ? 0x81 : 0x80;
  for (let byte = first; byte <= 0xff; byte++) codes.push([byte]);
  if (!doubleByte.has(charset)) return codes;
  const decodeOnly = decodeOnlyLeads[charset];
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    if (decodeOnly?.(lead) === true) continue;
    for (let trail = 0x40; trail <= 0xfe; trail++) codes.push([lead, trail]);
  }
  if (charset === "gb18030") {
    for (let pointer = 0; pointer < gb18030PlaneZeroEnd; pointer++) codes.push(fourBytes(pointer));
  }
  return codes;
}

/** Encoding Standard, section 10.2.2, "gb18030's encoder", the last steps. */
function fourBytes(pointer: number): readonly number[] {
  return [
    0x81 + Math.floor(pointer / (10 * 126 * 10)),
    0x30 + (Math.floor(pointer / (10 * 126)) % 10),
    0x81 + (Math.floor(pointer / 10) % 126),
    0x30 + (pointer % 10),
  ];
}
