import { createMultibyteDecoder } from "@exodus/bytes/multi-byte.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBytes, encodingOfLabel } from "../../../src/core/page/encoding-label.ts";
import { sniffCharset } from "../../../src/core/page/sniff-charset.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const withMeta = bytes('<!DOCTYPE html><meta charset="koi8-r"><p>');

describe("sniffCharset", () => {
  it("believes a byte order mark before anything else", () => {
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), withMeta]);
    expect(sniffCharset(marked, "text/html; charset=big5")).toEqual({
      charset: "utf-8",
      source: "bom",
    });
    expect(sniffCharset(Uint8Array.of(0xfe, 0xff, 0, 0x3c)).charset).toBe("utf-16be");
    expect(sniffCharset(Uint8Array.of(0xff, 0xfe, 0x3c, 0)).charset).toBe("utf-16le");
  });

  it("believes the header before the document", () => {
    expect(sniffCharset(withMeta, 'text/html; charset="Shift_JIS"')).toEqual({
      charset: "shift_jis",
      source: "header",
    });
  });

  it("reads the document where the header's label is unknown", () => {
    expect(sniffCharset(withMeta, "text/html; charset=none")).toEqual({
      charset: "koi8-r",
      source: "meta",
    });
  });

  it("takes windows-1252 without any declaration, and UTF-8 for XHTML", () => {
    expect(sniffCharset(bytes("<p>"))).toEqual({ charset: "windows-1252", source: "default" });
    expect(sniffCharset(bytes("<p>"), "application/xhtml+xml").charset).toBe("utf-8");
  });

  it("looks at the first 1,024 bytes only", () => {
    const meta = "<meta charset=koi8-r>";
    expect(sniffCharset(bytes(" ".repeat(1_024 - meta.length) + meta)).charset).toBe("koi8-r");
    expect(sniffCharset(bytes(" ".repeat(1_025 - meta.length) + meta)).source).toBe("default");
  });

  it.each([
    ["<meta charset=utf-16le>", "utf-8"],
    ["<meta charset=x-user-defined>", "windows-1252"],
    [
      "<meta charset=bogus content='text/html; charset=koi8-r' http-equiv=content-type>",
      "windows-1252",
    ],
    ["<meta content='charset charset = \"koi8-r\"' http-equiv=content-type>", "koi8-r"],
    ["<meta content='charset=\"koi8-r' http-equiv=content-type>", "windows-1252"],
    ["<meta content='text/html; charset=koi8-r'>", "windows-1252"],
    ["<meta charset=koi8-r charset=utf-8>", "koi8-r"],
    ["<metadata charset=koi8-r>", "windows-1252"],
    ["</p title='>' x><meta/charset=koi8-r>", "koi8-r"],
    ["<!--><meta charset=koi8-r>", "koi8-r"],
    ["<!-- > <meta charset=koi8-r>", "windows-1252"],
    ["<? <meta charset=utf-8><meta charset=koi8-r>", "koi8-r"],
    ['<?xml version="1.0" encoding="koi8-r"?><p>', "koi8-r"],
    ['<?xml version="1.0" encoding="utf-16"?><p>', "utf-8"],
    ['<?xml version="1.0" encoding="koi 8-r"?><p>', "windows-1252"],
    ['<?xml version="1.0"><p encoding="koi8-r">', "windows-1252"],
    ['<?xml encoding="koi8-r"?><meta charset=big5>', "big5"],
  ])("reads %s as %s", (html, charset) => {
    expect(sniffCharset(bytes(html)).charset).toBe(charset);
  });

  it("reads the XML declaration of a document in UTF-16 without a mark", () => {
    expect(sniffCharset(Buffer.from("<?xml version", "utf16le")).charset).toBe("utf-16le");
  });

  it("names an encoding that can decode, whatever it is given", () => {
    const piece = fc.constantFrom(
      "<meta ",
      "<!--",
      "-->",
      "charset",
      "=",
      '"',
      "utf-8",
      " ",
      ">",
      "<?xml ",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 }), (pieces) => {
        const { charset } = sniffCharset(bytes(pieces.join("")));
        expect(encodingOfLabel(charset)).toBe(charset);
        expect(decodeBytes(bytes("a"), charset)).toBe("a");
      }),
    );
  });
});

describe("encodingOfLabel", () => {
  it.each([
    [" UTF8\t", "utf-8"],
    ["latin1", "windows-1252"],
    ["x-sjis", "shift_jis"],
    ["gb2312", "gbk"],
    ["hz-gb-2312", "replacement"],
    ["\u00a0utf-8", undefined],
    ["", undefined],
    ["x".repeat(1_000_000), undefined],
  ])("knows %j as %s", (label, encoding) => {
    expect(encodingOfLabel(label)).toBe(encoding);
  });
});

describe("decodeBytes", () => {
  it("decodes legacy text, without the mark, and the replacement encoding to nothing", () => {
    expect(decodeBytes(Uint8Array.of(0x80, 0xe9), "windows-1252")).toBe("€é");
    expect(decodeBytes(Uint8Array.of(0x93, 0xfa, 0x96, 0x7b), "shift_jis")).toBe("日本");
    expect(decodeBytes(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xff), "utf-8")).toBe("a\uFFFD");
    expect(decodeBytes(bytes("<a href=x>"), "replacement")).toBe("\uFFFD");
  });

  it.each([
    ["euc-kr", "8c63", "\uB620"],
    ["euc-kr", "c652", "\uD7A3"],
    ["euc-kr", "8020", "\uFFFD "],
    ["big5", "9d54", "\u{28BD4}"],
    ["big5", "8862", "\u00CA\u0304"],
    ["shift_jis", "1a1c7f80", "\u001A\u001C\u007F\u0080"],
    ["euc-jp", "8122", '\uFFFD"'],
    ["euc-jp", "8fb0a1", "\u4E02"],
    ["iso-2022-jp", "1b2442467c", "\u65E5"],
    ["iso-2022-jp", "1b24420000", "\uFFFD\uFFFD"],
    ["gbk", "a2e3", "\u20AC"],
  ])("decodes by the index of the Encoding Standard: %s %s", (encoding, hex, text) => {
    expect(decodeBytes(Buffer.from(hex, "hex"), encoding)).toBe(text);
  });

  it.each(["big5", "euc-jp", "euc-kr", "gb18030", "gbk", "shift_jis"])(
    "decodes all pairs of bytes by the index of the Encoding Standard: %s",
    (encoding) => {
      for (let lead = 0; lead <= 0xff; lead++) {
        const pairs = Uint8Array.from({ length: 4 * 0x100 }, (_, index) =>
          index % 4 === 0 ? lead : index % 4 === 1 ? index >> 2 : 0x0a,
        );
        expect(decodeBytes(pairs, encoding)).toBe(createMultibyteDecoder(encoding, true)(pairs));
      }
    },
  );
});
