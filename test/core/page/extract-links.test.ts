import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractLinks } from "../../../src/core/page/extract-links.ts";
import type { ExtractedPage } from "../../../src/core/page/parsed-page.ts";

const url = "http://e.org/dir/page.html?q=1#here";

function extract(html: string, contentType = "text/html; charset=utf-8"): ExtractedPage {
  return extractLinks(Buffer.from(html), { url, contentType });
}

function linksOf(html: string, contentType?: string): string[] {
  return extract(html, contentType).links.map((link) => link.replace("http://e.org", ""));
}

describe("the links of a page", () => {
  it("come from a, area, frame, iframe and the links to other pages of a head", () => {
    expect(
      linksOf(`
        <link rel=stylesheet href=css><link rel="Shortcut NEXT" href=next><link rel=prev href=prev>
        <link rel=previous href=previous>
        <link rel=canonical href=canonical><link rel=alternate hreflang=de href=de>
        <link rel=alternate type=application/rss+xml href=rss><script src=js></script>
        <A HREF=a></A><area href=area><frame src=frame><iframe src=iframe></iframe>
        <img src=img><embed src=embed><form action=form></form><abbr href=abbr><a src=none name=x>`),
    ).toEqual(
      ["next", "prev", "previous", "canonical", "de", "a", "area", "frame", "iframe"].map(
        (x) => `/dir/${x}`,
      ),
    );
  });

  it("are resolved, canonical, without fragments, each once, in order of appearance", () => {
    expect(
      linksOf(`<a href="b"><a href="HTTP://E.org:80/a/../c#x"><a href='b#y'><a href="./b">
        <a href=" \n//e.org/%7eu\t "><a href="../up"><a href="?q=2"><a href="#top"><a href="">`),
    ).toEqual(["/dir/b", "/c", "/~u", "/up", "/dir/page.html?q=2", "/dir/page.html?q=1"]);
  });

  it("have the white space before a fragment, which is not at their end", () => {
    const html = `<a href="b #x"><a href=" b\t#y "><a href="?q= #"><a href=" #x"><a href="b&#0;#z">`;
    const expected = ["/dir/b%20", "/dir/b", "/dir/page.html?q=%20", "/dir/page.html?q=1"];
    expect(linksOf(html)).toEqual([...expected, "/dir/b%EF%BF%BD"]);
    for (const reference of ["b #x", "b\t#y", "?q= #"]) {
      expect(expected).toContain(new URL(reference, url).href.replace(/^http:..e.org|#.*/g, ""));
    }
  });

  it("are http and https alone", () => {
    expect(
      linksOf(`<a href="mailto:a@e.org"><a href="javascript:void(0)"><a href="data:text/html,x">
        <a href="ftp://e.org/"><a href="http://"><a href="http://a b/"><a href="https://s.org">`),
    ).toEqual(["https://s.org/"]);
  });

  it("have their character references decoded by the rules of attributes", () => {
    expect(
      linksOf(`<a href="?a=1&amp;b=2"><a href='?a&#x3d;"&quot;'><a href="?a&copy=1"><a href=?a&lt;b>
        <a href="x&#35;y"><a href="&period;&period;/z">`),
    ).toEqual([
      "/dir/page.html?a=1&b=2",
      "/dir/page.html?a=%22%22",
      "/dir/page.html?a&copy=1",
      "/dir/page.html?a%3Cb",
      "/dir/x",
      "/z",
    ]);
  });

  it("are not looked for in comments, scripts, styles and other raw text", () => {
    expect(
      linksOf(`<!-- <a href=1> --><script>"<a href=2>"</script><style><a href=3></style>
        <textarea><a href=4></textarea><title><a href=5></title><xmp><a href=6></xmp>
        <! <a href=7><? <a href=8><a href=yes>`),
    ).toEqual(["/dir/yes"]);
  });

  it("are found after a CDATA section, which HTML ends at the first >", () => {
    expect(linksOf("<![CDATA[ x > <a href=yes>")).toEqual(["/dir/yes"]);
    expect(linksOf("<![CDATA[ <a href=no> ]]><a href=yes>", "application/xhtml+xml")).toEqual([
      "/dir/yes",
    ]);
  });

  it("are found after an element that XHTML closes at once and HTML does not", () => {
    const html = '<script src="x"/><a href="yes">';
    expect(linksOf(html)).toEqual([]);
    expect(linksOf(html, "application/xhtml+xml")).toEqual(["/dir/yes"]);
  });

  it("are found inside SVG, whose styles and titles are ordinary elements", () => {
    const html = `<svg><title><a href=1></title><style><a href=2></style></svg>
      <svg/><style><a href=no></style><svg><div><style><a href=no></style></div>`;
    expect(linksOf(html)).toEqual(["/dir/1", "/dir/2"]);
  });

  it("may be called xlink:href inside SVG, and there alone", () => {
    expect(
      linksOf(`<svg><a xlink:href=1><a XLINK:href=no href=2><a xlink:href=no href><use xlink:href=no>
        <area xlink:href=no><foreignObject><a xlink:href=no></foreignObject></svg>
        <math><a xlink:href=no></math><a xlink:href=no>`),
    ).toEqual(["/dir/1", "/dir/2", "/dir/page.html?q=1"]);
    expect(linksOf("<svg><a xlink:href='1'/></svg>", "application/xhtml+xml")).toEqual(["/dir/1"]);
  });

  it("are found in noscript and template", () => {
    expect(linksOf("<noscript><a href=1></noscript><template><a href=2>")).toEqual([
      "/dir/1",
      "/dir/2",
    ]);
  });

  it("use the first of two attributes of one name", () => {
    expect(linksOf("<a href=1 HREF=2><a rel=x rel=nofollow href=3>")).toEqual(["/dir/1", "/dir/3"]);
  });

  it("leave out a tag that the document ends in", () => {
    expect(linksOf("<a href=1><a href=2 ")).toEqual(["/dir/1"]);
  });

  it("have their queries escaped in the document's encoding", () => {
    const html = Buffer.from('<a href="/\u00e9?\u00e9">', "latin1");
    expect(extractLinks(html, { url }).links).toEqual(["http://e.org/%C3%A9?%E9"]);
  });

  it("are set apart where no link to a URL is to be followed", () => {
    const page = extract(`<a rel="x NoFollow" href=1><a rel=ugc href=2><a rel=sponsored href=3>
      <a rel=nofollow href=4><a href=./4><a href=5><a href=5 rel=nofollow><a rel=nofollower href=6>
      <a href=7><a rel=nofollow href=./7><a rel="ugc,nofollow" href=8><a rel=x,nofollow,y href=9>`);
    expect(page.nofollowLinks).toEqual([1, 2, 3, 8, 9].map((x) => `http://e.org/dir/${x}`));
    expect(page.links).toEqual([4, 5, 6, 7].map((x) => `http://e.org/dir/${x}`));
  });

  it("are bounded in number and in length", () => {
    const html = Buffer.from("<a href=1><a href=2><a href=1><a href=3>");
    const options = { linksMax: 2, linkUnitsMax: 1_000 };
    expect(extractLinks(html, { url }, options).links).toHaveLength(2);
    expect(extractLinks(html, { url }, options).linksLeftOut).toBe(1);
    const unitsForTwo = 2 * "http://e.org/dir/1".length;
    const short = { linksMax: 10, linkUnitsMax: unitsForTwo };
    expect(extractLinks(html, { url }, short).links).toHaveLength(2);
    expect(extractLinks(html, { url }, short).linksLeftOut).toBe(1);
    expect(extractLinks(html, { url }, { ...short, linksMax: 2 }).linksLeftOut).toBe(1);
    expect(extractLinks(html, { url })).not.toHaveProperty("linksLeftOut");
  });

  it("are bounded by the length of a base that each one is resolved against", () => {
    const base = `http://e.org/${"a".repeat(100_000)}`;
    const html = Buffer.from(`<base href="${base}">` + "<a href=/!1><a href=/!2><a href=/!3>");
    const page = extractLinks(html, { url }, { linksMax: 10, linkUnitsMax: 2.5 * base.length });
    expect(page.links).toEqual(["http://e.org/!1", "http://e.org/!2"]);
    expect(page.linksLeftOut).toBe(1);
  });
});

describe("what a page says of itself", () => {
  it("is its base: the first one that is a URL with a usable scheme, for links before it too", () => {
    const page = extract(`<a href=1><base target=x><base href="/b/c"><base href="/d/">`);
    expect(page.base).toBe("http://e.org/b/c");
    expect(page.links).toEqual(["http://e.org/b/1"]);
    expect(extract("<a href=1>").base).toBe(url);
    expect(extract("<base href='data:,x'><base href=/d/>").base).toBe(url);
    expect(extract("<base href='http://['>").base).toBe(url);
    expect(extract("<svg><base href=/s/></svg><base href=/d/>").base).toBe("http://e.org/d/");
    expect(extract("<template><base href=/t/></template>").base).toBe(url);
    expect(extract("<noscript><base href=/n/></noscript><base href=/d/>").base).toBe(
      "http://e.org/d/",
    );
    expect(extract("<noscript/><base href='/d/'/>", "application/xhtml+xml").base).toBe(
      "http://e.org/d/",
    );
  });

  it("is robots meta, for all crawlers and for this one", () => {
    const said = (html: string): boolean[] => {
      const { noindex, nofollow } = extract(html);
      return [noindex, nofollow];
    };
    expect(said("<meta name=ROBOTS content='NOINDEX, follow'>")).toEqual([true, false]);
    expect(said("<meta name=orbweaver content=nofollow>")).toEqual([false, true]);
    expect(said("<meta name=robots content=noindex><meta name=robots content=nofollow>")).toEqual([
      true,
      true,
    ]);
    expect(said("<meta name=otherbot content=none><meta property=robots content=none>")).toEqual([
      false,
      false,
    ]);
  });

  it("is the first refresh to something that can be fetched or to itself", () => {
    const refresh = (html: string): unknown => extract(html).refresh;
    expect(refresh(`<base href=/b/><meta http-equiv=Refresh content="3; url='x#y'">`)).toEqual({
      seconds: 3,
      url: "http://e.org/b/x",
    });
    expect(
      refresh("<meta http-equiv=refresh content=x><meta http-equiv=refresh content=7>"),
    ).toEqual({
      seconds: 7,
    });
    expect(refresh("<meta http-equiv=refresh content='0;url=javascript:1'>")).toBeUndefined();
    expect(refresh("<meta name=refresh content='0;url=x'>")).toBeUndefined();
    expect(
      refresh("<noscript><meta http-equiv=refresh content='0;url=x'></noscript>"),
    ).toBeUndefined();
  });

  it("is its canonical URL, title and language", () => {
    const page =
      extract(`<html lang=" de-CH "><title>\n A &amp;  <b>&eacute;</title><title>B</title>
      <svg><title>C</title></svg><link rel=canonical href="../c#x"><link rel=canonical href="d">`);
    expect(page.title).toBe("A & <b>é");
    expect(page.lang).toBe("de-CH");
    expect(page.canonical).toBe("http://e.org/c");
    expect(extract("<svg><title>C</title></svg>").title).toBeUndefined();
    expect(extract("<title> </title>").title).toBeUndefined();
    expect(extract("<title/>x", "application/xhtml+xml").title).toBeUndefined();
    const bare = "<noscript><html lang=de><title>Turn scripts on</title></noscript>";
    expect(extract(`${bare}<html lang=en><title>A</title>`)).toMatchObject({
      title: "A",
      lang: "en",
    });
  });

  it("has a title of at most 1,024 characters, none of them cut in two", () => {
    expect(extract(`<title>${"&amp;".repeat(5_000)}`).title).toBe("&".repeat(1_024));
    expect(extract(`<title>a${"😀".repeat(2_000)}</title>`).title).toBe("a" + "😀".repeat(1_023));
  });

  it("is not searched for its charset for ever", () => {
    const labels = "<meta charset=none>".repeat(63);
    const named = (html: string): string => extract(html, "text/html").charset;
    expect(named(`${" ".repeat(2_000)}${labels}<meta charset=koi8-r>`)).toBe("koi8-r");
    expect(named(`${" ".repeat(2_000)}${labels}<meta charset=x><meta charset=koi8-r>`)).not.toBe(
      "koi8-r",
    );
  });

  it("is decoded as its charset says", () => {
    const html = Buffer.from([...Buffer.from("<meta charset=windows-1251><title>"), 0xff]);
    const page = extractLinks(html, { url });
    expect(page).toMatchObject({ title: "я", charset: "windows-1251", charsetSource: "meta" });
  });
});

describe("an encoding that is declared behind the first 1,024 bytes", () => {
  const padding = " ".repeat(1_024);
  const koi8 = "<meta charset=koi8-r>";
  const unknownLabel = "<meta charset=x-none content='charset=koi8-r' ";

  /** Its title is U+0451 in KOI8-R, U+0408 in windows-1251 and U+00A3 in windows-1252. */
  function page(html: string, contentType?: string): ExtractedPage {
    return extractLinks(Buffer.from(`<title>\xa3</title>${html}`, "latin1"), { url, contentType });
  }

  it("holds for all of the document, and its links are those that it then has", () => {
    const html = `<a href="/\xa3?\xa3"><base href=/b/>${padding}${koi8}<a href=x>`;
    expect(page(html)).toMatchObject({
      title: "\u0451",
      charset: "koi8-r",
      charsetSource: "meta",
      links: ["http://e.org/%D1%91?%A3", "http://e.org/b/x"],
    });
  });

  it.each([
    ["a pragma", "<meta content='text/html; charset=koi8-r' http-equiv=Content-Type>", "koi8-r"],
    ["a label in references", "<meta charset=' KOI8&#45;r '>", "koi8-r"],
    ["the first of two", `${koi8}<meta charset=windows-1251>`, "koi8-r"],
    ["one behind an unknown label", `<meta charset=x-none>${koi8}`, "koi8-r"],
    ["UTF-16, in which no byte could be read so", "<meta charset=utf-16be>", "utf-8"],
    ["a body's element", `<body><p>${koi8}`, "koi8-r"],
    ["an SVG, which it ends", `<svg>${koi8}</svg>`, "koi8-r"],
    ["the pragma, whose label is known", `${unknownLabel}http-equiv=content-type>`, "koi8-r"],
  ])("counts in %s", (_, html, charset) => {
    expect(page(padding + html)).toMatchObject({ charset, charsetSource: "meta" });
  });

  it("is one with what was taken for it", () => {
    expect(page(`${padding}<meta charset=latin1>`)).toMatchObject({
      title: "\xa3",
      charset: "windows-1252",
      charsetSource: "meta",
    });
  });

  it.each([
    ["noscript, which browsers do not look into", `<noscript>${koi8}</noscript>`],
    ["a script", `<script>"${koi8}"</script>`],
    ["a comment", `<!--${koi8}-->`],
    ["a pragma of another name", "<meta content='charset=koi8-r' http-equiv='content-type '>"],
    ["content alone", "<meta content='text/html; charset=koi8-r'>"],
    ["another element", "<link charset=koi8-r>"],
  ])("does not count in %s", (_, html) => {
    expect(page(padding + html)).toMatchObject({
      charset: "windows-1252",
      charsetSource: "default",
    });
  });

  it("does not count where the header, a mark or XML tells the encoding", () => {
    expect(page(padding + koi8, "text/html; charset=windows-1251").title).toBe("\u0408");
    expect(page(padding + koi8, "application/xhtml+xml").charset).toBe("utf-8");
    const marked = Buffer.from(`\ufeff${padding}${koi8}`);
    expect(extractLinks(marked, { url }).charset).toBe("utf-8");
    const unmarked = Buffer.from(`<?xml version='1.0'?>${padding}${koi8}`, "utf16le");
    expect(extractLinks(unmarked, { url }).charset).toBe("utf-16le");
  });

  it("counts more than one in the first bytes that is no element", () => {
    const script = "<script>'<meta charset=windows-1251>'</script>";
    expect(page(script + koi8)).toMatchObject({ title: "\u0451", charset: "koi8-r" });
    expect(page(script)).toMatchObject({ title: "\u0408", charset: "windows-1251" });
  });
});

describe("hostile documents", () => {
  const million = 1_000_000;
  const nested = "<svg><foreignObject>";
  it.each<[string, string]>([
    ["nothing but <", "<".repeat(10 * million)],
    ["an attribute of a megabyte", `<a href="${"&amp;x".repeat(million / 5)}&lt;"><a href=ok>`],
    ["a million unclosed tags", `${"<a>".repeat(million)}<a href=ok>`],
    ["a million closing tags", `${"</svg>".repeat(million)}<a href=ok>`],
    ["a million attributes", `<a ${"x=1 ".repeat(million)}href=ok>`],
    ["deep nesting of SVG in HTML in SVG", `${nested.repeat(million / 20)}<a href=ok>`],
    [
      "end tags of nothing deep in SVG",
      `<svg>${"<g>".repeat(million / 4)}${"</x>".repeat(million / 4)}<a href=ok>`,
    ],
    ["nothing but NUL", `${"\0".repeat(million)}<a href=ok>`],
    ["a million comments", `${"<!---->".repeat(million)}<a href=ok>`],
    ["CDATA sections that never end", `${"<![CDATA[>".repeat(million / 10)}<a href=ok>`],
    ["a title of spaces and references", `<title>${" &amp".repeat(million)}</title><a href=ok>`],
    [
      "a refresh of spaces",
      `<meta http-equiv=refresh content="1${" ".repeat(million)}x"><a href=ok>`,
    ],
    [
      "a content type of spaces",
      `<meta http-equiv=content-type content="charset${" ".repeat(million)}x"><a href=ok>`,
    ],
    ["robots of spaces", `<meta name=robots content="${" ".repeat(million)}x"><a href=ok>`],
    ["relations of spaces", `<a rel="${" ".repeat(million)}x" href=ok>`],
    ["a long base before many links", `<base href="/${"b/".repeat(8_000)}">${manyLinks(50_000)}`],
    [
      "a base that no URL has room for",
      `<base href="/${"b/".repeat(30_000)}"><a href=//ok/>${manyLinks(50_000)}`,
    ],
  ])("are read to the end in linear time: %s", (name, html) => {
    const { links } = extract(html);
    expect(links.length).toBeGreaterThan(name === "nothing but <" ? -1 : 0);
    expect(links.length).toBeLessThanOrEqual(50_000);
  });

  it("never throw, whatever the bytes", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.string(),
        fc.string(),
        (html, at, contentType) => {
          expect(extractLinks(html, { url: at, contentType }).links).toBeInstanceOf(Array);
        },
      ),
    );
  });
});

function manyLinks(count: number): string {
  return Array.from({ length: count }, (_, index) => `<a href=${index}>`).join("");
}
