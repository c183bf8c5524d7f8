import { describe, expect, it } from "vitest";
import { PageReader, type RawPage } from "../../../src/core/page/page-reader.ts";

function read(html: string, linksMax = 50_000): RawPage {
  return new PageReader(linksMax, "orbweaver").read(html, false);
}

/** The references that are followed. */
function followed(html: string): string[] {
  return [...read(html).references].flatMap(([reference, isFollowed]) =>
    isFollowed ? [reference] : [],
  );
}

describe("object and embed", () => {
  it("lead to what they show, where that is a page by its type", () => {
    expect(
      followed(`<object type="Text/HTML; charset=utf-8" data=1></object><embed src=2 type=text&sol;html>
        <object data=3 type=application/xhtml+xml><object data=no><embed src=no>
        <object type=application/pdf data=no><embed type=image/svg+xml src=no><embed type="" src=no>
        <object type=text/html src=no><embed type=text/html data=no>`),
    ).toEqual(["1", "2", "3"]);
  });
});

describe("the document in the srcdoc of an iframe", () => {
  it("has links of its page, beside the src of the iframe", () => {
    const page = read(`<base href=/b/><iframe src=src srcdoc="<title>T</title><base target=x>
      <a href='1?a=1&amp;amp;b=2#x'><area href=&quot;2&quot;><link rel=canonical href=3>
      <meta http-equiv=refresh content='0;url=4#x'>"></iframe><a href=5>`);
    expect([...page.references.keys()]).toEqual(["src", "1?a=1&b=2", "2", "3", "4", "5"]);
    expect(page.base).toBe("/b/");
  });

  it("says for itself alone what it is and whether its links are followed", () => {
    const page = read(`<iframe srcdoc="<html lang=de><title>T</title><link rel=canonical href=x>
      <meta charset=koi8-r><meta http-equiv=refresh content='0;url=y'><a href=z>
      <meta name=robots content='noindex, nofollow'>"></iframe><a href=z>`);
    expect([...page.references]).toEqual([
      ["x", false],
      ["z", true],
      ["y", false],
    ]);
    expect(page.directives).toEqual({ noindex: false, nofollow: false });
    for (const own of ["title", "lang", "canonical", "charset", "refresh"]) {
      expect(page).not.toHaveProperty(own);
    }
  });

  it("is passed over where it has a base of its own, and where it stands in another one", () => {
    expect(followed("<iframe srcdoc='<a href=1><base href=/c/>'></iframe><a href=2>")).toEqual([
      "2",
    ]);
    const nested = `<iframe srcdoc="<iframe src=1 srcdoc='<a href=2>'></iframe><a href=3>">`;
    expect(followed(nested)).toEqual(["1", "3"]);
  });

  it("shares the room that its page has for links", () => {
    const page = read("<a href=1><iframe srcdoc='<a href=2><a href=1><a href=3>'></iframe>", 2);
    expect([...page.references.keys()]).toEqual(["1", "2"]);
    expect(page.referencesLeftOut).toBe(1);
  });

  it.each<[string, string]>([
    ["many of them", '<iframe srcdoc="<a href=ok>"></iframe>'.repeat(20_000)],
    ["one within another", nested(500)],
    [
      "labels of encodings",
      `<iframe srcdoc="${"<meta charset=x>".repeat(64)}"></iframe>`.repeat(2_000),
    ],
  ])("is read in linear time: %s", (_, html) => {
    expect(followed(`${html}<a href=ok>`)).toEqual(["ok"]);
  });
});

function nested(depth: number): string {
  if (depth === 0) return "<a href=no>";
  const srcdoc = nested(depth - 1)
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;");
  return `<iframe srcdoc="${srcdoc}"></iframe>`;
}
