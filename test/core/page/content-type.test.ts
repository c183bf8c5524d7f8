import { describe, expect, it } from "vitest";
import {
  isHtml,
  isHtmlType,
  isSitemapType,
  isXhtml,
  parseContentType,
} from "../../../src/core/page/content-type.ts";

describe("parseContentType", () => {
  it.each([
    ["text/html", { mime: "text/html" }],
    [" Text/HTML ; Charset=UTF-8", { mime: "text/html", charset: "UTF-8" }],
    ['text/html;charset="a\\"b"', { mime: "text/html", charset: 'a"b' }],
    ["text/html; x=charset=1; charset=big5 ", { mime: "text/html", charset: "big5" }],
    ["text/html; charset=a; charset=b", { mime: "text/html", charset: "a" }],
    ['text/html; a="x;charset=no"; charset=utf-8', { mime: "text/html", charset: "utf-8" }],
    ['text/html; a="x\\";charset=no"; charset=utf-8', { mime: "text/html", charset: "utf-8" }],
    ['text/html; a="\\\\"; charset=utf-8; b=""', { mime: "text/html", charset: "utf-8" }],
    ['text/html; a="x, b/c;charset=no", b/c; charset=big5', { mime: "text/html", charset: "big5" }],
    ['text/html; a="x;charset=no', { mime: "text/html" }],
    ['text/html; a=x"y; charset=utf-8', { mime: "text/html", charset: "utf-8" }],
    ['text/html; charset="utf-8"x; charset=no', { mime: "text/html", charset: "utf-8" }],
    ["text/html;;a; ; =b; CHARSET=utf-8", { mime: "text/html", charset: "utf-8" }],
    ["text/html; xcharset=no; charset =no", { mime: "text/html" }],
    ["text/html; charset=", { mime: "text/html" }],
    ["text/html; charset= ; charset=b", { mime: "text/html", charset: "b" }],
    ['text/html; charset=""; charset=b', { mime: "text/html" }],
    ["text/html, text/plain", { mime: "text/html" }],
    ["text/html; charset=big5, text/html", { mime: "text/html", charset: "big5" }],
    ["text/html;charset=big5,text/html;charset=big5", { mime: "text/html", charset: "big5" }],
    ["text/html, text/html; charset=big5", { mime: "text/html", charset: "big5" }],
    ["text/html; charset=, text/html; charset=big5", { mime: "text/html", charset: "big5" }],
    ["text html", undefined],
    ["", undefined],
    [undefined, undefined],
    [`text/html;${" ".repeat(10_000)}`, undefined],
  ])("reads %j", (header, expected) => {
    expect(parseContentType(header)).toEqual(expected);
  });
});

describe("isSitemapType", () => {
  it.each([
    ["application/xml", "http://e.org/map", true],
    ["application/rdf+xml", "http://e.org/feed", true],
    ["application/octet-stream", "http://e.org/index.rdf", true],
    ["application/octet-stream", "http://e.org/sitemap.xml.gz", true],
    ["binary/octet-stream", "http://e.org/urls.TXT?v=1", true],
    ["application/octet-stream", "http://e.org/setup.exe?for=a.xml", false],
    ["application/octet-stream", "http://e.org/source.tar.gz", false],
    ["image/png", "http://e.org/sitemap.xml", false],
    [undefined, "http://e.org/sitemap.xml", false],
  ])("of %j at %s is %j", (header, url, expected) => {
    expect(isSitemapType(header, url)).toBe(expected);
  });
});

describe("isHtml", () => {
  const html = Buffer.from("<html>");

  it("goes by the header where there is one", () => {
    expect(isHtml("text/html;charset=x", Buffer.from("%PDF"))).toBe(true);
    expect(isHtml("application/xhtml+xml", Buffer.from(""))).toBe(true);
    expect(isHtml("text/plain", html)).toBe(false);
    expect(isXhtml("application/xhtml+xml; charset=utf-8")).toBe(true);
    expect(isXhtml("text/html")).toBe(false);
  });

  it.each([
    ['<html xmlns="http://www.w3.org/1999/xhtml">', true],
    [
      "\u00ef\u00bb\u00bf<?xml version='1.0'?>\n<html lang='en' xmlns = 'http://www.w3.org/1999/xhtml'>",
      true,
    ],
    [
      '<!-- <rss> --><?a b?><!DOCTYPE html [<!ENTITY a "b">]><html xmlns="http://www.w3.org/1999/xhtml"',
      true,
    ],
    ["<html>", false],
    ["<html xmlns='http://www.w3.org/2000/svg'>", false],
    ["<html><a xmlns='http://www.w3.org/1999/xhtml'/>", false],
    ["<x:html xmlns:x='http://www.w3.org/1999/xhtml'>", false],
    ["<rss><html xmlns='http://www.w3.org/1999/xhtml'/>", false],
    ["<urlset xmlns:xhtml='http://www.w3.org/1999/xhtml'>", false],
    ["", false],
  ])("holds for XML with the root of XHTML: %j", (start, expected) => {
    for (const header of ["application/xml", "Text/XML; charset=utf-8"]) {
      expect(isHtml(header, Buffer.from(start, "latin1"))).toBe(expected);
      expect(isXhtml(header)).toBe(true);
      expect(isHtmlType(header)).toBe(false);
    }
    expect(isHtml("image/svg+xml", Buffer.from(start, "latin1"))).toBe(false);
  });

  it("may hold for any body whose type is unknown", () => {
    const headers = [undefined, "x", "text/html", "*/*; q=1", "Application/Unknown"];
    expect(headers.filter((header) => !isHtmlType(header))).toEqual([]);
    expect(isHtmlType("image/png")).toBe(false);
  });

  it.each([
    ["<!DOCTYPE html>", true],
    ["\n\t <HTML lang=en>", true],
    ["\u00ef\u00bb\u00bf<p>", true],
    ["<!-- x --><p>", true],
    ["<b>", true],
    ["<bold>", false],
    ["plain <p>", false],
    ["<?xml version='1.0'?><rss>", false],
    ["", false],
  ])("sniffs %j without a header that names a type", (start, expected) => {
    const unnamed = [undefined, "unknown", "*/*", "application/unknown", "unknown/unknown"];
    for (const header of unnamed) {
      expect(isHtml(header, Buffer.from(start, "latin1"))).toBe(expected);
    }
  });
});
